import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import { readProviderError } from '../contract/guest-values.ts'
import {
  AirlockError,
  ExtensionError,
  PermissionDeniedError,
  ProviderError,
  TransportError,
} from '../errors.ts'
import { ReturnedError } from '../sandbox/life.ts'

/** Where a completion was when it failed. */
export interface FailurePlace {
  extension: string
  provider: string
  model: string
  partial: readonly CompletionEvent[]
  usage: TokenUsage | undefined
  attempts?: number
}

/**
 * What the caller gets: a ProviderError that knows where it happened, whatever the cause. Errors that say what the
 * caller has to change (a permission, a request, a sign-in) stay what they are.
 */
export function toCallerError(
  error: unknown,
  { extension, provider, model, partial, usage, attempts }: FailurePlace,
): unknown {
  const where = {
    provider,
    model,
    partial: [...partial],
    ...(usage && { usage }),
    ...(attempts !== undefined && { attempts }),
  }
  if (error instanceof PermissionDeniedError) return error
  if (error instanceof ProviderError) {
    const { kind, message, status, retryAfterMs, code } = error
    return new ProviderError({
      kind,
      message,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(code !== kind && { providerCode: code }),
      ...where,
      cause: error.cause,
    })
  }
  if (error instanceof ReturnedError)
    return new ProviderError({ ...readProviderError(error.record), ...where })
  if (error instanceof TransportError) {
    return new ProviderError({
      kind: 'network',
      message: error.message,
      providerCode: error.code,
      ...where,
      cause: error,
    })
  }
  if (error instanceof ExtensionError) {
    return new ProviderError({
      kind: 'other',
      message: error.message,
      providerCode: error.code,
      ...where,
      cause: error,
    })
  }
  if (error instanceof AirlockError) return error
  const broke = new ExtensionError(
    'extension-broke-contract',
    extension,
    `Extension "${extension}" broke the contract: it returned ${String((error as Error)?.message ?? error)}`,
    { cause: error },
  )
  return new ProviderError({
    kind: 'other',
    message: broke.message,
    providerCode: broke.code,
    ...where,
    cause: broke,
  })
}
