import { readCacheConfiguration } from '../contract/guest-values.ts'
import type { CacheConfiguration } from '../contract/models.ts'
import type { ExtensionHost } from './extension-host.ts'

/** A provider, and the extension behind it. */
export interface ProviderTarget {
  host: ExtensionHost
  /** The provider's id. */
  provider: string
}

interface Options {
  signal?: AbortSignal | undefined
}

// A page of help for people.
const MAX_MARKDOWN_UNITS = 100_000

/** What the extension says of its settings, Markdown from a stranger: absent where it says nothing. */
export async function readSettingsMarkdown(
  { host, provider }: ProviderTarget,
  options: Options = {},
): Promise<string | undefined> {
  const text = await host.call('settingsMarkdown', [provider], options)
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_MARKDOWN_UNITS) : undefined
}

/** Whether the extension has what it needs to be asked. Asks no service: a key may still be refused. */
export async function isAuthenticated(
  { host, provider }: ProviderTarget,
  options: Options = {},
): Promise<boolean> {
  return (await host.call('isAuthenticated', [provider], options)) === true
}

/** How a model's service caches prompts: absent where cache anchors mean nothing to it. */
export async function cacheConfigurationOf(
  { host, provider }: ProviderTarget,
  model: string,
  options: Options = {},
): Promise<CacheConfiguration | undefined> {
  return readCacheConfiguration(await host.call('getCacheConfiguration', [provider, model], options))
}
