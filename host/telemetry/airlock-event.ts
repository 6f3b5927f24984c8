import type { StopReason, TokenUsage } from '../contract/events.ts'
import type { Failure } from './describe-failure.ts'
import type { AttemptPlace } from './observer.ts'

/**
 * What an airlock does, without a word of what is said: no message, no answer, no argument of a tool and no result.
 * All of it is data that JSON can hold. Of one completion: `completion-started` first, then any number of attempts,
 * retries and fallbacks, and `completion-ended` once, last; its `id` is its own among those of this airlock. The same
 * holds for `tool-started` and `tool-ended`. `time` is in milliseconds since 1970.
 */
export type AirlockEvent = { time: number } & (
  | {
      type: 'completion-started'
      id: number
      /** As the caller named it, the first one of a list. Absent where the default is meant. */
      model?: string
    }
  /** A model is about to be asked. */
  | ({ type: 'attempt'; id: number } & AttemptPlace)
  /** Nothing of the answer has come; the same model is asked again after `waitMs`. */
  | ({ type: 'retry'; id: number; waitMs: number; error: Failure } & AttemptPlace)
  /** The next model of the caller's list is asked. Model references. */
  | { type: 'fallback'; id: number; from: string; to: string; error: Failure }
  | {
      type: 'completion-ended'
      id: number
      /** From the call on, waits among it. */
      durationMs: number
      /** Until the first piece of the answer. Absent where none came. */
      timeToFirstEventMs?: number
      /** How often a model was asked. */
      attempts: number
      /** Of the last attempt. Absent where there was none. */
      extension?: string
      provider?: string
      model?: string
      usage?: TokenUsage
      /** Absent where it failed or was aborted. */
      stopReason?: StopReason
      /** Absent where the answer is whole. */
      error?: Failure
    }
  | { type: 'tool-started'; id: number; tool: string; source: string; callId?: string }
  | {
      type: 'tool-ended'
      id: number
      tool: string
      source: string
      callId?: string
      durationMs: number
      isError: boolean
      /** It was not run, and why. */
      withheld?: 'denied' | 'skipped'
      /** The kind of what was thrown: a tool's own words may repeat what it was told. */
      error?: Pick<Failure, 'type'>
    }
  /** Models of these providers, by reference, may not be what they were. */
  | { type: 'models-changed'; providers: readonly string[] }
  | { type: 'signed-in'; provider: string }
  | { type: 'signed-out'; provider: string }
)

/** Without its time. */
export type Happening = AirlockEvent extends infer Event
  ? Event extends AirlockEvent
    ? Omit<Event, 'time'>
    : never
  : never
