import { AirlockError } from '../errors.ts'

/** The command line cannot be understood, or asks for what cannot be. Exit code 2. */
export class UsageError extends AirlockError {
  constructor(message: string, options?: ErrorOptions) {
    super('wrong-usage', message, options)
  }
}

/** The user was asked, or could not be asked, and did not agree. Exit code 4. */
export class NotAgreedError extends AirlockError {
  constructor(message: string, options?: ErrorOptions) {
    super('not-agreed', message, options)
  }
}

/** Ctrl-C, or the signal of a parent. Exit code 130. */
export class InterruptedError extends AirlockError {
  constructor() {
    super('interrupted', 'Interrupted.')
  }
}

/** Standard output is a file that cannot be written to: the disk is full, or the device is broken. Exit code 1. */
export class OutputError extends AirlockError {
  constructor(cause: Error) {
    super('output-failed', `Cannot write the result: ${cause.message}`, { cause })
  }
}

/** Whoever read standard output has gone, as in `airlock models | head -1`. Not a failure. */
export class ClosedPipeError extends AirlockError {
  constructor() {
    super('closed-pipe', 'Nobody reads standard output any more.')
  }
}
