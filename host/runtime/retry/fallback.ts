import { CredentialError } from '../../credentials/credential-error.ts'
import {
  ExtensionError,
  InvalidComponentError,
  PermissionDeniedError,
  ProviderError,
  type ProviderErrorKind,
  UnknownNameError,
} from '../../errors.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** Whether the model `to` is asked in the place of `from`, which failed. */
export type FallbackRule = (
  error: unknown,
  models: { from: string; to: string },
) => boolean | Promise<boolean>

// Another model may well do what this one cannot. What is wrong with the request itself is wrong for all.
const KINDS: ReadonlySet<ProviderErrorKind> = new Set([
  'authentication',
  'permission',
  'rate-limited',
  'quota-exhausted',
  'overloaded',
  'context-length-exceeded',
  'model-not-found',
  'unsupported',
  'network',
])

// A model that there is not, an extension that may not or cannot run, a sign-in that has ended.
const ELSEWHERE_MENDED = [UnknownNameError, PermissionDeniedError, InvalidComponentError, CredentialError]

/** The rule where the caller gives none. */
export const defaultFallback: FallbackRule = error => {
  if (error instanceof ProviderError)
    return KINDS.has(error.kind) || (error.status ?? 0) >= 500 || error.cause instanceof ExtensionError
  return ELSEWHERE_MENDED.some(kind => error instanceof kind)
}

/** While another model is ready to answer, one that hesitates is not waited for long. */
export function retryBeforeFallback({ maxAttempts, maxWaitMs }: RetryPolicy): RetryPolicy {
  return { maxAttempts: Math.min(2, maxAttempts), maxWaitMs: Math.min(2_000, maxWaitMs) }
}
