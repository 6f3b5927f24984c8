import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import { type CompletionResult, collectResult } from './collect-result.ts'
import { rememberMaker } from './opaque-parts.ts'
import { createReplay } from './replay.ts'

/** An answer as it comes. */
export interface Completion extends AsyncIterable<CompletionEvent>, AsyncDisposable {
  /**
   * The whole answer, collected. Works with or without reading the events.
   * @throws {ProviderError} where the answer failed; the caller's own reason where it was aborted.
   */
  result(): Promise<CompletionResult>
  /** What the service has reported so far; there on failure and abort too. */
  readonly usage: TokenUsage | undefined
  /** The events so far. */
  readonly partial: readonly CompletionEvent[]
  /** Ends it: the socket and the guest's resource are freed at once. Idempotent. */
  cancel(reason?: unknown): void
}

/** The side of a completion that is filled by whoever produces the events. */
export interface CompletionSource {
  readonly completion: Completion
  push(event: CompletionEvent): void
  /** The end. What comes after it is ignored. */
  end(error?: unknown): void
  readonly ended: boolean
  /** True where a reader lags so far behind that the body should wait. */
  readonly full: boolean
}

/** Which model it was. */
export interface AnsweredBy {
  /** `<provider>/<model id>`. */
  reference: string
  /** As callers write it. */
  providerReference: string
}

export interface CompletionHooks {
  usage(): TokenUsage | undefined
  /** The model that answered. Asked when the answer is whole. */
  answeredBy(): AnsweredBy
  /** A reader that lagged has caught up. */
  drained(): void
  /** The caller cancelled, or left its loop. */
  cancelled(reason: unknown): void
}

/**
 * Events are kept, so any number of readers can start at any time and all see the whole answer. A reader that
 * leaves its loop before the end cancels, unless another one or `result()` still wants the answer.
 */
export function createCompletion(hooks: CompletionHooks): CompletionSource {
  const replay = createReplay<CompletionEvent>({ drained: hooks.drained, abandoned: () => cancel() })
  let wanted: Promise<CompletionResult> | undefined

  function cancel(reason: unknown = new DOMException('The completion was cancelled', 'AbortError')) {
    if (replay.ended) return
    replay.end(reason)
    hooks.cancelled(reason)
  }

  function toResult(events: readonly CompletionEvent[]): CompletionResult {
    const { reference, providerReference } = hooks.answeredBy()
    const collected = collectResult(events)
    rememberMaker(collected.parts, providerReference)
    return { ...collected, reference, provider: providerReference }
  }

  return {
    completion: {
      [Symbol.asyncIterator]: replay.read,
      result() {
        wanted ??= replay.whole().then(toResult)
        return wanted
      },
      get usage() {
        return hooks.usage()
      },
      partial: replay.events,
      cancel,
      async [Symbol.asyncDispose]() {
        cancel()
      },
    },
    push: replay.push,
    end: replay.end,
    get ended() {
      return replay.ended
    },
    get full() {
      return replay.full
    },
  }
}
