import type { MessagePart } from '../../request.ts'
import { type PlacedPart, resultInWords, type Turn } from '../conversation.ts'
import { readBase64 } from '../media.ts'
import { rawJsonObject, writeJson } from '../raw-json.ts'
import { type Content, encodeFile, encodeImage } from './encode-media.ts'
import { type Encoder, type InputItem, push, textContent } from './encoder.ts'
import { fromImageDetails, fromItemEnvelope, fromMessageDetails } from './opaque-items.ts'

/**
 * A turn of the model as items of their own, in their order. No item but an opaque one keeps its id: ids mean
 * something only to a service that has kept the answer, and to the model that gave it.
 */
export function encodeAssistant(turn: Turn, encoder: Encoder): InputItem[] {
  const items: InputItem[] = []
  turn.parts.forEach((placed, at) => {
    const before = turn.parts[at - 1]
    if (before && messageOf(before) !== messageOf(placed)) dropOpenReasoning(items)
    items.push(...encodeOwn(placed, turn.parts[at + 1]?.part, encoder))
    push([], placed.anchor, encoder)
  })
  dropOpenReasoning(items)
  return items
}

/** Reasoning that led to nothing, in an answer that was broken off, is refused. */
function dropOpenReasoning(items: InputItem[]): void {
  while (items.at(-1)?.type === 'reasoning') items.pop()
}

/** `messages[3]` of `messages[3].content[0]`. */
function messageOf({ path }: PlacedPart): string {
  return path.slice(0, path.indexOf(']'))
}

function encodeOwn({ part }: PlacedPart, next: MessagePart | undefined, encoder: Encoder): InputItem[] {
  switch (part.type) {
    case 'text':
      return encodeText(part.text, next)
    case 'tool-use':
      return [
        {
          type: 'function_call',
          call_id: encoder.ids.idOf(part),
          name: encoder.names.toWire(part.name),
          // The text as it is, byte for byte: parsing would change large numbers. What is no object cannot be sent.
          arguments: writeJson(rawJsonObject(part.input) ?? {}),
        },
      ]
    case 'reasoning-details': {
      const item = fromItemEnvelope(part.data)
      const isOwn = item?.service === encoder.service && item.model === encoder.model
      return isOwn ? [{ type: item.type, opaque: item.value }] : []
    }
    case 'provider-content': {
      const item = fromItemEnvelope(part.data)
      return item?.service === encoder.service ? [{ type: item.type, opaque: item.value }] : []
    }
    case 'image': {
      const id = imageId(next, encoder)
      if (id === undefined) return []
      const { base64 } = readBase64(part.source, part.mediaType, 'image/png')
      return [{ type: 'image_generation_call', id, status: 'completed', result: base64 }]
    }
    case 'tool-result':
      return assistantMessage(resultInWords(part))
    // Files and other images go into the next user message, the one place that takes them. Thinking is told by the
    // reasoning items, and what another dialect wrote is left out.
    case 'file':
    case 'thinking':
    case 'redacted-thinking':
      return []
    default:
      return part satisfies never
  }
}

function assistantMessage(text: string, phase?: string): InputItem[] {
  if (text === '') return []
  return [{ type: 'message', role: 'assistant', content: text, ...(phase !== undefined && { phase }) }]
}

/** The end of a text that was a message of its own is one again, with its phase. */
function encodeText(text: string, next: MessagePart | undefined): InputItem[] {
  const details = next?.type === 'reasoning-details' ? fromMessageDetails(next.data) : undefined
  if (!details || details.length > text.length) return assistantMessage(text, details?.phase)
  return [
    ...assistantMessage(text.slice(0, -details.length)),
    ...assistantMessage(text.slice(-details.length), details.phase),
  ]
}

function imageId(next: MessagePart | undefined, { service }: Encoder): string | undefined {
  const details = next?.type === 'reasoning-details' ? fromImageDetails(next.data) : undefined
  return details?.service === service ? details.id : undefined
}

/** What the model made and the service does not take back as the model's own. */
export function ownImages({ parts }: Turn, encoder: Encoder): Content[] {
  return parts.flatMap(({ part, path }, at) => {
    const label = textContent('From your last answer:')
    if (part.type === 'file') return [...label, encodeFile(part, path, encoder.rules)]
    if (part.type !== 'image' || imageId(parts[at + 1]?.part, encoder) !== undefined) return []
    return [...label, encodeImage(part, path, encoder.rules)]
  })
}
