import { isRecord } from '../../is-record.ts'
import { parseJson, readText } from '../json-value.ts'

/**
 * Redacted thinking of this service is bytes, in base64, and means nothing to the API of the model's maker; so it
 * travels as `reasoning-details` of a type of its own, which no other dialect writes or reads.
 */
const REDACTED = 'bedrock.redacted'

export function toRedactedDetails(base64: string): string {
  return JSON.stringify({ type: REDACTED, redactedContent: base64 })
}

/** Undefined where another dialect wrote it. */
export function fromRedactedDetails(data: string): string | undefined {
  const value = parseJson(data)
  return isRecord(value) && value.type === REDACTED ? readText(value.redactedContent) : undefined
}
