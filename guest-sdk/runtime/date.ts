import { host } from '../component/host.ts'
import { requireRunning } from './running.ts'

const NativeDate = globalThis.Date

function now(): number {
  requireRunning('the current time')
  return host.now()
}

/** The engine's own Date with the host's clock: the engine asks WASI for the time, which ends the instance. */
export const HostDate: DateConstructor = new Proxy(NativeDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(
      target,
      args.length === 0 ? [now()] : args,
      newTarget === HostDate ? target : newTarget,
    ),
  apply: () => new NativeDate(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
})
// What asks a date for its constructor gets this one.
NativeDate.prototype.constructor = HostDate
