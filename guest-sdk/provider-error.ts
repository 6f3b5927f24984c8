export type ProviderErrorKind =
  /** No credential, or one that the service refuses. */
  | 'authentication'
  /** The credential is good but may not do this. */
  | 'permission'
  | 'rate-limited'
  /** Out of credit or quota: waiting does not help. */
  | 'quota-exhausted'
  /** The service has no capacity now. */
  | 'overloaded'
  | 'context-length-exceeded'
  | 'model-not-found'
  | 'content-filtered'
  | 'invalid-request'
  | 'unsupported'
  | 'network'
  | 'other'

export interface ProviderErrorDetails {
  kind: ProviderErrorKind
  /** For a person; never holds a secret. */
  message: string
  /** HTTP status, where one came. */
  status?: number | undefined
  /** The service's own error code. */
  code?: string | undefined
  /** How long the service asked to wait, milliseconds. Absent where it did not say. */
  retryAfterMs?: number | undefined
}

/** What a provider throws when a call fails for a reason that the caller should know by kind. */
export class ProviderError extends Error implements ProviderErrorDetails {
  readonly kind: ProviderErrorKind
  readonly status: number | undefined
  readonly code: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(details: ProviderErrorDetails, options?: ErrorOptions) {
    super(details.message, options)
    this.name = 'ProviderError'
    this.kind = details.kind
    this.status = details.status
    this.code = details.code
    this.retryAfterMs = details.retryAfterMs
  }
}
