import { createMemoryStore } from './memory-store.ts'
import type { CredentialStore } from './store.ts'

/** What stands where a recording needs a credential: it opens nothing. */
const REPLAYED = 'airlock-replayed-credential'

/**
 * For answers from a recording: everybody is signed in, with a credential that is none. What is kept is forgotten with
 * the process, and nothing of the user's is read.
 */
export function createReplayStore(): CredentialStore {
  const store = createMemoryStore()
  return {
    ...store,
    get: async owner => (await store.get(owner)) ?? REPLAYED,
  }
}
