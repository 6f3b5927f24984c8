import type { CompletionEvent, StopReason, TokenUsage } from '../../contract/events.ts'
import type { Completion } from '../../runtime/completion.ts'
import { createReplay } from '../../runtime/replay.ts'
import { createCarrier } from '../carried-parts.ts'
import type { Keepsakes } from './keepsakes.ts'
import { LanguageModelError, toLanguageModelError, type UnreadableToolCall } from './language-model-error.ts'
import {
  LanguageModelChatResponseTextPart,
  LanguageModelChatResponseToolCallPart,
  LanguageModelDataPart,
  type LanguageModelThinkingPart,
} from './parts.ts'
import { toThinkingPart } from './thinking.ts'

export type LanguageModelResponsePart =
  | LanguageModelChatResponseTextPart
  | LanguageModelChatResponseToolCallPart
  | LanguageModelThinkingPart
  | LanguageModelDataPart

/** An answer as it comes. Each loop reads it from its beginning; leaving the last one before its end cancels it. */
export interface LanguageModelChatResponse {
  /** @throws {LanguageModelError} after what had come; {CancellationError} where the token was cancelled */
  readonly stream: AsyncIterable<LanguageModelResponsePart>
  /** The text alone. Fails as `stream` does. */
  readonly text: AsyncIterable<string>
  /** There once the answer was read to its end: one that `max-tokens` cut off, or a refusal, ends well, too. */
  readonly stopReason: StopReason | undefined
  /** What the service reported so far. */
  readonly usage: TokenUsage | undefined
}

export interface ResponseOptions {
  /** As callers write it. */
  provider: string
  keepsakes: Keepsakes
  /** Called when the answer is over, unless it failed before it began. */
  over(): void
}

/**
 * Waits for the first event with something in it.
 * @throws what the answer failed with before that
 */
export async function toResponse(
  completion: Completion,
  options: ResponseOptions,
): Promise<LanguageModelChatResponse> {
  const events = completion[Symbol.asyncIterator]()
  const first: CompletionEvent[] = []
  while (!first.some(({ type }) => type !== 'started' && type !== 'response-metadata')) {
    const { done, value } = await events.next()
    if (done) break
    first.push(value)
  }

  let caughtUp = () => {}
  const parts = createReplay<LanguageModelResponsePart>({
    drained: () => caughtUp(),
    abandoned: () => completion.cancel(),
  })
  const translate = createTranslation(options)
  let stopReason: StopReason | undefined

  function take(event: CompletionEvent) {
    for (const part of translate.of(event)) parts.push(part)
    if (event.type === 'stop') stopReason = event.reason
  }

  async function pump(): Promise<void> {
    try {
      for (const event of first) take(event)
      for (let next = await events.next(); !next.done; next = await events.next()) {
        take(next.value)
        if (parts.full) await new Promise<void>(resolve => (caughtUp = resolve))
      }
      const failure = translate.failure(stopReason)
      if (failure) parts.end(failure)
      else parts.end()
    } catch (error) {
      parts.end(toLanguageModelError(error))
    } finally {
      options.over()
    }
  }
  void pump()

  return {
    stream: { [Symbol.asyncIterator]: parts.read },
    text: { [Symbol.asyncIterator]: () => textOf({ [Symbol.asyncIterator]: parts.read }) },
    get stopReason() {
      return stopReason
    },
    get usage() {
      return completion.usage
    },
  }
}

async function* textOf(parts: AsyncIterable<LanguageModelResponsePart>): AsyncGenerator<string, void> {
  for await (const part of parts) if (part instanceof LanguageModelChatResponseTextPart) yield part.value
}

function createTranslation({ provider, keepsakes }: ResponseOptions) {
  const carrier = createCarrier()
  const unreadable: UnreadableToolCall[] = []

  return {
    of(event: CompletionEvent): LanguageModelResponsePart[] {
      carrier.see(event)
      switch (event.type) {
        case 'text':
          return [new LanguageModelChatResponseTextPart(event.text)]
        case 'thinking':
        case 'redacted-thinking':
        case 'reasoning-details':
        case 'provider-content':
          return [toThinkingPart(event, provider)]
        case 'tool-use': {
          const { id, name, input, thoughtSignature } = event
          const parameters: unknown = JSON.parse(input.trim() || '{}')
          const part = new LanguageModelChatResponseToolCallPart(name, id, parameters)
          keepsakes.keep(part, { provider, carried: carrier.take(thoughtSignature) })
          return [part]
        }
        case 'tool-use-json-parse-error': {
          const { type: _, ...call } = event
          unreadable.push(call)
          return []
        }
        case 'image':
          // One that is elsewhere has no bytes to hand over.
          return event.mediaType === undefined
            ? [new LanguageModelChatResponseTextPart(`![](${event.source})`)]
            : [LanguageModelDataPart.image(Buffer.from(event.source, 'base64'), event.mediaType)]
        case 'started':
        case 'response-metadata':
        case 'tool-input-delta':
        case 'citation':
        case 'usage':
        case 'stop':
          return []
        default:
          return event satisfies never
      }
    },
    /** A call that vanished would make the turn look finished. */
    failure(stopReason: StopReason | undefined): LanguageModelError | undefined {
      const [first] = unreadable
      if (!first) return undefined
      const message =
        stopReason === 'max-tokens'
          ? `The answer was cut off at its longest, inside the call of "${first.name}"`
          : `The model called "${first.name}" with arguments that cannot be read: ${first.error}`
      return new LanguageModelError(message, 'InvalidToolCall', { toolCalls: unreadable })
    },
  }
}
