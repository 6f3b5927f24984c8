import { isRecord } from '../../is-record.ts'
import { parseJson } from '../json-value.ts'
import { rawJsonObject } from '../raw-json.ts'
import { sourceTextAt } from '../source-text.ts'

/**
 * Where an opaque part comes from shows in what it holds, since the contract has no mark for it:
 *
 * - `provider-content` is a block of this API, as it came. Its `type` is one of those below, which no other dialect
 *   writes; a block of a type that is not known here stands in an envelope of the type `anthropic.block`.
 * - `reasoning-details` of this dialect have the type `anthropic.citations`.
 * - A thinking part's `signature`, and redacted thinking, are written by this dialect alone (other dialects keep
 *   their signatures on calls, or in `reasoning-details` of a type of their own); the signature holds across the
 *   platforms that serve these models. Thinking without a signature is another model's and is left out. What is
 *   forged is refused by the service, which checks each signature.
 */
const OWN_TYPES = /^(server_tool_use|mcp_tool_use|container_upload|compaction|[a-z_]+_tool_result)$/

const ENVELOPE = 'anthropic.block'
const CITATIONS = 'anthropic.citations'

/** A block as the data of a `provider-content` event. */
export function toProviderContent(type: string, json: string): string {
  return OWN_TYPES.test(type) ? json : `{"type":${JSON.stringify(ENVELOPE)},"block":${json}}`
}

/** The block that a `provider-content` part holds, to be sent unchanged; undefined where another dialect wrote it. */
export function fromProviderContent(data: string): unknown {
  const value = parseJson(data)
  if (!isRecord(value) || typeof value.type !== 'string') return undefined
  if (value.type === ENVELOPE) return rawJsonObject(sourceTextAt(data, ['block']) ?? '')
  return OWN_TYPES.test(value.type) ? rawJsonObject(data) : undefined
}

/** What the end of a text rests on: so many characters of it, in UTF-16 units. */
export interface CitedText {
  length: number
  citations: readonly unknown[]
}

/** Citations as the data of a `reasoning-details` event: the service wants them back with their text. */
export function toCitationDetails({ length, citations }: CitedText): string {
  return JSON.stringify({ type: CITATIONS, length, citations })
}

/** Undefined where another dialect wrote it. */
export function fromCitationDetails(data: string): CitedText | undefined {
  const value = parseJson(data)
  if (!isRecord(value) || value.type !== CITATIONS || !Array.isArray(value.citations)) return undefined
  return Number.isInteger(value.length)
    ? { length: value.length as number, citations: value.citations }
    : undefined
}
