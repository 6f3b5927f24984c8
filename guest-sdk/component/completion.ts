import type * as wit from 'airlock:llm/provider@0.1.0'
import type { Received, Sent } from '../contract/wit.ts'
import type { Decoder, FrameOf, Framing } from '../decoder.ts'
import type { CompletionEvent } from '../events.ts'
import { errorFromResponse, retryAfter } from '../http-error.ts'
import { createHttpResponse } from '../http-response.ts'
import type { CompletionStart, Provider } from '../provider.ts'
import { toWitError, toWitErrorDetails, type WitProviderError } from './author-error.ts'
import { callAuthorOr, refusePromise } from './call-author.ts'
import { countBlockingCalls } from './context.ts'
import { createEventWriter, type EventWriter, type WitEvent } from './event-writer.ts'
import type { WitHttpResponse } from './host.ts'

export type WitFrame = Received<wit.Frame>
export type WitStartedCompletion = Omit<Sent<wit.StartedCompletion>, 'completion'> & {
  completion: Completion
}

// One call of `decode` with no request returns at most so many events.
const MAX_GROUP = 64

/** What feeds a completion: the decoder of a body, or the events of a provider that needs none. */
export type CompletionSource = { decoder: Decoder<Framing> } | { events: Iterator<CompletionEvent> }

/** The contract's `completion` resource. The engine finds its methods on the prototype, so it is a class. */
export class Completion {
  readonly #provider: Provider<Framing>
  readonly #start: CompletionStart
  readonly #source: CompletionSource
  readonly #writer: EventWriter = createEventWriter()
  #group = 1

  constructor(provider: Provider<Framing>, start: CompletionStart, source: CompletionSource) {
    this.#provider = provider
    this.#start = start
    this.#source = source
  }

  decode(frames: WitFrame[]): WitEvent[] {
    const source = this.#source
    try {
      if ('decoder' in source) this.#feed(source.decoder, frames)
      else this.#pull(source.events)
    } catch (thrown) {
      return this.#fail(thrown, 'decoder' in source ? 'frame' : 'respond')
    }
    return this.#writer.take()
  }

  finish(): WitEvent[] {
    try {
      if ('decoder' in this.#source) {
        const { decoder } = this.#source
        if (decoder.end !== undefined) {
          refusePromise(decoder.end(this.#writer.emit) as unknown, this.#provider.id, 'end')
        }
      }
      this.#writer.flush()
    } catch (thrown) {
      return this.#fail(thrown, 'end')
    }
    return this.#writer.take()
  }

  reject(response: WitHttpResponse): WitProviderError {
    const { id } = this.#provider
    const answer = createHttpResponse(response)
    const details = callAuthorOr(id, 'reject', undefined, () =>
      refusePromise(this.#provider.reject?.(answer, this.#start), id, 'reject'),
    )
    return callAuthorOr(
      id,
      'reject',
      { kind: 'other', message: `The service answered with status ${response.status}` },
      () => {
        const own = details ?? errorFromResponse(answer)
        return toWitErrorDetails({
          kind: own.kind,
          message: own.message,
          status: response.status,
          code: own.code,
          retryAfterMs: own.retryAfterMs ?? retryAfter(answer),
        })
      },
    )
  }

  /** The hot path: written for an engine that inlines nothing. */
  #feed(decoder: Decoder<Framing>, frames: WitFrame[]): void {
    const { emit } = this.#writer
    for (let index = 0; index < frames.length; index++) {
      const frame = frames[index]!
      let given: FrameOf<Framing>
      if (frame.tag === 'event') {
        const event = frame.val as { event?: string | null | undefined; data: string }
        // In place of a copy: authors see an absent field, not null.
        if (event.event === null) event.event = undefined
        given = event as FrameOf<'server-sent-events'>
      } else {
        given = frame.tag === 'text' ? { text: frame.val } : { bytes: frame.val }
      }
      const result: unknown = decoder.frame(given, emit)
      if (result !== undefined) refusePromise(result, this.#provider.id, 'frame')
    }
  }

  /**
   * The first event leaves at once, later ones in groups that double, so that computed answers are cheap;
   * an event that had to wait for the network ends its group.
   */
  #pull(events: Iterator<CompletionEvent>): void {
    const writer = this.#writer
    const calls = countBlockingCalls()
    while (!writer.stopped && writer.waiting < this.#group && countBlockingCalls() === calls) {
      const next = events.next()
      refusePromise(next, this.#provider.id, 'respond')
      if (next.done) writer.emit({ type: 'stop', reason: 'end-turn' })
      else writer.emit(next.value)
    }
    this.#group = Math.min(this.#group * 2, MAX_GROUP)
  }

  /** Events of the same call still count: the failure follows them. */
  #fail(thrown: unknown, name: string): WitEvent[] {
    const error = toWitError(thrown, `${name}() of provider ${this.#provider.id}`)
    const events = this.#writer.take()
    if (events.length === 0) throw error
    events.push({ tag: 'failed', val: error })
    return events
  }
}
