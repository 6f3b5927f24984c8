// What the host and the process that asks the keychain say to each other.

export type KeychainRequest =
  | { action: 'read'; account: string }
  | { action: 'write'; account: string; secret: string }
  | { action: 'delete'; account: string }

export type KeychainAnswer =
  /** `secret` is what the keychain holds now, undefined for nothing. */
  { type: 'answered'; secret: string | undefined } | { type: 'failed'; reason: string }
