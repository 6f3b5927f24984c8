import type { ProviderMetadata, ProviderOptions } from './specification.ts'

/**
 * What a service wants back byte for byte. It leaves with a part as `providerMetadata` under the provider's name, and
 * the SDK brings it back with the next request as `providerOptions` of the part that echoes it.
 */
export interface Keepsake {
  /** Of a reasoning part. */
  signature?: string
  /** Of a reasoning part: thinking that only the service can read. */
  redactedData?: string
  /** Of a reasoning part: JSON text. */
  reasoningDetails?: string
  /** Of a reasoning or custom part: a block that only this provider understands, as JSON text. */
  providerContent?: string
  /** Of a tool call. */
  thoughtSignature?: string
  /** Of a source: the words it is cited for. */
  citedText?: string
}

export function toMetadata(name: string, keepsake: Keepsake): ProviderMetadata {
  return { [name]: { ...keepsake } }
}

export function readKeepsake(name: string, options: ProviderOptions | undefined): Keepsake {
  const own = options?.[name] ?? {}
  const kept = KEYS.flatMap(key => {
    const value = own[key]
    return typeof value === 'string' ? [[key, value] as const] : []
  })
  return Object.fromEntries(kept)
}

const KEYS = [
  'signature',
  'redactedData',
  'reasoningDetails',
  'providerContent',
  'thoughtSignature',
  'citedText',
] as const satisfies (keyof Keepsake)[]
