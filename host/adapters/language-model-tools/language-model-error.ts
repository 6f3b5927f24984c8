import { CredentialError } from '../../credentials/credential-error.ts'
import { AirlockError, PermissionDeniedError, ProviderError, UnknownNameError } from '../../errors.ts'
import { SignInError } from '../../oauth/sign-in-error.ts'
import { CancellationError } from './cancellation.ts'

/** A model's arguments that cannot be read. */
export interface UnreadableToolCall {
  id: string
  name: string
  rawInput: string
  error: string
}

/**
 * What a model, or the way to it, failed with. `code` is `NotFound`, `NoPermissions`, `Blocked`, `InvalidToolCall`, or
 * Airlock's own; the error of Airlock is the `cause`, with the status, the wait and what had come.
 */
export class LanguageModelError extends Error {
  readonly code: string
  /** Of `InvalidToolCall`: the calls. Answer them with an error, or ask again; never run them. */
  declare readonly toolCalls?: readonly UnreadableToolCall[]

  constructor(
    message: string,
    code = '',
    options?: ErrorOptions & { toolCalls?: readonly UnreadableToolCall[] },
  ) {
    super(message, options)
    this.name = 'LanguageModelError'
    this.code = code
    if (options?.toolCalls) this.toolCalls = options.toolCalls
  }

  static NotFound(message = 'There is no such model', options?: ErrorOptions): LanguageModelError {
    return new LanguageModelError(message, 'NotFound', options)
  }

  static NoPermissions(message = 'The model may not be used', options?: ErrorOptions): LanguageModelError {
    return new LanguageModelError(message, 'NoPermissions', options)
  }

  static Blocked(message = 'The service does not answer this', options?: ErrorOptions): LanguageModelError {
    return new LanguageModelError(message, 'Blocked', options)
  }
}

/** What code written for this interface expects. A mistake of the caller's own stays what it is. */
export function toLanguageModelError(error: unknown): unknown {
  if (error instanceof CancellationError || error instanceof LanguageModelError) return error
  if (error instanceof DOMException && error.name === 'AbortError')
    return new CancellationError(undefined, { cause: error })
  if (!(error instanceof AirlockError)) return error
  const { message } = error
  const cause = { cause: error }
  if (error instanceof UnknownNameError) return LanguageModelError.NotFound(message, cause)
  if (
    error instanceof PermissionDeniedError ||
    error instanceof CredentialError ||
    error instanceof SignInError
  )
    return LanguageModelError.NoPermissions(message, cause)
  if (!(error instanceof ProviderError)) return error
  switch (error.kind) {
    case 'model-not-found':
      return LanguageModelError.NotFound(message, cause)
    case 'authentication':
    case 'permission':
      return LanguageModelError.NoPermissions(message, cause)
    case 'quota-exhausted':
    case 'content-filtered':
      return LanguageModelError.Blocked(message, cause)
    default:
      return new LanguageModelError(message, error.kind, cause)
  }
}
