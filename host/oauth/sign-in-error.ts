import { AirlockError } from '../errors.ts'

export type SignInErrorCode =
  /** The user, or the service on their behalf, said no. */
  | 'sign-in-denied'
  /** The service ended the sign-in with another error, which `serviceCode` names. */
  | 'sign-in-refused'
  /** Nobody answered within the time limit. */
  | 'sign-in-timed-out'
  /** The device code ran out before it was confirmed. */
  | 'sign-in-expired'
  /** The extension or the service named a URL that may not be opened or cannot be signed in with. */
  | 'sign-in-invalid-url'
  /** The service insists on a port of this machine that another program uses. */
  | 'sign-in-port-in-use'
  /** This machine does not let the host listen on its loopback address. */
  | 'sign-in-cannot-listen'
  /** No browser could be started. A sign-in goes on without one. */
  | 'browser-unavailable'

/** A sign-in did not come about. The message is for the user; it holds no code, state or token. */
export class SignInError extends AirlockError {
  declare readonly code: SignInErrorCode
  /** What the service itself called it, e.g. `access_denied`. */
  readonly serviceCode?: string

  constructor(code: SignInErrorCode, message: string, options: ErrorOptions & { serviceCode?: string } = {}) {
    const { serviceCode, ...errorOptions } = options
    super(code, message, errorOptions)
    if (serviceCode !== undefined) this.serviceCode = serviceCode
  }
}
