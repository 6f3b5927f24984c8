import type { RequestMessage } from '../../request.ts'
import {
  type Answer,
  type PlacedPart,
  resultInWords,
  type ToolResultPart,
  textOnly,
  toConversation,
  UNANSWERED,
  unansweredWarning,
} from '../conversation.ts'
import { answerToContinue, beginWithUser, OPENING_TEXT, refuseEmpty } from '../conversation-ends.ts'
import { rawJsonObject } from '../raw-json.ts'
import { createToolIds, type ToolIds } from '../tool-ids.ts'
import type { ToolNames } from '../tool-names.ts'
import {
  type Block,
  createDocumentNames,
  type DocumentNames,
  encodeFile,
  encodeImage,
} from './encode-media.ts'
import { fromRedactedDetails } from './opaque-parts.ts'
import type { ConverseRules } from './rules.ts'

export interface WireMessage {
  role: 'user' | 'assistant'
  content: Block[]
}

export interface EncodedMessages {
  system: Block[]
  messages: WireMessage[]
  /** The model goes on with calls that it made without thinking. */
  continuesWithoutThinking: boolean
}

export interface MessageRules {
  rules: ConverseRules
  names: ToolNames
  /** The request has tools: without them the service takes neither calls nor results. */
  hasTools: boolean
  warn: (message: string) => void
}

interface Encoder extends MessageRules {
  ids: ToolIds
  documents: DocumentNames
  cachePoints: number
}

/** How many cache points one request may hold. */
export const MAX_CACHE_POINTS = 4
const CACHE_POINT: Block = { cachePoint: { type: 'default' } }

/** The conversation as the API wants it: turns alternate, results first, nothing empty, what is another's left out. */
export function encodeMessages(messages: readonly RequestMessage[], given: MessageRules): EncodedMessages {
  const { system, turns } = toConversation(messages)
  const anchors = [...system, ...turns.flatMap(turn => [...turn.answers, ...turn.parts])]
  const encoder: Encoder = {
    ...given,
    ids: createToolIds(),
    documents: createDocumentNames(),
    // Of many anchors the last count: each caches all that stands before it.
    cachePoints: MAX_CACHE_POINTS - anchors.filter(({ anchor }) => anchor).length,
  }
  const wire: WireMessage[] = []
  const systemBlocks = system.flatMap(placed => encodeSystem(placed, encoder))
  let images: Block[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      add(
        wire,
        'assistant',
        turn.parts.flatMap(placed => encodeOwn(placed, encoder)),
      )
      images = turn.parts.flatMap(placed => ownImages(placed, encoder))
      continue
    }
    const answers = turn.answers.flatMap(answer =>
      withCachePoint(encodeAnswer(answer, encoder), answer.anchor, encoder),
    )
    const parts = turn.parts.flatMap(placed => encodeUserPart(placed, encoder))
    add(wire, 'user', [...answers, ...images, ...parts])
    images = []
  }
  add(wire, 'user', images)
  finish(wire, encoder)
  return { system: systemBlocks, messages: wire, continuesWithoutThinking: continuesWithoutThinking(wire) }
}

/** A message with nothing in it is refused; without it its neighbours become one. A point that caches nothing goes. */
function add(wire: WireMessage[], role: WireMessage['role'], content: readonly Block[]): void {
  if (content.every(block => block === CACHE_POINT)) return
  const last = wire.at(-1)
  if (last?.role === role) last.content.push(...content)
  else wire.push({ role, content: [...content] })
}

function finish(wire: WireMessage[], { rules, warn }: Encoder): void {
  for (const message of wire) {
    // A document stands beside a text, always.
    const hasText = message.content.some(block => 'text' in block)
    if (!hasText && message.content.some(block => 'document' in block))
      message.content.push(...text('(A document.)'))
  }
  refuseEmpty(wire)
  beginWithUser(wire, { role: 'user', content: text(OPENING_TEXT) }, warn)
  const continued = answerToContinue(wire, rules)
  // White space at the end of what the model shall continue is refused.
  const end = continued?.content.at(-1)
  if (typeof end?.text === 'string') end.text = end.text.trimEnd()
}

function text(words: string): Block[] {
  return words.trim() === '' ? [] : [{ text: words }]
}

function withCachePoint(blocks: Block[], anchor: boolean, encoder: Encoder): Block[] {
  if (!anchor || encoder.rules.cachePoints === 'none') return blocks
  encoder.cachePoints++
  return encoder.cachePoints > 0 && blocks.length > 0 ? [...blocks, CACHE_POINT] : blocks
}

function encodeSystem({ part, path, anchor }: PlacedPart, encoder: Encoder): Block[] {
  if (part.type !== 'text') throw textOnly(path)
  return withCachePoint(text(part.text), anchor, encoder)
}

function encodeAnswer({ call, result, path }: Answer, encoder: Encoder): Block[] {
  if (!result) {
    encoder.warn(unansweredWarning(call))
  }
  if (!encoder.hasTools) return result ? encodeResultInWords(result, path) : text(UNANSWERED)
  const { resultStatus } = encoder.rules
  const isError = result ? result.isError : true
  const content = result ? encodeResult(result, path, isError && !resultStatus) : text(UNANSWERED)
  return [
    {
      toolResult: {
        toolUseId: encoder.ids.idOf(call),
        content: content.length > 0 ? content : text('(no output)'),
        ...(isError && resultStatus && { status: 'error' }),
      },
    },
  ]
}

/** Where there is no field for a failure, the text says it. */
function encodeResult({ content }: ToolResultPart, path: string, saysError: boolean): Block[] {
  const blocks = content.flatMap((part, at) =>
    part.type === 'text' ? text(part.text) : [encodeImage(part, `${path}.content[${at}]`)],
  )
  const said = content.some(part => part.type === 'text' && /^\s*error\b/i.test(part.text))
  return saysError && !said ? [...text('Error: the tool failed.'), ...blocks] : blocks
}

function encodeResultInWords(result: ToolResultPart, path: string): Block[] {
  return [...text(resultInWords(result)), ...resultImages(result, path)]
}

function resultImages({ content }: ToolResultPart, path: string): Block[] {
  return content.flatMap((part, at) =>
    part.type === 'image' ? [encodeImage(part, `${path}.content[${at}]`)] : [],
  )
}

function encodeUserPart({ part, path, anchor, isSystem }: PlacedPart, encoder: Encoder): Block[] {
  if (isSystem) {
    if (part.type !== 'text') throw textOnly(path)
    encoder.warn(`${path} is a system message between others: the model is told it in a user message`)
    const words = part.text.trim() === '' ? '' : `<system>\n${part.text}\n</system>`
    return withCachePoint(text(words), anchor, encoder)
  }
  const encode = (): Block[] => {
    switch (part.type) {
      case 'text':
        return text(part.text)
      case 'image':
        return [encodeImage(part, path)]
      case 'file':
        return [encodeFile(part, path, encoder.documents)]
      case 'tool-result':
        return encodeResultInWords(part, path)
      case 'tool-use':
      case 'thinking':
      case 'redacted-thinking':
      case 'reasoning-details':
      case 'provider-content':
        // A model's own, in a turn that is not the model's.
        return []
      default:
        return part satisfies never
    }
  }
  return withCachePoint(encode(), anchor, encoder)
}

/** A part of the model's own turn. */
function encodeOwn({ part, anchor }: PlacedPart, encoder: Encoder): Block[] {
  const encode = (): Block[] => {
    switch (part.type) {
      case 'text':
        return text(part.text)
      case 'tool-use': {
        if (!encoder.hasTools) return text(`(I called the tool ${part.name} with ${part.input || '{}'}.)`)
        const toolUseId = encoder.ids.idOf(part)
        return [
          {
            toolUse: {
              toolUseId,
              name: encoder.names.toWire(part.name),
              input: rawJsonObject(part.input) ?? {},
            },
          },
        ]
      }
      case 'thinking':
        // Without a signature it is another model's.
        return part.signature
          ? [{ reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } }]
          : []
      case 'reasoning-details': {
        const redactedContent = fromRedactedDetails(part.data)
        return redactedContent === undefined ? [] : [{ reasoningContent: { redactedContent } }]
      }
      case 'tool-result':
        return text(resultInWords(part))
      // Images go into the next user message, the one place that takes them.
      case 'image':
      case 'file':
      case 'redacted-thinking':
      case 'provider-content':
        return []
      default:
        return part satisfies never
    }
  }
  return withCachePoint(encode(), anchor, encoder)
}

function ownImages({ part, path }: PlacedPart, encoder: Encoder): Block[] {
  const heading = text('From your last answer:')
  if (part.type === 'image') return [...heading, encodeImage(part, path)]
  if (part.type === 'file') return [...heading, encodeFile(part, path, encoder.documents)]
  if (part.type !== 'tool-result') return []
  const images = resultImages(part, path)
  return images.length === 0 ? [] : [...heading, ...images]
}

function continuesWithoutThinking(wire: readonly WireMessage[]): boolean {
  const [turn, answer] = wire.slice(-2)
  const first = answer?.content[0]
  if (turn?.role !== 'assistant' || first === undefined || !('toolResult' in first)) return false
  return !('reasoningContent' in (turn.content[0] ?? {}))
}
