import type { Observer, ToolObserver } from '../telemetry/observer.ts'

type ToolStart = Parameters<NonNullable<Observer['tool']>>[0]

/** One observer of several, whose failures are theirs alone: watching must not break what is watched. */
export function observeTool(
  observers: readonly Pick<Observer, 'tool'>[],
  failed: (error: unknown) => void,
): (start: ToolStart) => ToolObserver {
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
      end(outcome) {
        for (const each of watching) safely(() => each?.end?.(outcome))
      },
    }
  }
}
