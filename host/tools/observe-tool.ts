import type { Observer, ToolObserver, ToolStart } from '../telemetry/observer.ts'

/** One observer of several, whose failures are theirs alone: watching must not break what is watched. */
export function observeTool(
  observers: readonly Pick<Observer, 'tool'>[],
  failed: (error: unknown) => void,
): (start: ToolStart) => Required<ToolObserver> {
  function safely<Value>(call: () => Value): Value | undefined {
    try {
      return call()
    } catch (error) {
      failed(error)
      return undefined
    }
  }
  return start => {
    const watching = observers.map(observer => safely(() => observer.tool?.(start)))
    return {
      within: work =>
        watching.reduce((inner, each) => {
          const { within } = each ?? {}
          return within ? () => within(inner) : inner
        }, work)(),
      end(outcome) {
        for (const each of watching) safely(() => each?.end?.(outcome))
      },
    }
  }
}
