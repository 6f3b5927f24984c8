import type { CredentialFacts } from './store.ts'

/** Clocks differ, and a request takes a while to arrive. */
const SKEW_MS = 60_000

/** Whether a credential should be exchanged before it is sent. False where nobody said when it expires. */
export function isDue({ expiresAt }: Pick<CredentialFacts, 'expiresAt'>, now: number = Date.now()): boolean {
  return expiresAt !== undefined && expiresAt - SKEW_MS <= now
}
