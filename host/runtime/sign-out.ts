import { beginSession } from '../capabilities/sign-in-session.ts'
import { readProviderError } from '../contract/guest-values.ts'
import { raced } from '../contract/raced.ts'
import type { CredentialStore } from '../credentials/store.ts'
import { ProviderError } from '../errors.ts'
import { ReturnedError } from '../sandbox/life.ts'
import type { SignInTarget } from './sign-in.ts'

export interface SignOutResult {
  provider: string
  /** False where nothing was stored. */
  wasSignedIn: boolean
  /** What the extension could not do, e.g. tell the service. What was stored here is gone all the same. */
  failure?: Error
}

/** A service that does not answer keeps nobody signed in on this machine. */
const SIGN_OUT_MS = 15_000

/** Lets the extension tell its service, then forgets the credential, whatever came of it. */
export async function signOut(
  { host, provider, reference }: SignInTarget,
  store: CredentialStore,
  signal?: AbortSignal,
): Promise<SignOutResult> {
  const owner = { extension: host.id, provider }
  const wasSignedIn = (await store.describe(owner)) !== undefined
  if (!wasSignedIn) return { provider: reference, wasSignedIn }
  const limit = AbortSignal.timeout(SIGN_OUT_MS)
  const session = beginSession({
    provider,
    purpose: 'sign-out',
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  })
  let failure: Error | undefined
  try {
    await raced(host.callIn(session, 'signOut', [provider]), session.signal)
  } catch (error) {
    failure =
      error instanceof ReturnedError
        ? new ProviderError({ ...readProviderError(error.record), provider: reference })
        : error instanceof Error
          ? error
          : new Error(String(error))
  } finally {
    await session.end()
    await store.delete(owner)
  }
  signal?.throwIfAborted()
  return { provider: reference, wasSignedIn, ...(failure && { failure }) }
}
