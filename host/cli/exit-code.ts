import { CredentialError } from '../credentials/credential-error.ts'
import {
  InvalidOptionError,
  InvalidRequestError,
  PermissionDeniedError,
  ProviderError,
  UnknownNameError,
} from '../errors.ts'
import { ClosedPipeError, InterruptedError, NotAgreedError, UsageError } from './cli-errors.ts'

export const EXIT = {
  done: 0,
  failed: 1,
  /** Something on the command line, or in the request that it names, has to be written differently. */
  wrongUsage: 2,
  /** The service wants a credential that it was not given, or does not accept the one it was given. */
  signInNeeded: 3,
  /** A permission is missing: of the extension on this machine, or of the account at the service. */
  permissionMissing: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What the process ends with after `error`. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ClosedPipeError) return EXIT.done
  if (error instanceof InterruptedError) return EXIT.interrupted
  if (error instanceof PermissionDeniedError || error instanceof NotAgreedError) return EXIT.permissionMissing
  if (error instanceof ProviderError) {
    if (error.cause instanceof PermissionDeniedError || error.kind === 'permission')
      return EXIT.permissionMissing
    return error.kind === 'authentication' ? EXIT.signInNeeded : EXIT.failed
  }
  if (error instanceof CredentialError && error.code === 'sign-in-needed') return EXIT.signInNeeded
  const isUsage =
    (error instanceof CredentialError && error.code === 'invalid-credential') ||
    error instanceof UsageError ||
    error instanceof InvalidRequestError ||
    error instanceof InvalidOptionError ||
    error instanceof UnknownNameError
  return isUsage ? EXIT.wrongUsage : EXIT.failed
}
