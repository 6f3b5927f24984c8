import type { AirlockEvent, Happening } from './airlock-event.ts'
import { recordCompletion } from './completion-record.ts'
import { describeFailure } from './describe-failure.ts'
import type { Observer } from './observer.ts'
import { readRequestFacts } from './request-facts.ts'

export interface EventTeller {
  observer: Observer
  /** Never throws. */
  tell(event: Happening): void
}

/** Tells a program what its airlock does. What `onEvent` throws, or rejects with, goes to `failed`. */
export function createEventTeller(
  onEvent: (event: AirlockEvent) => unknown,
  failed: (error: unknown) => void,
): EventTeller {
  let lastId = 0

  function tell(event: Happening): void {
    try {
      const done = onEvent({ time: Date.now(), ...event } as AirlockEvent)
      if (done instanceof Promise) done.catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  const observer: Observer = {
    completion({ request }) {
      const id = ++lastId
      const { model } = readRequestFacts(request)
      tell({ type: 'completion-started', id, ...(model !== undefined && { model }) })
      const record = recordCompletion(({ place, error, ...seen }) => {
        const { durationMs, timeToFirstEventMs, usage, stopReason } = seen
        const { attempt: attempts = 0, ...where } = place ?? {}
        tell({
          type: 'completion-ended',
          id,
          durationMs,
          ...(timeToFirstEventMs !== undefined && { timeToFirstEventMs }),
          attempts,
          ...where,
          ...(usage && { usage }),
          ...(stopReason && { stopReason }),
          ...(error !== undefined && { error: describeFailure(error) }),
        })
      })
      return {
        ...record,
        attempt(place) {
          record.attempt(place)
          tell({ type: 'attempt', id, ...place })
        },
        retry: ({ error, ...retry }) => tell({ type: 'retry', id, ...retry, error: describeFailure(error) }),
        fallback: ({ from, to, error }) =>
          tell({ type: 'fallback', id, from, to, error: describeFailure(error) }),
      }
    },
    tool({ id: tool, source, callId }) {
      const id = ++lastId
      const begun = performance.now()
      const call = { id, tool, source, ...(callId !== undefined && { callId }) }
      tell({ type: 'tool-started', ...call })
      return {
        end: ({ isError, withheld, error }) =>
          tell({
            type: 'tool-ended',
            ...call,
            durationMs: performance.now() - begun,
            isError,
            ...(withheld && { withheld }),
            ...(error !== undefined && { error: { type: describeFailure(error).type } }),
          }),
      }
    },
  }
  return { observer, tell }
}
