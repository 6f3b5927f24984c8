import { beginSession } from '../capabilities/sign-in-session.ts'
import { readProviderError } from '../contract/guest-values.ts'
import { expiryOf } from '../credentials/credential-document.ts'
import { CredentialError } from '../credentials/credential-error.ts'
import { isDue } from '../credentials/expiry.ts'
import { createRefresher, type RefreshAnswer } from '../credentials/refresh-once.ts'
import type { Credential, CredentialStore } from '../credentials/store.ts'
import { ProviderError } from '../errors.ts'
import { ReturnedError } from '../sandbox/life.ts'
import type { ExtensionHost } from './extension-host.ts'
import type { LogEntry } from './log.ts'

/** Whose credential a call needs. */
export interface CredentialUser {
  host: ExtensionHost
  provider: string
}

/** Keeps credentials usable: exchanges one that is about to end or was refused, once for everybody who waits. */
export interface CredentialRefresh {
  /**
   * Runs `attempt` with a credential that has not ended. Where the service refuses it all the same, the extension is
   * asked for another, and `attempt` runs once more, unless `isTouched` says that the caller has got something already.
   * @throws {CredentialError} `sign-in-needed` where only the user can get another
   */
  withCredential<T>(
    user: CredentialUser,
    attempt: () => Promise<T>,
    options?: { signal?: AbortSignal | undefined; isTouched?: () => boolean },
  ): Promise<T>
  /** Resolves when no exchange is under way. */
  settled(): Promise<void>
}

export function createCredentialRefresh(
  store: CredentialStore,
  log: (entry: LogEntry) => void,
): CredentialRefresh {
  const refresher = createRefresher({ store })

  function refresh({ host, provider }: CredentialUser, used: string, signal: AbortSignal | undefined) {
    return refresher.refresh(
      { extension: host.id, provider },
      used,
      (current, stop) => askExtension(host, provider, current, stop),
      signal ? { signal } : {},
    )
  }

  async function askExtension(
    host: ExtensionHost,
    provider: string,
    current: Credential,
    signal: AbortSignal,
  ): Promise<RefreshAnswer> {
    const session = beginSession({ provider, purpose: 'refresh', signal })
    try {
      if ((await host.callIn(session, 'refreshCredential', [provider])) !== true) return { type: 'unchanged' }
    } catch (error) {
      if (!(error instanceof ReturnedError)) throw error
      const failure = new ProviderError({ ...readProviderError(error.record), provider })
      if (failure.kind !== 'authentication') throw failure
      log({ level: 'info', extension: host.id, message: failure.message, time: Date.now() })
      return { type: 'refused' }
    } finally {
      await session.end()
    }
    const value = await store.get({ extension: host.id, provider })
    if (value === undefined || value === current.value) return { type: 'unchanged' }
    const expiresAt = expiryOf(value)
    return { type: 'refreshed', value, ...(expiresAt !== undefined && { expiresAt }) }
  }

  /** The credential that the next call is going to use, exchanged first where it is about to end. */
  async function prepare(user: CredentialUser, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { host, provider } = user
    const owner = { extension: host.id, provider }
    const facts = await store.describe(owner)
    if (facts === undefined) return undefined
    const used = await store.get(owner)
    if (used === undefined || !isDue(facts)) return used
    try {
      return (await refresh(user, used, signal)) ?? used
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof CredentialError) throw error
      // It may still be good for a minute; if it is not, the service says so, and the failure counts then.
      const message = `Cannot renew the sign-in yet: ${error instanceof Error ? error.message : String(error)}`
      log({ level: 'warn', extension: host.id, message, time: Date.now() })
      return used
    }
  }

  return {
    async withCredential(user, attempt, { signal, isTouched = () => false } = {}) {
      const used = await prepare(user, signal)
      try {
        return await attempt()
      } catch (error) {
        if (used === undefined || !isRefusal(error) || isTouched()) throw error
        if ((await refresh(user, used, signal)) === undefined) throw error
        signal?.throwIfAborted()
        return await attempt()
      }
    },
    settled: refresher.settled,
  }
}

/** The service does not take the credential. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ProviderError) return error.kind === 'authentication'
  return error instanceof ReturnedError && readProviderError(error.record).kind === 'authentication'
}
