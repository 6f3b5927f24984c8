/** Whose credential it is. Both names come from the channel that a guest speaks through, never from the guest. */
export interface CredentialOwner {
  extension: string
  provider: string
}

/** Keeps secrets by owner. Nobody but the owner's calls reaches a credential: there is no way to list them. */
export interface CredentialStore {
  /** Undefined where nothing is stored. */
  get(owner: CredentialOwner): Promise<string | undefined>
  /** Replaces what was stored. */
  set(owner: CredentialOwner, value: string): Promise<void>
  /** Does nothing where nothing is stored. */
  delete(owner: CredentialOwner): Promise<void>
}
