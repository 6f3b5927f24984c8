import type { CredentialFacts } from './store.ts'

/** Clocks differ, and a request takes a while to arrive. */
const MAX_SKEW_MS = 60_000

/**
 * Whether a credential should be exchanged before it is sent: a minute before it ends, at most a tenth of its life,
 * so that a short one is used at all. False where nobody said when it expires.
 */
export function isDue(
  { expiresAt, since = 0, refreshedAt = since }: Partial<CredentialFacts>,
  now: number = Date.now(),
): boolean {
  if (expiresAt === undefined) return false
  const lifetimeMs = Math.max(0, expiresAt - refreshedAt)
  return expiresAt - Math.min(MAX_SKEW_MS, lifetimeMs / 10) <= now
}
