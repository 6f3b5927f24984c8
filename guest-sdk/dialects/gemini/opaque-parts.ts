import { isRecord } from '../../is-record.ts'
import { parseJson, readText } from '../json-value.ts'
import { rawJsonObject } from '../raw-json.ts'
import { sourceTextAt } from '../source-text.ts'

/**
 * Where an opaque part comes from shows in what it holds, since the contract has no mark for it:
 *
 * - `provider-content` of this dialect is an envelope of the type `gemini.part` with a part of the API as it came.
 * - `reasoning-details` of the type `gemini.signature` hold the signature of the text, thought or image before them.
 * - The signature of a call stands on the call (`thoughtSignature`), where the chat dialect marks its own.
 * - Thinking, its `signature` and redacted thinking without such details are another model's and are left out. A call
 *   without a signature is answered for by the API's own stand-in, where the model insists on one.
 */
const PART = 'gemini.part'
const SIGNATURE = 'gemini.signature'

/** Documented by the service for calls that another model made: https://ai.google.dev/gemini-api/docs/thought-signatures */
export const STAND_IN_SIGNATURE = 'skip_thought_signature_validator'

/** What a signature belongs to: the last `length` UTF-16 units of the text or thought before it, or the image. */
export interface SignedPart {
  of: 'text' | 'thought' | 'image'
  length: number
  signature: string
}

export function toProviderContent(json: string): string {
  return `{"type":${JSON.stringify(PART)},"part":${json}}`
}

/** The part to be sent unchanged; undefined where another dialect wrote it. */
export function fromProviderContent(data: string): unknown {
  const value = parseJson(data)
  if (!isRecord(value) || value.type !== PART) return undefined
  return rawJsonObject(sourceTextAt(data, ['part']) ?? '')
}

export function toSignatureDetails({ of, length, signature }: SignedPart): string {
  return JSON.stringify({ type: SIGNATURE, of, length, thoughtSignature: signature })
}

/** Undefined where another dialect wrote it. */
export function fromSignatureDetails(data: string): SignedPart | undefined {
  const value = parseJson(data)
  if (!isRecord(value) || value.type !== SIGNATURE) return undefined
  const signature = readText(value.thoughtSignature)
  const { of, length } = value
  if (signature === undefined || (of !== 'text' && of !== 'thought' && of !== 'image')) return undefined
  return { of, length: Number.isInteger(length) ? Math.max(0, length as number) : 0, signature }
}
