import { host } from '../component/host.ts'
import { requireRunning } from './running.ts'

let origin: number | undefined

/** Whole milliseconds of the host's clock, counted from the first call. */
export const performance = {
  now(): number {
    requireRunning('performance.now()')
    const now = host.now()
    origin ??= now
    return now - origin
  },
  get timeOrigin(): number {
    requireRunning('performance.timeOrigin')
    origin ??= host.now()
    return origin
  },
}
