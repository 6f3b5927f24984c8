// Sessions whose token is no object cannot be forgotten with it.
const MAX_NAMED_SESSIONS = 1_000

/** What was allowed for a session. Objects are forgotten with their session; of other tokens, the newest are kept. */
export function createSessionAnswers() {
  const byObject = new WeakMap<WeakKey, Set<string>>()
  const byName = new Map<unknown, Set<string>>()

  function find(session: unknown): Set<string> | undefined {
    return isObject(session) ? byObject.get(session) : byName.get(session)
  }

  return {
    has: (session: unknown, key: string) => find(session)?.has(key) ?? false,
    /** Without a session there is nothing that it could hold for. */
    add(session: unknown, key: string): void {
      if (session === undefined || session === null) return
      const answers = find(session) ?? new Set()
      answers.add(key)
      if (isObject(session)) byObject.set(session, answers)
      else byName.set(session, answers)
      if (byName.size > MAX_NAMED_SESSIONS) byName.delete(byName.keys().next().value)
    },
  }
}

function isObject(session: unknown): session is WeakKey {
  return (typeof session === 'object' && session !== null) || typeof session === 'function'
}
