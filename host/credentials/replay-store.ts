import { createMemoryStore } from './memory-store.ts'
import { type CredentialOwner, type CredentialStore, newCredential, ownerKey } from './store.ts'

/** What stands where a recording needs a credential: it opens nothing. */
const REPLAYED = 'airlock-replayed-credential'

/**
 * For answers from a recording: whoever is asked for is signed in, with a credential that is none, until signed out.
 * What is kept is forgotten with the process, and nothing of the user's is read.
 */
export function createReplayStore(): CredentialStore {
  const store = createMemoryStore()
  const seen = new Set<string>()

  /** The store as it is once the owner has been signed in. */
  async function storeOf(owner: CredentialOwner): Promise<CredentialStore> {
    const key = ownerKey(owner)
    if (!seen.has(key)) {
      seen.add(key)
      await store.update(owner, now => now ?? newCredential(REPLAYED))
    }
    return store
  }

  return {
    get: async owner => (await storeOf(owner)).get(owner),
    describe: async owner => (await storeOf(owner)).describe(owner),
    set: async (owner, value, about) => (await storeOf(owner)).set(owner, value, about),
    delete: async owner => (await storeOf(owner)).delete(owner),
    update: async (owner, change) => (await storeOf(owner)).update(owner, change),
    withOwnerLock: store.withOwnerLock,
  }
}
