import type { GuestCredentials } from '../capabilities/credentials.ts'
import { replaceSecrets } from '../credentials/credential-document.ts'
import { parseCredentialValue } from '../credentials/credential-value.ts'
import type { Placeholders } from '../credentials/placeholders.ts'
import type { Manifest } from '../extension/manifest.ts'
import type { ProviderSettings } from '../home/settings.ts'
import type { NetworkRules } from '../policy/network.ts'
import type { Permissions } from '../policy/permissions.ts'
import type { GuestFacts } from '../sandbox/protocol.ts'

type GuestProvider = Manifest['providers'][number]

export interface GuestFactsOptions {
  extension: string
  providers: readonly GuestProvider[]
  credentials: GuestCredentials
  placeholders: Placeholders
  permissions: Permissions
  /** The variables that the user's settings allow. */
  allowedEnv: readonly string[]
  env: NodeJS.ProcessEnv
  settingsOf(provider: string): ProviderSettings | undefined
  /** Where a secret that several providers use may go. */
  reachOf(providers: readonly GuestProvider[]): NetworkRules
}

/**
 * What the guest may ask for without waiting. Read anew for each call: a sign-in may have come in between.
 * @throws {CredentialError} `invalid-credential` where a variable holds what cannot be a key
 */
export async function readGuestFacts(options: GuestFactsOptions): Promise<GuestFacts> {
  const { extension, providers, credentials, placeholders, permissions, allowedEnv, env } = options
  const facts: GuestFacts = { credentials: {}, env: {}, settings: {} }
  for (const { id: provider } of providers) {
    const handed = await credentials.handOut(provider)
    if (handed !== undefined) facts.credentials[provider] = handed
    if (handed !== undefined && permissions.credentials === 'read') {
      const key = `credential:${extension}:${provider}`
      replaceSecrets(handed, (field, secret) => {
        placeholders.hide(secret, field === '' ? key : `${key}:${field}`)
        return secret
      })
    }
    const own = options.settingsOf(provider)
    if (own) facts.settings[provider] = toGuestSettings(own)
  }
  for (const name of allowedEnv) {
    const value = env[name]?.trim()
    if (!value) continue
    if (permissions.plainEnv.includes(name)) {
      placeholders.hide(value, `env:${extension}:${name}`)
      facts.env[name] = value
    } else if (permissions.env.includes(name)) {
      const users = providers.filter(({ env: own }) => own?.includes(name))
      const key = parseCredentialValue(value, `the variable ${name}`)
      facts.env[name] = placeholders.placeholderFor(
        `env:${extension}:${name}`,
        key,
        options.reachOf(users.length > 0 ? users : providers),
      )
    }
  }
  return facts
}

function toGuestSettings({ apiUrl, availableModels = [] }: ProviderSettings): GuestFacts['settings'][string] {
  return {
    ...(apiUrl !== undefined && { apiUrl }),
    availableModels: availableModels.map(
      ({ maxTokens, maxOutputTokens, name, displayName, thinkingBudget }) => ({
        name,
        ...(displayName !== undefined && { displayName }),
        maxTokens: BigInt(maxTokens),
        ...(maxOutputTokens !== undefined && { maxOutputTokens: BigInt(maxOutputTokens) }),
        ...(thinkingBudget !== undefined && { thinkingBudget }),
      }),
    ),
  }
}
