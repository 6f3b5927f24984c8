import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import { InvalidRequestError } from '../errors.ts'
import { type CompletionResult, collectResult } from './collect-result.ts'
import { rememberMaker } from './opaque-parts.ts'
import { createReplay } from './replay.ts'
import type { AnswerFormat } from './structured/answer-format.ts'
import type { PartialAnswer } from './structured/answer-types.ts'
import { partialAnswers } from './structured/partial-answers.ts'
import { readAnswer } from './structured/read-answer.ts'

/**
 * An answer as it comes. `Answer` is what `object()` gives by the request's `responseFormat`, `Written` what the model
 * writes: with zod, the schema's output and its input.
 */
export interface Completion<Answer = unknown, Written = Answer>
  extends AsyncIterable<CompletionEvent>,
    AsyncDisposable {
  /**
   * The whole answer, collected. Works with or without reading the events.
   * @throws {ProviderError} where the answer failed; the caller's own reason where it was aborted.
   */
  result(): Promise<CompletionResult>
  /**
   * The answer as a value, held to the schema of `responseFormat`. Works with or without reading the events.
   * @throws {InvalidAnswerError} where it does not fit, was cut off, refused, or is none
   * @throws {InvalidRequestError} where the request has no `responseFormat`
   * @throws as `result()` does
   */
  object(): Promise<Answer>
  /**
   * The answer's value as far as it has come: more of it each time, each a copy of its own. Nothing is checked: see
   * `object()`. To leave the loop is to leave that of the events.
   */
  partialObjects(): AsyncIterable<PartialAnswer<Written>>
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
  /** What the answer is asked to be; none where the request does not say, or failed before it was read. */
  answerFormat?: Promise<AnswerFormat | undefined>
  /** The model that answered. Asked when the answer is whole. */
  answeredBy(): AnsweredBy
  /** A reader that lagged has caught up. */
  drained(): void
  /** The caller cancelled, or left its loop. */
  cancelled(reason: unknown): void
  /** Somebody has read all there is and wants more: the next event, or the whole answer. */
  hungry?(wanted: 'next' | 'whole'): void
}

/**
 * Events are kept, so any number of readers can start at any time and all see the whole answer. A reader that
 * leaves its loop before the end cancels, unless another one or `result()` still wants the answer.
 */
export function createCompletion(hooks: CompletionHooks): CompletionSource {
  const replay = createReplay<CompletionEvent>({
    drained: hooks.drained,
    abandoned: () => cancel(),
    hungry: wanted => hooks.hungry?.(wanted),
  })
  let wanted: Promise<CompletionResult> | undefined
  let object: Promise<unknown> | undefined

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

  function result(): Promise<CompletionResult> {
    wanted ??= replay.whole().then(toResult)
    return wanted
  }

  async function readObject(): Promise<unknown> {
    const format = await knownFormat()
    return readAnswer(await result(), format)
  }

  async function knownFormat(): Promise<AnswerFormat> {
    const format = await hooks.answerFormat
    if (format) return format
    // A request that is not valid says so itself.
    if (replay.ended) await result()
    throw new InvalidRequestError(
      'responseFormat',
      'Cannot read the answer as an object: the request has no responseFormat that says what it is. Add one, or use result().text',
    )
  }

  async function* readPartials(): AsyncGenerator<unknown> {
    await knownFormat()
    yield* partialAnswers({ [Symbol.asyncIterator]: replay.read })
  }

  return {
    completion: {
      [Symbol.asyncIterator]: replay.read,
      result,
      object() {
        object ??= readObject()
        return object
      },
      partialObjects: readPartials,
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
