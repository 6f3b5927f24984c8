import { ProviderError } from '../../provider-error.ts'
import type { MessagePart, RequestMessage } from '../../request.ts'
import {
  type Answer,
  type PlacedPart,
  resultInWords,
  type ToolResultPart,
  type Turn,
  toConversation,
  UNANSWERED,
} from '../conversation.ts'
import { isHttpUrl, readBase64 } from '../media.ts'
import { rawJsonObject } from '../raw-json.ts'

export type WireMessage = Record<string, unknown> & {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
}

/** What one message shows: its words, and images as base64. */
interface Shown {
  texts: string[]
  images: string[]
}

/** The conversation as the server wants it: results behind their calls, images in the user's messages. */
export function encodeMessages(messages: readonly RequestMessage[]): WireMessage[] {
  const { system, turns } = toConversation(messages)
  const wire: WireMessage[] = system.length > 0 ? [encodeSystem(system)] : []
  let shown: Shown = { texts: [], images: [] }

  const flush = () => {
    if (shown.texts.length > 0 || shown.images.length > 0) wire.push(userMessage(shown))
    shown = { texts: [], images: [] }
  }

  for (const turn of turns) {
    if (turn.role === 'assistant') {
      flush()
      wire.push(encodeAssistant(turn))
      shown = ownImages(turn)
      continue
    }
    for (const answer of turn.answers) {
      wire.push(encodeAnswer(answer))
      const images = answer.result ? imagesOf(answer.result, answer.path) : []
      if (images.length > 0) {
        shown.texts.push(`From the result of the tool ${answer.call.name}:`)
        shown.images.push(...images)
      }
    }
    for (const placed of turn.parts) {
      if (placed.isSystem) {
        flush()
        wire.push(encodeSystem([placed]))
      } else show(placed, shown)
    }
  }
  flush()
  return wire
}

function userMessage({ texts, images }: Shown): WireMessage {
  return { role: 'user', content: texts.join('\n'), ...(images.length > 0 && { images }) }
}

function encodeSystem(parts: readonly PlacedPart[]): WireMessage {
  const content = parts.map(({ part, path }) => {
    if (part.type === 'text') return part.text
    throw unsupported(path, 'a system message takes text only', 'Move the rest into a user message')
  })
  return { role: 'system', content: content.join('\n') }
}

/** What belongs to other dialects (redacted thinking, reasoning details, provider content) is left out. */
function encodeAssistant({ parts }: Turn): WireMessage {
  const thinking = parts.flatMap(({ part }) => (part.type === 'thinking' ? [part.text] : [])).join('')
  const content = parts.flatMap(({ part }) => {
    if (part.type === 'text') return [part.text]
    return part.type === 'tool-result' ? [resultInWords(part)] : []
  })
  const calls = parts.flatMap(({ part }) =>
    part.type === 'tool-use'
      ? [{ id: part.id, function: { name: part.name, arguments: rawJsonObject(part.input) ?? {} } }]
      : [],
  )
  return {
    role: 'assistant',
    content: content.join(''),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function encodeAnswer({ call, result }: Answer): WireMessage {
  return {
    role: 'tool',
    tool_name: call.name,
    tool_call_id: call.id,
    content: result ? resultText(result) : UNANSWERED,
  }
}

/** There is no field for a failure, so the text says it. */
function resultText({ content, isError }: ToolResultPart): string {
  const images = content.filter(part => part.type === 'image').length
  const lines = content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  if (images > 0) lines.push(images === 1 ? '(An image follows.)' : `(${images} images follow.)`)
  const text = lines.join('\n')
  if (!isError) return text
  return /^\s*error\b/i.test(text) ? text : `Error: ${text || 'the tool failed'}`
}

function imagesOf({ content }: ToolResultPart, path: string): string[] {
  return content.flatMap((part, at) =>
    part.type === 'image' ? [encodeImage(part.source, `${path}.content[${at}]`)] : [],
  )
}

function ownImages({ parts }: Turn): Shown {
  const images = parts.flatMap(({ part, path }) => {
    if (part.type === 'image') return [encodeImage(part.source, path)]
    if (part.type === 'file') return [encodeFile(part, path)]
    return part.type === 'tool-result' ? imagesOf(part, path) : []
  })
  return { texts: images.length > 0 ? ['From your last answer:'] : [], images }
}

function show({ part, path }: PlacedPart, shown: Shown): void {
  switch (part.type) {
    case 'text':
      shown.texts.push(part.text)
      return
    case 'image':
      shown.images.push(encodeImage(part.source, path))
      return
    case 'file':
      shown.images.push(encodeFile(part, path))
      return
    case 'tool-result':
      shown.texts.push(resultInWords(part))
      shown.images.push(...imagesOf(part, path))
      return
    case 'tool-use':
    case 'thinking':
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      // A model's own, in a turn that is not the model's.
      return
    default:
      part satisfies never
  }
}

/** Base64 and nothing else: no data URI, no media type. */
function encodeImage(source: string, path: string): string {
  if (isHttpUrl(source)) {
    throw unsupported(path, 'Ollama fetches no images', 'Send the image itself, as base64')
  }
  return readBase64(source, undefined, 'image/png').base64
}

function encodeFile(file: Extract<MessagePart, { type: 'file' }>, path: string): string {
  const isUrl = isHttpUrl(file.source)
  const { mediaType } = isUrl ? file : readBase64(file.source, file.mediaType, 'application/octet-stream')
  if (mediaType.startsWith('image/')) return encodeImage(file.source, path)
  throw unsupported(path, 'Ollama takes no files (supportsFiles is false)', 'Take the file out')
}

function unsupported(path: string, why: string, instead: string): ProviderError {
  return new ProviderError({ kind: 'unsupported', message: `Cannot send ${path}: ${why}. ${instead}.` })
}
