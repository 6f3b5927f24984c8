import { ProviderError, UnknownNameError } from '../../errors.ts'

export type ModelType =
  | 'languageModel'
  | 'embeddingModel'
  | 'imageModel'
  | 'transcriptionModel'
  | 'speechModel'
  | 'rerankingModel'

// The SDK takes no advice of a minute or more: it would ask again after 2 seconds, against a closed door.
const LONGEST_SDK_WAIT_MS = 60_000

/**
 * An error as the SDK knows it: by marker, since no class of the SDK is loaded here. The Airlock error is its `cause`.
 * What the SDK has no word for stays what it is, and the SDK does not retry it.
 */
export function toSdkError(error: unknown, modelId: string): unknown {
  if (error instanceof UnknownNameError) return noSuchModel(modelId, 'languageModel', error.message, error)
  if (!(error instanceof ProviderError)) return error
  if (error.kind === 'model-not-found') return noSuchModel(modelId, 'languageModel', error.message, error)
  if (error.kind === 'unsupported' && error.status === undefined)
    return unsupportedFunctionality(error.message, error)
  return apiCallError(error, modelId)
}

/** `AI_NoSuchModelError`. */
export function noSuchModel(
  modelId: string,
  modelType: ModelType,
  message = `No such ${modelType}: ${modelId}`,
  cause?: unknown,
): Error {
  return sdkError('AI_NoSuchModelError', message, { modelId, modelType }, cause)
}

/** `AI_UnsupportedFunctionalityError`. */
export function unsupportedFunctionality(functionality: string, cause?: unknown): Error {
  return sdkError('AI_UnsupportedFunctionalityError', functionality, { functionality }, cause)
}

/** `AI_APICallError`: what the SDK retries, by its own `maxRetries`, where `isRetryable` says so. */
function apiCallError(error: ProviderError, modelId: string): Error {
  const { kind, code, status, retryAfterMs, provider } = error
  const isLongWait = retryAfterMs !== undefined && retryAfterMs >= LONGEST_SDK_WAIT_MS
  return sdkError(
    'AI_APICallError',
    error.message,
    {
      // The URL stays on the other side of the sandbox: which model was asked is what can be told.
      url: `airlock:${modelId}`,
      requestBodyValues: { model: modelId },
      statusCode: status,
      responseHeaders: retryAfterMs === undefined ? {} : retryHeaders(retryAfterMs),
      responseBody: undefined,
      isRetryable: isRetryable(error) && !isLongWait,
      data: { kind, code, provider },
    },
    error,
  )
}

/** The SDK looks these up in lower case; the finer one first. */
function retryHeaders(retryAfterMs: number): Record<string, string> {
  return { 'retry-after-ms': `${retryAfterMs}`, 'retry-after': `${Math.ceil(retryAfterMs / 1000)}` }
}

function isRetryable({ kind, status }: ProviderError): boolean {
  if (kind === 'rate-limited' || kind === 'overloaded' || kind === 'network') return true
  return kind === 'other' && status !== undefined && (status === 408 || status === 409 || status >= 500)
}

function sdkError(name: string, message: string, fields: Record<string, unknown>, cause: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause })
  for (const marker of ['vercel.ai.error', `vercel.ai.error.${name}`])
    Object.defineProperty(error, Symbol.for(marker), { value: true })
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  return Object.assign(error, fields)
}
