import { CredentialError } from '../credentials/credential-error.ts'
import {
  AirlockError,
  InvalidRequestError,
  PermissionDeniedError,
  ProviderError,
  type ProviderErrorKind,
  TransportError,
  UnknownNameError,
} from '../errors.ts'
import { NotAgreedError, UsageError } from './cli-errors.ts'

/** The last line that a failed command prints with `--json`. */
export interface ErrorObject {
  type: 'error'
  error: {
    /**
     * One of the kinds of `ProviderError`, also for errors that come from this side: `invalid-request` for wrong
     * usage, `model-not-found` for an unknown model, `permission` for a missing grant, `network` for transport;
     * `other` for the rest, which `code` tells apart.
     */
    kind: ProviderErrorKind
    message: string
    /** HTTP status, where one came. */
    status?: number
    /** Stable; the service's own where it gave one. */
    code: string
    retryAfterMs?: number
  }
}

export function errorObject(error: unknown): ErrorObject {
  const code = error instanceof AirlockError ? error.code : 'unexpected'
  const shown = { kind: kindOf(error), message: messageOf(error) }
  if (!(error instanceof ProviderError)) return { type: 'error', error: { ...shown, code } }
  const { status, retryAfterMs } = error
  return {
    type: 'error',
    error: {
      ...shown,
      ...(status === undefined ? {} : { status }),
      code,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  }
}

/** The sentence for a person. Names that look like what was typed are in it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!(error instanceof UnknownNameError)) return error.message
  const [first] = error.nearest
  if (first === undefined || error.message.includes(first)) return error.message
  return `${error.message.replace(/[.?]?$/, '.')} Did you mean ${error.nearest.join(' or ')}?`
}

function kindOf(error: unknown): ProviderErrorKind {
  if (error instanceof ProviderError) return error.kind
  if (error instanceof UsageError || error instanceof InvalidRequestError) return 'invalid-request'
  if (error instanceof PermissionDeniedError || error instanceof NotAgreedError) return 'permission'
  if (error instanceof TransportError) return 'network'
  if (error instanceof CredentialError && error.code === 'sign-in-needed') return 'authentication'
  if (error instanceof CredentialError && error.code === 'invalid-credential') return 'invalid-request'
  if (error instanceof UnknownNameError && error.code === 'unknown-model') return 'model-not-found'
  return 'other'
}
