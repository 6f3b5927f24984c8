import { expiryOf, replaceSecrets } from '../credentials/credential-document.ts'
import type { Placeholders } from '../credentials/placeholders.ts'
import { type CredentialOwner, type CredentialStore, newCredential } from '../credentials/store.ts'
import type { NetworkRules } from '../policy/network.ts'
import type { SignInSession } from './sign-in-session.ts'

// A set of OAuth tokens takes 8,000; a store is no place to keep anything else.
const MAX_CREDENTIAL_CHARS = 65_536

export interface GuestCredentialsOptions {
  extension: string
  store: CredentialStore
  placeholders: Placeholders
  /** The user granted that the guest reads what it uses. */
  readable: boolean
  /** Where a provider's secrets may go. */
  reachOf(provider: string): NetworkRules
}

/**
 * The host side of `get-credential`, `store-credential` and `delete-credential`. Unless they are readable the guest
 * never has a secret that the host knows: it gets words that stand for them, and may store such a word where it
 * stood, alone or as a field of a JSON object.
 */
export interface GuestCredentials {
  /** What the guest gets for the stored credential. Undefined: there is none. */
  handOut(provider: string): Promise<string | undefined>
  /** What the guest gets of a filled-in form. `release` when the sign-in is over. */
  handOutForm(
    provider: string,
    fields: readonly { key: string; value: string; secret: boolean }[],
  ): { form: Record<string, string>; release(): void }
  /** In a sign-in a new credential, otherwise the next one of the same sign-in. @throws {TypeError} it is too long */
  store(provider: string, value: unknown, session: SignInSession | undefined): Promise<void>
  delete(provider: string): Promise<void>
}

export function createGuestCredentials(options: GuestCredentialsOptions): GuestCredentials {
  const { extension, store, placeholders, readable, reachOf } = options
  /** The placeholders that a provider's credential has now. */
  const held = new Map<string, Set<string>>()
  const ownerOf = (provider: string): CredentialOwner => ({ extension, provider })
  const keyOf = (kind: 'credential' | 'form', provider: string) => `${kind}:${extension}:${provider}`

  function standIn(key: string, secret: string, provider: string): string {
    if (!readable) return placeholders.placeholderFor(key, secret, reachOf(provider))
    placeholders.hide(secret)
    return secret
  }

  /** Words that stand for this provider's own secrets become them again; those of others stay words. */
  function restore(provider: string, value: string): string {
    const own = [keyOf('credential', provider), keyOf('form', provider)]
    return replaceSecrets(value, (_, text) => {
      const bound = placeholders.reveal(text)
      return bound && own.some(key => bound.key === key || bound.key.startsWith(`${key}:`))
        ? bound.secret
        : text
    })
  }

  return {
    async handOut(provider) {
      const value = await store.get(ownerOf(provider))
      const before = held.get(provider) ?? new Set()
      const now = new Set<string>()
      const handed =
        value === undefined
          ? undefined
          : replaceSecrets(value, (field, secret) => {
              const base = keyOf('credential', provider)
              const key = field === '' ? base : `${base}:${field}`
              now.add(key)
              return standIn(key, secret, provider)
            })
      for (const key of before) if (!now.has(key)) placeholders.forget(key)
      held.set(provider, now)
      return handed
    },

    handOutForm(provider, fields) {
      const keys: string[] = []
      const entries = fields.map(({ key: name, value, secret }) => {
        if (!secret || value === '') return [name, value]
        const key = `${keyOf('form', provider)}:${name}`
        keys.push(key)
        return [name, standIn(key, value, provider)]
      })
      return {
        form: Object.fromEntries(entries),
        release: () => keys.forEach(key => void placeholders.forget(key)),
      }
    },

    async store(provider, given, session) {
      if (typeof given !== 'string' || given === '' || given.length > MAX_CREDENTIAL_CHARS)
        throw new TypeError(`a credential is a text of 1 to ${MAX_CREDENTIAL_CHARS} characters`)
      const value = restore(provider, given)
      const expiresAt = expiryOf(value)
      const owner = ownerOf(provider)
      const until = expiresAt === undefined ? {} : { expiresAt }
      if (session?.purpose === 'sign-in') {
        const { option } = session
        await store.set(owner, value, { ...until, ...(option !== undefined && { option }) })
        session.stored = true
        return
      }
      await store.update(owner, now => {
        if (now === undefined) return session === undefined ? newCredential(value, until) : undefined
        const { expiresAt: _, ...kept } = now
        return { ...kept, value, ...until, refreshedAt: Date.now() }
      })
    },

    delete: provider => store.delete(ownerOf(provider)),
  }
}
