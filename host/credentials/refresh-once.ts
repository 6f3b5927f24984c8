import { raced } from '../contract/raced.ts'
import { CredentialError } from './credential-error.ts'
import {
  type Credential,
  type CredentialOwner,
  type CredentialStore,
  newCredential,
  ownerKey,
} from './store.ts'

/** The other processes' completions wait meanwhile, and a token server that needs longer is not coming back. */
const REFRESH_MS = 30_000

/** What came of asking the service for a new credential. A network failure is none of these: it is thrown. */
export type RefreshAnswer =
  | { type: 'refreshed'; value: string; expiresAt?: number }
  /** The service takes this credential for dead, e.g. `invalid_grant`: only the user can get another. */
  | { type: 'refused' }
  /** There is nothing to exchange, e.g. an API key. */
  | { type: 'unchanged' }

/** Asks the service. `current` is what is stored now, which may be newer than what the caller had used. */
export type AskForRefresh = (current: Credential, signal: AbortSignal) => Promise<RefreshAnswer>

export interface Refresher {
  /**
   * The credential to use in place of `used`, which was refused or is about to expire. However many ask, here and in
   * other processes, the service is asked once: the others get what it gave. By the time this resolves it is stored.
   * Undefined where there is no other and a repeat is pointless. Aborting `signal` ends the waiting, never the
   * exchange: others wait for it, and a rotated token that nobody hears of is lost.
   * @throws {CredentialError} `sign-in-needed` where nothing is stored any more, or the service refused it.
   */
  refresh(
    owner: CredentialOwner,
    used: string,
    ask: AskForRefresh,
    options?: { signal?: AbortSignal },
  ): Promise<string | undefined>
  /** Resolves when no exchange is under way. To be awaited before the process ends: see what aborting does not do. */
  settled(): Promise<void>
}

export interface RefresherOptions {
  store: CredentialStore
  /** Longest that one exchange may take, ms; then `ask` is told to give up. Default: 30 s. */
  refreshMs?: number
}

/** One for all who use the store in this process. */
export function createRefresher({ store, refreshMs = REFRESH_MS }: RefresherOptions): Refresher {
  /** By owner, then by the credential that was used. */
  const flights = new Map<string, Map<string, Promise<string | undefined>>>()
  /** What the service gave and the store did not take, e.g. a full disk: the one before it is worth nothing now. */
  const unsaved = new Map<string, { from: string; next: Credential }>()

  function flight(owner: CredentialOwner, used: string, ask: AskForRefresh): Promise<string | undefined> {
    const key = ownerKey(owner)
    const ofOwner = flights.get(key) ?? new Map<string, Promise<string | undefined>>()
    flights.set(key, ofOwner)
    const running = ofOwner.get(used)
    if (running) return running
    const started = refreshAlone(owner, used, ask).finally(() => {
      ofOwner.delete(used)
      if (ofOwner.size === 0) flights.delete(key)
    })
    // Everybody who waited may have left.
    started.catch(() => {})
    ofOwner.set(used, started)
    return started
  }

  function refreshAlone(
    owner: CredentialOwner,
    used: string,
    ask: AskForRefresh,
  ): Promise<string | undefined> {
    return store.withOwnerLock(owner, async () => {
      await saveWhatWasNot(owner)
      const current = await readCurrent(store, owner)
      // Somebody else was first.
      if (current.value !== used) return current.value
      const answer = await ask(current, AbortSignal.timeout(refreshMs))
      switch (answer.type) {
        case 'refreshed':
          return save(owner, current.value, exchanged(current, answer))
        case 'refused':
          return forget(store, owner, current.value)
        case 'unchanged': {
          // The user may have signed in anew meanwhile.
          const { value } = await readCurrent(store, owner)
          return value === used ? undefined : value
        }
        default:
          return answer satisfies never
      }
    })
  }

  /** Stores it in place of `from`, and of nothing else: a new sign-in or a sign-out in between has the last word. */
  async function save(owner: CredentialOwner, from: string, next: Credential): Promise<string> {
    unsaved.set(ownerKey(owner), { from, next })
    const stored = await store.update(owner, now => (now?.value === from ? next : now))
    unsaved.delete(ownerKey(owner))
    if (!stored) throw signInNeeded(owner)
    return stored.value
  }

  async function saveWhatWasNot(owner: CredentialOwner): Promise<void> {
    const kept = unsaved.get(ownerKey(owner))
    if (kept) await save(owner, kept.from, kept.next)
  }

  return {
    async refresh(owner, used, ask, { signal } = {}) {
      signal?.throwIfAborted()
      const shared = flight(owner, used, ask)
      return signal ? raced(shared, signal) : shared
    },
    async settled() {
      while (flights.size > 0)
        await Promise.allSettled([...flights.values()].flatMap(ofOwner => [...ofOwner.values()]))
    },
  }
}

/** The new one: its own expiry or none, the sign-in it goes back to as before. */
function exchanged(
  { since, option }: Credential,
  { value, expiresAt }: Extract<RefreshAnswer, { type: 'refreshed' }>,
): Credential {
  return {
    ...newCredential(value, {
      ...(option !== undefined && { option }),
      ...(expiresAt !== undefined && { expiresAt }),
    }),
    since,
    refreshedAt: Date.now(),
  }
}

async function readCurrent(store: CredentialStore, owner: CredentialOwner): Promise<Credential> {
  // A change that changes nothing: value and facts of one moment.
  const current = await store.update(owner, now => now)
  if (!current) throw signInNeeded(owner)
  return current
}

/** Looks again before anything is deleted: what was refused may not be what is stored by now. */
async function forget(store: CredentialStore, owner: CredentialOwner, refused: string): Promise<string> {
  const stored = await store.update(owner, now => (now?.value === refused ? undefined : now))
  if (!stored) throw signInNeeded(owner)
  return stored.value
}

function signInNeeded({ provider }: CredentialOwner): CredentialError {
  return new CredentialError(
    'sign-in-needed',
    `You are not signed in to "${provider}", or no longer: run \`airlock login ${provider}\``,
  )
}
