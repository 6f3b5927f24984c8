import * as z from 'zod'
import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { readProviderError } from '../contract/guest-values.ts'
import { ProviderError } from '../errors.ts'
import { ReturnedError } from '../sandbox/life.ts'
import type { CompletionTarget } from './completion-target.ts'
import { estimateRequestTokens } from './estimate-tokens.ts'
import type { CredentialRefresh } from './refresh.ts'

export interface TokenCount {
  /** Of the input. */
  tokens: number
  /** True where the provider does not count, and a tokenizer of a common model did. */
  estimated: boolean
}

const tokens = z.union([z.bigint(), z.number()]).transform(Number)

/**
 * Input tokens of a request: the provider's own count where it has one, else an estimate.
 * @throws {ProviderError} where the provider counts and could not be asked.
 */
export async function countTokens(
  target: Pick<CompletionTarget, 'host' | 'provider' | 'model'>,
  request: GuestRequest,
  {
    withCredential,
    signal,
  }: Pick<CredentialRefresh, 'withCredential'> & { signal?: AbortSignal | undefined },
): Promise<TokenCount> {
  const { host, provider, model } = target
  try {
    const call = () => host.call('countTokens', [provider, model, request], { signal })
    const counted = await withCredential({ host, provider }, call, { signal })
    return { tokens: tokens.parse(counted), estimated: false }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof ReturnedError)) throw error
    const details = readProviderError(error.record)
    if (details.kind !== 'unsupported') throw new ProviderError({ ...details, provider, model })
    return { tokens: await estimateRequestTokens(request, signal), estimated: true }
  }
}
