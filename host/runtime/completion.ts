import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import { type CompletionResult, collectResult } from './collect-result.ts'

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

export interface CompletionHooks {
  usage(): TokenUsage | undefined
  /** A reader that lagged has caught up. */
  drained(): void
  /** The caller cancelled, or left its loop. */
  cancelled(reason: unknown): void
}

// A reader may lag by this many events before the body is paused. Enough for the largest group; small in memory.
const MAX_LAG = 1_024

/**
 * Events are kept, so any number of readers can start at any time and all see the whole answer. A reader that
 * leaves its loop before the end cancels, unless another one or `result()` still wants the answer.
 */
export function createCompletion(hooks: CompletionHooks): CompletionSource {
  const events: CompletionEvent[] = []
  const readers = new Set<Reader>()
  let wanted: Promise<CompletionResult> | undefined
  let failure: { error: unknown } | undefined
  let ended = false
  const settled = Promise.withResolvers<void>()

  interface Reader {
    at: number
    wake: (() => void) | undefined
  }

  function lag(): number {
    if (readers.size === 0) return wanted ? 0 : events.length
    let furthest = 0
    for (const { at } of readers) furthest = Math.max(furthest, at)
    return wanted ? 0 : events.length - furthest
  }

  function wakeAll() {
    for (const reader of readers) {
      reader.wake?.()
      reader.wake = undefined
    }
  }

  function read(): AsyncIterator<CompletionEvent> {
    const reader: Reader = { at: 0, wake: undefined }
    readers.add(reader)
    let left = false
    /** The call of `next()` that came last, where one waits: who asks without waiting is answered in order. */
    let waiting: Promise<unknown> | undefined

    async function wait(): Promise<IteratorResult<CompletionEvent>> {
      while (reader.at >= events.length && !ended && !left)
        await new Promise<void>(resolve => (reader.wake = resolve))
      return take()
    }

    function take(): IteratorResult<CompletionEvent> {
      if (left) return { done: true, value: undefined }
      const event = events[reader.at]
      if (event) {
        reader.at++
        if (lag() === MAX_LAG >> 1) hooks.drained()
        return { done: false, value: event }
      }
      readers.delete(reader)
      if (failure) throw failure.error
      return { done: true, value: undefined }
    }

    return {
      next() {
        if (waiting === undefined && reader.at < events.length) return Promise.resolve(take())
        const turn = waiting === undefined ? wait() : waiting.then(wait, wait)
        waiting = turn
        const over = () => {
          if (waiting === turn) waiting = undefined
        }
        turn.then(over, over)
        return turn
      },
      return() {
        left = true
        reader.wake?.()
        readers.delete(reader)
        if (readers.size === 0 && !wanted) cancel()
        else hooks.drained()
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  }

  function cancel(reason: unknown = new DOMException('The completion was cancelled', 'AbortError')) {
    if (ended) return
    end(reason)
    hooks.cancelled(reason)
  }

  function end(...error: unknown[]) {
    if (ended) return
    ended = true
    if (error.length > 0) failure = { error: error[0] }
    wakeAll()
    settled.resolve()
  }

  return {
    completion: {
      [Symbol.asyncIterator]: read,
      result() {
        if (!wanted) {
          wanted = settled.promise.then(() => {
            if (failure) throw failure.error
            return collectResult(events)
          })
          hooks.drained()
        }
        return wanted
      },
      get usage() {
        return hooks.usage()
      },
      partial: events,
      cancel,
      async [Symbol.asyncDispose]() {
        cancel()
      },
    },
    push(event) {
      if (ended) return
      events.push(event)
      wakeAll()
    },
    end,
    get ended() {
      return ended
    },
    get full() {
      return lag() >= MAX_LAG
    },
  }
}
