import type { ProviderMetadata, ProviderOptions } from './specification.ts'

/** What a service wants back byte for byte. */
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
  /** Of a tool call: its arguments as the model wrote them, where parsing and writing them would change a byte. */
  input?: string
  /** Of a source: the words it is cited for. */
  citedText?: string
}

/**
 * A keepsake leaves with a part as `providerMetadata` under the adapter's name, and the SDK brings it back with the
 * next request as `providerOptions` of the part that echoes it.
 */
export interface Keepsakes {
  toMetadata(keepsake: Keepsake): ProviderMetadata
  /** Without what only the provider understands that answered, where another is asked now. */
  read(options: ProviderOptions | undefined): Keepsake
}

// One provider refuses what another has signed.
const FOR_ITS_MAKER = [
  'signature',
  'redactedData',
  'reasoningDetails',
  'providerContent',
  'thoughtSignature',
] as const satisfies (keyof Keepsake)[]
const FOR_ANYONE = ['input'] as const satisfies (keyof Keepsake)[]

/** @param modelId The model that is asked: which provider it is of shows where it is no alias. */
export function createKeepsakes({ name, modelId }: { name: string; modelId: string }): Keepsakes {
  const slash = modelId.indexOf('/')
  const asked = slash === -1 ? undefined : modelId.slice(0, slash)

  return {
    toMetadata: keepsake => ({ [name]: { ...keepsake, ...(asked !== undefined && { provider: asked }) } }),
    read(options) {
      const own = options?.[name] ?? {}
      const isForeign = asked !== undefined && typeof own.provider === 'string' && own.provider !== asked
      const read = isForeign ? FOR_ANYONE : [...FOR_ITS_MAKER, ...FOR_ANYONE]
      return Object.fromEntries(read.flatMap(key => (typeof own[key] === 'string' ? [[key, own[key]]] : [])))
    },
  }
}

/** JSON text as it is after the SDK has parsed it and somebody has written it again. Undefined where it is none. */
export function rewriteJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
}
