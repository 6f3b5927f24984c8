import { AirlockError } from '../errors.ts'

export type CredentialErrorCode =
  /** What was entered is no credential: empty, several lines, not ASCII, or too long. */
  | 'invalid-credential'
  /** There is none that works: the user has to sign in. */
  | 'sign-in-needed'
  /** The file was torn or changed. It was moved aside; nothing is stored now. */
  | 'store-damaged'
  /** The key of the file is gone for good. The file was moved aside; nothing is stored now. */
  | 'key-lost'
  /** A newer version wrote the file, or it cannot be opened. It stays as it is. */
  | 'store-unreadable'
  /** The file's key is in a keychain that does not answer now. The file stays as it is. */
  | 'keychain-unreachable'
  /** The file is locked with a passphrase and none was given. It stays as it is. */
  | 'passphrase-needed'
  /** The file is locked with another passphrase. It stays as it is. */
  | 'wrong-passphrase'

/** A credential cannot be read, kept or used. No message holds any part of one. */
export class CredentialError extends AirlockError {
  declare readonly code: CredentialErrorCode

  constructor(code: CredentialErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
  }
}
