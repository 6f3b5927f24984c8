import { isRecord } from '../../is-record.ts'
import { parseJson, readText } from '../json-value.ts'
import { rawJsonObject } from '../raw-json.ts'
import { sourceTextAt } from '../source-text.ts'

/**
 * Where an opaque part comes from shows in what it holds, since the contract has no mark for it:
 *
 * - An output item as it came stands in an envelope of the type `openai-responses.item`, with the service and the
 *   model that made it: reasoning in `reasoning-details`, what the service ran itself in `provider-content`.
 * - `reasoning-details` of the types `openai-responses.message` and `openai-responses.image` hold what belongs to
 *   the text, or the image, in front of them.
 *
 * Encrypted reasoning is bound to its model, so it goes back to that model only; other items to any of the service.
 */
const ITEM = 'openai-responses.item'
const MESSAGE = 'openai-responses.message'
const IMAGE = 'openai-responses.image'

export interface ItemOrigin {
  service: string
  /** As the request named it. */
  model: string
}

export interface OpaqueItem extends ItemOrigin {
  /** The item's type, e.g. `reasoning`. */
  type: string
  /** For `writeJson`: the item, unchanged. */
  value: unknown
}

export function toItemEnvelope({ service, model }: ItemOrigin, json: string): string {
  return `{"type":"${ITEM}","service":${JSON.stringify(service)},"model":${JSON.stringify(model)},"item":${json}}`
}

/** Undefined where another dialect wrote it. */
export function fromItemEnvelope(data: string): OpaqueItem | undefined {
  const envelope = parseJson(data)
  if (!isRecord(envelope) || envelope.type !== ITEM || !isRecord(envelope.item)) return undefined
  const value = rawJsonObject(sourceTextAt(data, ['item']) ?? '')
  const { service, model, item } = envelope
  if (typeof service !== 'string' || typeof model !== 'string' || value === undefined) return undefined
  return { service, model, type: String(item.type), value }
}

/** What belongs to the last `length` UTF-16 units of the text in front of it, which were one message. */
export interface MessageDetails {
  length: number
  /** Whether the message was a comment on the way or the answer. Models do worse without it. */
  phase: string
}

export function toMessageDetails(details: MessageDetails): string {
  return JSON.stringify({ type: MESSAGE, ...details })
}

/** Undefined where another dialect wrote it. */
export function fromMessageDetails(data: string): MessageDetails | undefined {
  const value = parseJson(data)
  if (!isRecord(value) || value.type !== MESSAGE) return undefined
  const phase = readText(value.phase)
  const { length } = value
  return phase !== undefined && Number.isSafeInteger(length) && (length as number) > 0
    ? { length: length as number, phase }
    : undefined
}

/** The item that made the image in front of it; the image itself is not repeated. */
export interface ImageDetails {
  service: string
  id: string
}

export function toImageDetails(details: ImageDetails): string {
  return JSON.stringify({ type: IMAGE, ...details })
}

/** Undefined where another dialect wrote it. */
export function fromImageDetails(data: string): ImageDetails | undefined {
  const value = parseJson(data)
  if (!isRecord(value) || value.type !== IMAGE) return undefined
  const [service, id] = [readText(value.service), readText(value.id)]
  return service !== undefined && id !== undefined ? { service, id } : undefined
}
