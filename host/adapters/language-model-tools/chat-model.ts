import type { ModelInfo } from '../../contract/models.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import type { Completer } from '../../runtime/completer.ts'
import { type CancellationToken, toSignal } from './cancellation.ts'
import { type LanguageModelChatResponse, toResponse } from './chat-response.ts'
import type { Keepsakes } from './keepsakes.ts'
import { toLanguageModelError } from './language-model-error.ts'
import { type ChatMessageLike, toMessages } from './to-messages.ts'
import { type LanguageModelChatRequestOptions, toRequest } from './to-request.ts'

/** A model that can be asked. Immutable: select again for what changed. */
export interface LanguageModelChat {
  /** `<provider>/<model id>`. */
  readonly id: string
  readonly name: string
  /** The provider, as callers of the airlock write it. */
  readonly vendor: string
  /** What versions of one model have in common; the model's id where its provider does not say. */
  readonly family: string
  /** The model's id at its provider: no provider tells versions apart otherwise. */
  readonly version: string
  readonly maxInputTokens: number
  /** Longest answer, where the provider says. */
  readonly maxOutputTokens?: number
  readonly capabilities: {
    readonly imageInput: boolean
    /** The most tools that one request may carry, where there is such a number. */
    readonly toolCalling: boolean | number
    readonly supportsImageToText: boolean
    readonly supportsToolCalling: boolean
  }
  /**
   * Resolves when the answer has begun.
   * @throws {LanguageModelError} it failed before that
   * @throws {CancellationError}
   * @throws {InvalidRequestError} messages or options cannot be sent as they are
   */
  sendRequest(
    messages: readonly ChatMessageLike[],
    options?: LanguageModelChatRequestOptions,
    token?: CancellationToken,
  ): Promise<LanguageModelChatResponse>
  /** The provider's own count where it has one, else an estimate. */
  countTokens(text: string | ChatMessageLike, token?: CancellationToken): Promise<number>
}

export function createChatModel(
  airlock: Completer & Pick<Airlock, 'countTokens'>,
  { reference, id, name, provider, family = id, maxTokenCount, maxOutputTokens, capabilities }: ModelInfo,
  keepsakes: Keepsakes,
): LanguageModelChat {
  const { supportsImages, supportsTools, maxTools } = capabilities
  return Object.freeze({
    id: reference,
    name,
    vendor: provider,
    family,
    version: id,
    maxInputTokens: maxTokenCount,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: Object.freeze({
      imageInput: supportsImages,
      toolCalling: supportsTools && (maxTools ?? true),
      supportsImageToText: supportsImages,
      supportsToolCalling: supportsTools,
    }),

    async sendRequest(
      messages: readonly ChatMessageLike[],
      options: LanguageModelChatRequestOptions = {},
      token?: CancellationToken,
    ) {
      const linked = toSignal(token)
      const over = () => linked[Symbol.dispose]()
      try {
        linked.signal.throwIfAborted()
        const request = toRequest(reference, messages, options, keepsakes)
        const completion = airlock.complete(request, { signal: linked.signal })
        return await toResponse(completion, { provider, keepsakes, over })
      } catch (error) {
        over()
        throw toLanguageModelError(error)
      }
    },

    async countTokens(text: string | ChatMessageLike, token?: CancellationToken) {
      using linked = toSignal(token)
      try {
        const { signal } = linked
        signal.throwIfAborted()
        const asked = typeof text === 'string' ? text : { messages: toMessages([text], keepsakes) }
        const { tokens } = await airlock.countTokens(reference, asked, { signal })
        return tokens
      } catch (error) {
        throw toLanguageModelError(error)
      }
    },
  })
}
