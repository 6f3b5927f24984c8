import type { CredentialOwner, CredentialStore } from './store.ts'

/** A store that ends with the process: for tests, and for callers that keep credentials themselves. */
export function createMemoryStore(
  initial: Iterable<readonly [owner: CredentialOwner, value: string]> = [],
): CredentialStore {
  const values = new Map<string, string>()
  for (const [owner, value] of initial) values.set(keyOf(owner), value)
  return {
    get: async owner => values.get(keyOf(owner)),
    set: async (owner, value) => {
      values.set(keyOf(owner), value)
    },
    delete: async owner => {
      values.delete(keyOf(owner))
    },
  }
}

/** As JSON, so that no pair of names can be spelled like another pair. */
function keyOf({ extension, provider }: CredentialOwner): string {
  return JSON.stringify([extension, provider])
}
