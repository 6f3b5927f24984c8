import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import type { ModelInfo } from '../contract/models.ts'
import type { parseRequest } from '../contract/request.ts'
import { toGuestRequest } from '../contract/to-guest.ts'
import { ProviderError } from '../errors.ts'
import { type CompletionTarget, infoWithin } from './completion-target.ts'
import { countTokens } from './count-tokens.ts'
import { estimateTextTokens, textOf } from './estimate-tokens.ts'
import { checkFit, mayNotFit } from './fit.ts'
import { placeCacheAnchors } from './prompt-cache.ts'
import { cacheConfigurationOf } from './provider-facts.ts'
import type { CredentialRefresh } from './refresh.ts'

type ParsedRequest = ReturnType<typeof parseRequest>

// A window of fewer tokens is not worth asking a provider for, before it is asked the question itself.
const SMALLEST_WINDOW = 8_192
// A provider that does not list its models in this time gets the request unchecked.
const INFO_MS = 3_000

/**
 * The contract's request for one model: cache anchors, schemas in the model's form, and the certainty that it fits.
 * @throws {ProviderError} `context-length-exceeded`, or `unsupported` for too many tools, before anything is sent.
 */
export async function prepareRequest(
  target: CompletionTarget,
  request: ParsedRequest,
  { withCredential, signal }: Pick<CredentialRefresh, 'withCredential'> & { signal: AbortSignal },
): Promise<GuestRequest> {
  const encoded = await encode(target, await withAnchors(target, request))
  const info = await infoToFit(target, encoded)
  if (!info) return encoded
  refuseTooManyTools(encoded, info)
  await checkFit(encoded, {
    info,
    estimate: () => estimateTextTokens(textOf(encoded), signal),
    count: () => countTokens(target, encoded, { withCredential, signal }),
  })
  return encoded
}

function refuseTooManyTools(
  { tools }: GuestRequest,
  { capabilities: { maxTools }, reference }: ModelInfo,
): void {
  if (maxTools === undefined || tools.length <= maxTools) return
  throw new ProviderError({
    kind: 'unsupported',
    message: `Cannot send this request: it has ${tools.length} tools, and ${reference} takes at most ${maxTools}`,
  })
}

/** What is known of the model, asked for only where the request is so large that it matters. */
async function infoToFit(target: CompletionTarget, request: GuestRequest): Promise<ModelInfo | undefined> {
  const known = target.knownInfo()
  if (known || !mayNotFit(request, SMALLEST_WINDOW)) return known
  return infoWithin(target, INFO_MS)
}

/** Sets the cache anchors where the caller leaves that to the host. */
async function withAnchors(target: CompletionTarget, request: ParsedRequest): Promise<ParsedRequest> {
  if (request.cache !== 'auto') return request
  const configuration = await cacheConfigurationOf(target, target.model)
  return configuration
    ? { ...request, messages: placeCacheAnchors(request.messages, configuration) }
    : request
}

/** Schemas are written in the form that the model takes, for which it has to be known. */
async function encode({ toolInputFormat }: CompletionTarget, request: ParsedRequest): Promise<GuestRequest> {
  const hasSchemas = (request.tools?.length ?? 0) > 0 || request.responseFormat !== undefined
  return toGuestRequest(request, hasSchemas ? { toolInputFormat: await toolInputFormat() } : {})
}
