import type { StopReason } from '../contract/events.ts'
import type { AttemptPlace, CompletionObserver, CompletionOutcome } from './observer.ts'

/** How one completion went, without what was said. */
export interface CompletionRecord extends CompletionOutcome {
  durationMs: number
  /** Until the first piece of the answer. Absent where none came. */
  timeToFirstEventMs?: number
  /** Of the last attempt. Absent where there was none. */
  place?: AttemptPlace
  stopReason?: StopReason
  /** What the service calls the answer and the model that gave it. */
  responseId?: string
  responseModel?: string
}

/** Keeps the time and the facts of a completion, and hands them over at its end. */
export function recordCompletion(
  ended: (record: CompletionRecord) => void,
): Required<Pick<CompletionObserver, 'attempt' | 'event' | 'end'>> {
  const begun = performance.now()
  const seen: Omit<CompletionRecord, 'durationMs'> = {}
  return {
    attempt(place) {
      seen.place = place
    },
    event(event) {
      switch (event.type) {
        case 'started':
          return
        case 'response-metadata':
          if (event.id !== undefined) seen.responseId = event.id
          if (event.model !== undefined) seen.responseModel = event.model
          return
        case 'stop':
          seen.stopReason = event.reason
          return
        default:
          seen.timeToFirstEventMs ??= performance.now() - begun
      }
    },
    end: outcome => ended({ ...seen, ...outcome, durationMs: performance.now() - begun }),
  }
}
