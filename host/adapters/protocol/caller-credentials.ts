import { createHash } from 'node:crypto'
import { raced } from '../../contract/raced.ts'
import type { SignInOption } from '../../contract/sign-in.ts'
import { CredentialError } from '../../credentials/credential-error.ts'
import { InvalidOptionError, ProviderError } from '../../errors.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import type { Credentials } from './shape.ts'

export interface CallerCredentials {
  /**
   * Sees to it that the call which follows is made with these credentials, and with no others until `release`.
   * @throws {CredentialError} a required field is missing, there is no such field or no form at all, or a value
   * cannot be sent
   */
  hold(credentials: Credentials, signal: AbortSignal | undefined): Promise<{ release(): void }>
  /** Where the service refused them, who brings them again signs in again. */
  forgetRefused(error: unknown): void
}

/**
 * Credentials that come with each call. An airlock holds one credential of a provider, so the call signs in first, by
 * the provider's form, where it brings others than the call before; that waits until no request of the earlier ones is
 * on its way. Nothing but the digest of what was entered is kept here.
 */
export function createCallerCredentials(
  airlock: Pick<Airlock, 'signIn'>,
  provider: string,
  form: SignInOption | undefined,
): CallerCredentials {
  let current: string | undefined
  let holders = 0
  let idle = Promise.withResolvers<void>()
  idle.resolve()
  let queue: Promise<unknown> = Promise.resolve()

  async function signIn(entered: Credentials, signal: AbortSignal | undefined): Promise<void> {
    if (!form)
      throw new CredentialError(
        'invalid-credential',
        `Cannot use these credentials for "${provider}": it has no form to enter them into. Leave them empty.`,
      )
    current = undefined
    try {
      await airlock.signIn(provider, {
        option: form.id,
        ui: { form: async () => entered },
        ...(signal && { signal }),
      })
    } catch (error) {
      // A field that must not be empty, or one that the form does not have: to the caller, its credentials are wrong.
      if (!(error instanceof InvalidOptionError)) throw error
      throw new CredentialError('invalid-credential', error.message, { cause: error })
    }
  }

  return {
    async hold(credentials, signal) {
      const entered = Object.fromEntries(
        Object.entries(credentials).filter(([, value]) => value.trim() !== ''),
      )
      const key = digestOf(entered)
      const turn = queue.then(async () => {
        signal?.throwIfAborted()
        if (key !== undefined && key !== current) {
          await (signal ? raced(idle.promise, signal) : idle.promise)
          await signIn(entered, signal)
          current = key
        }
        if (holders++ === 0) idle = Promise.withResolvers()
      })
      queue = turn.catch(() => {})
      let isHeld = true
      function release() {
        if (!isHeld) return
        isHeld = false
        if (--holders === 0) idle.resolve()
      }
      try {
        await (signal ? raced(turn, signal) : turn)
      } catch (error) {
        // Nobody waits for this turn any more, and it may still come.
        turn.then(release, () => {})
        throw error
      }
      return { release }
    },
    forgetRefused(error) {
      if (error instanceof ProviderError && error.kind === 'authentication') current = undefined
    },
  }
}

/** Undefined where nothing was entered. */
function digestOf(entered: Credentials): string | undefined {
  const entries = Object.entries(entered).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return undefined
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex')
}
