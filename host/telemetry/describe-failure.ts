import { AirlockError, ProviderError, type ProviderErrorKind } from '../errors.ts'

/** What went wrong, as data: for a log or an event, which hold no objects. */
export interface Failure {
  /** One of few values: the kind of a provider's error, the code of another, or the name of its class. */
  type: string
  message: string
  /** Of an error of Airlock. */
  code?: string
  /** Of a provider's error. */
  kind?: ProviderErrorKind
  /** HTTP status, where one came. */
  status?: number
}

/** An error's own words, from which secrets are gone; neither its cause nor what had been answered. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ProviderError) {
    const { message, code, kind, status } = error
    return { type: typeOf(error), message, code, kind, ...(status !== undefined && { status }) }
  }
  if (error instanceof AirlockError) return { type: error.code, message: error.message, code: error.code }
  if (error instanceof Error) return { type: error.name, message: error.message }
  // A caller may abort with anything.
  return { type: '_OTHER', message: typeof error === 'string' ? error : '' }
}

/** These two say less than the code does. */
function typeOf({ kind, code }: ProviderError): string {
  return kind === 'other' || kind === 'network' ? code : kind
}
