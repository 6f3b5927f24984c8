/** Whose credential it is. Both names come from the channel that a guest speaks through, never from the guest. */
export interface CredentialOwner {
  extension: string
  provider: string
}

/** What may be shown about a credential: everything but the secret. Times are milliseconds since 1970. */
export interface CredentialFacts {
  /** When the user signed in. A refresh does not change it. */
  since: number
  /** Id of the sign-in option that was used, where one was. */
  option?: string
  /** When the service stops taking it, where the service said. */
  expiresAt?: number
  /** When it was last exchanged for a new one. */
  refreshedAt?: number
}

export interface Credential extends CredentialFacts {
  value: string
}

/** Keeps secrets by owner. Nobody but the owner's calls reaches a credential: there is no way to list them. */
export interface CredentialStore {
  /** Undefined where nothing is stored. */
  get(owner: CredentialOwner): Promise<string | undefined>
  /** What `status` shows. Undefined where nothing is stored. */
  describe(owner: CredentialOwner): Promise<CredentialFacts | undefined>
  /** A new sign-in: replaces what was stored, and what was known about it. */
  set(
    owner: CredentialOwner,
    value: string,
    about?: Pick<CredentialFacts, 'option' | 'expiresAt'>,
  ): Promise<void>
  /** Does nothing where nothing is stored. */
  delete(owner: CredentialOwner): Promise<void>
  /**
   * One step that nobody sees half of: `change` gets what is stored and returns what shall be, undefined for
   * nothing, the very object that it was given for no change. Resolves to what is stored then, once it is safe from a
   * crash. `change` may run more than once.
   */
  update(
    owner: CredentialOwner,
    change: (current: Credential | undefined) => Credential | undefined,
  ): Promise<Credential | undefined>
  /**
   * Runs `work` while nobody else, in this process or another, is inside such a call for this owner. The other
   * methods do not wait for it, so `work` may call them; it must not call this one.
   */
  withOwnerLock<T>(owner: CredentialOwner, work: () => Promise<T>): Promise<T>
}

/** The owner as a key of a map. As JSON, so that no pair of names can be spelled like another pair. */
export function ownerKey({ extension, provider }: CredentialOwner): string {
  return JSON.stringify([extension, provider])
}

/** A credential that was just signed in with. */
export function newCredential(
  value: string,
  { option, expiresAt }: Pick<CredentialFacts, 'option' | 'expiresAt'> = {},
): Credential {
  return {
    value,
    since: Date.now(),
    ...(option !== undefined && { option }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** What may be shown of it. */
export function factsOf({ since, option, expiresAt, refreshedAt }: Credential): CredentialFacts {
  return {
    since,
    ...(option !== undefined && { option }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(refreshedAt !== undefined && { refreshedAt }),
  }
}
