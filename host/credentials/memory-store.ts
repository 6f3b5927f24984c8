import {
  type Credential,
  type CredentialOwner,
  type CredentialStore,
  factsOf,
  newCredential,
  ownerKey,
} from './store.ts'
import { createTurns } from './turns.ts'

/** A store that ends with the process: for tests, and for callers that keep credentials themselves. */
export function createMemoryStore(
  initial: Iterable<readonly [owner: CredentialOwner, value: string]> = [],
): CredentialStore {
  const credentials = new Map<string, Credential>()
  const turns = createTurns()
  for (const [owner, value] of initial) credentials.set(ownerKey(owner), newCredential(value))
  return {
    get: async owner => credentials.get(ownerKey(owner))?.value,
    async describe(owner) {
      const credential = credentials.get(ownerKey(owner))
      return credential && factsOf(credential)
    },
    async set(owner, value, about) {
      credentials.set(ownerKey(owner), newCredential(value, about))
    },
    async delete(owner) {
      credentials.delete(ownerKey(owner))
    },
    async update(owner, change) {
      const next = change(credentials.get(ownerKey(owner)))
      if (next) credentials.set(ownerKey(owner), next)
      else credentials.delete(ownerKey(owner))
      return next
    },
    withOwnerLock: (owner, work) => turns.take(ownerKey(owner), work),
  }
}
