import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import type { ModelInfo } from '../contract/models.ts'
import { ProviderError } from '../errors.ts'
import type { TokenCount } from './count-tokens.ts'
import { mediaTokensOf, textOf } from './estimate-tokens.ts'

// How far an estimate may be off, either way.
const MARGIN = 0.15

/** Whether a request may be too large for a window, without counting its tokens: none has less than a byte. */
export function mayNotFit(request: GuestRequest, window: number): boolean {
  return mediaTokensOf(request) + Buffer.byteLength(textOf(request)) > window
}

export interface FitOptions {
  info: ModelInfo
  /** Of the text alone, without asking anybody. */
  estimate(): Promise<number>
  /** What the provider counts, where it does. */
  count(): Promise<TokenCount>
}

/**
 * Fails where a request cannot fit in the model's context window. Asks the provider only where an estimate cannot tell.
 * @throws {ProviderError} `context-length-exceeded`, saying by how much.
 */
export async function checkFit(request: GuestRequest, { info, estimate, count }: FitOptions): Promise<void> {
  const { maxTokenCount: window } = info
  if (window === 0 || !mayNotFit(request, window)) return
  const estimated = await estimate()
  if (estimated + mediaTokensOf(request) < window * (1 - MARGIN)) return
  // A count that cannot be had is no reason to fail, nor is the size of a file: the service has the last word.
  const counted = await count().catch((): TokenCount => ({ tokens: estimated, estimated: true }))
  const tokens = counted.estimated ? estimated : counted.tokens
  if (tokens <= (counted.estimated ? window * (1 + MARGIN) : window)) return
  const about = counted.estimated ? 'about ' : ''
  throw new ProviderError({
    kind: 'context-length-exceeded',
    message: `The request has ${about}${tokens} tokens, ${about}${tokens - window} more than the ${window} that fit into ${info.reference}: shorten it, or choose a model with a larger context window`,
  })
}
