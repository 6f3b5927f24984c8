import type { RequestMessage } from '../../request.ts'
import {
  type Answer,
  type PlacedPart,
  resultInWords,
  type ToolResultPart,
  type Turn,
  textOnly,
  toConversation,
  UNANSWERED,
  unansweredWarning,
} from '../conversation.ts'
import { answerToContinue, beginWithUser, OPENING_TEXT, refuseEmpty } from '../conversation-ends.ts'
import { rawJsonObject } from '../raw-json.ts'
import { createToolIds, type ToolIds } from '../tool-ids.ts'
import type { ToolNames } from '../tool-names.ts'
import { type Block, encodeFile, encodeImage } from './encode-media.ts'
import { fromCitationDetails, fromProviderContent } from './opaque-blocks.ts'
import type { MessagesRules } from './rules.ts'

export interface WireMessage {
  role: 'user' | 'assistant' | 'system'
  content: Block[]
}

export interface EncodedTurns {
  system: Block[]
  messages: WireMessage[]
  /** Blocks where a cache anchor stands, in order. */
  anchors: Block[]
  /** The model goes on with calls that it made without thinking. */
  continuesWithoutThinking: boolean
}

interface Encoder {
  rules: MessagesRules
  names: ToolNames
  ids: ToolIds
  warn: (message: string) => void
  /** The last block that may carry an anchor. */
  last: Block | undefined
  anchors: Block[]
}

/** The conversation as the API wants it: turns alternate, results first, nothing empty, what is another's left out. */
export function encodeTurns(
  messages: readonly RequestMessage[],
  rules: MessagesRules,
  names: ToolNames,
  warn: (message: string) => void,
): EncodedTurns {
  const encoder: Encoder = { rules, names, ids: createToolIds(), warn, last: undefined, anchors: [] }
  const { system, turns } = toConversation(messages)
  const systemBlocks = system.flatMap(placed => encodeSystem(placed, encoder))
  const wire: WireMessage[] = []
  let images: Block[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      const content = turn.parts.flatMap(placed => encodeOwn(placed, turn, encoder))
      add(wire, { role: 'assistant', content })
      images = turn.parts.flatMap(placed => ownImages(placed))
      continue
    }
    const { content, instructions } = encodeUserTurn(turn, images, encoder)
    images = []
    add(wire, { role: 'user', content })
    if (instructions.length > 0) add(wire, { role: 'system', content: instructions })
  }
  if (images.length > 0) add(wire, { role: 'user', content: images })
  finish(wire, encoder)
  return {
    system: systemBlocks,
    messages: wire,
    anchors: encoder.anchors,
    continuesWithoutThinking: continuesWithoutThinking(wire),
  }
}

/** A message with nothing in it is refused; without it its neighbours become one. */
function add(wire: WireMessage[], message: WireMessage): void {
  if (message.content.length === 0) return
  const last = wire.at(-1)
  if (last?.role === message.role) last.content.push(...message.content)
  else wire.push(message)
}

function finish(wire: WireMessage[], { rules, warn }: Encoder): void {
  refuseEmpty(wire)
  beginWithUser(wire, { role: 'user', content: textBlock(OPENING_TEXT) }, warn)
  const continued = answerToContinue(wire, rules)
  // White space at the end of what the model shall continue is refused.
  const text = continued?.content.at(-1)
  if (text?.type === 'text') text.text = String(text.text).trimEnd()
}

function push(blocks: Block[], anchor: boolean, encoder: Encoder): Block[] {
  const last = blocks.findLast(block => isCacheable(block))
  if (last) encoder.last = last
  if (anchor && encoder.last && encoder.anchors.at(-1) !== encoder.last) encoder.anchors.push(encoder.last)
  return blocks
}

/** The API takes no anchor on thinking; what is sent unchanged is not ours to mark. */
function isCacheable({ type }: Block): boolean {
  return ['text', 'image', 'document', 'tool_use', 'tool_result'].includes(type)
}

function textBlock(text: string): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function encodeSystem({ part, path, anchor }: PlacedPart, encoder: Encoder): Block[] {
  if (part.type !== 'text') throw textOnly(path)
  return push(textBlock(part.text), anchor, encoder)
}

function encodeUserTurn(
  { answers, parts }: Turn,
  images: readonly Block[],
  encoder: Encoder,
): { content: Block[]; instructions: Block[] } {
  const instructions: Block[] = []
  const content = answers.flatMap(answer => push([encodeAnswer(answer, encoder)], answer.anchor, encoder))
  content.push(...images)
  for (const placed of parts) {
    const { part, path, isSystem, anchor } = placed
    if (!isSystem) {
      content.push(...encodeUserPart(placed, encoder))
      continue
    }
    if (part.type !== 'text') throw textOnly(path)
    if (encoder.rules.systemMessages) {
      instructions.push(...push(textBlock(part.text), anchor, encoder))
      continue
    }
    encoder.warn(`${path} is a system message between others: the model is told it in a user message`)
    content.push(...push(textBlock(`<system>\n${part.text}\n</system>`), anchor, encoder))
  }
  // A system message stands behind a user's; where there is none it is one itself.
  return content.length === 0 ? { content: instructions, instructions: [] } : { content, instructions }
}

function encodeAnswer({ call, result, path }: Answer, encoder: Encoder): Block {
  const tool_use_id = encoder.ids.idOf(call)
  if (!result) {
    encoder.warn(unansweredWarning(call))
    return { type: 'tool_result', tool_use_id, is_error: true, content: textBlock(UNANSWERED) }
  }
  const content = encodeResult(result, path)
  return {
    type: 'tool_result',
    tool_use_id,
    ...(content.length > 0 && { content }),
    ...(result.isError && { is_error: true }),
  }
}

function encodeResult({ content }: ToolResultPart, path: string): Block[] {
  return content.flatMap((part, at) =>
    part.type === 'text' ? textBlock(part.text) : [encodeImage(part, `${path}.content[${at}]`)],
  )
}

function encodeUserPart({ part, path, anchor }: PlacedPart, encoder: Encoder): Block[] {
  switch (part.type) {
    case 'text':
      return push(textBlock(part.text), anchor, encoder)
    case 'image':
      return push([encodeImage(part, path)], anchor, encoder)
    case 'file':
      return push([encodeFile(part, path)], anchor, encoder)
    case 'tool-result': {
      const images = part.content.flatMap((inner, at) =>
        inner.type === 'image' ? [encodeImage(inner, `${path}.content[${at}]`)] : [],
      )
      return push([...textBlock(resultInWords(part)), ...images], anchor, encoder)
    }
    case 'tool-use':
    case 'thinking':
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      // A model's own, in a turn that is not the model's.
      return push([], anchor, encoder)
    default:
      return part satisfies never
  }
}

/** A part of the model's own turn. */
function encodeOwn({ part, path, anchor }: PlacedPart, turn: Turn, encoder: Encoder): Block[] {
  switch (part.type) {
    case 'text':
      return push(citedText(part.text, path, turn), anchor, encoder)
    case 'tool-use': {
      const input = rawJsonObject(part.input) ?? {}
      const id = encoder.ids.idOf(part)
      const name = encoder.names.toWire(part.name)
      return push([{ type: 'tool_use', id, name, input }], anchor, encoder)
    }
    case 'thinking':
      return part.signature === undefined || part.signature === ''
        ? push([], anchor, encoder)
        : push([{ type: 'thinking', thinking: part.text, signature: part.signature }], anchor, encoder)
    case 'redacted-thinking':
      return push([{ type: 'redacted_thinking', data: part.data }], anchor, encoder)
    case 'provider-content': {
      const block = fromProviderContent(part.data)
      return push(block === undefined ? [] : [block as Block], anchor, encoder)
    }
    case 'tool-result':
      return push(textBlock(resultInWords(part)), anchor, encoder)
    // Images go into the next user message, the one place that takes them; citations go with their text.
    case 'image':
    case 'file':
    case 'reasoning-details':
      return push([], anchor, encoder)
    default:
      return part satisfies never
  }
}

/** The end of a text that rests on sources is a block of its own again, with its citations. */
function citedText(text: string, path: string, turn: Turn): Block[] {
  const at = turn.parts.findIndex(placed => placed.path === path)
  const next = turn.parts[at + 1]?.part
  const cited = next?.type === 'reasoning-details' ? fromCitationDetails(next.data) : undefined
  if (!cited || cited.length <= 0 || cited.length > text.length) return textBlock(text)
  const [plain, rest] = [text.slice(0, -cited.length), text.slice(-cited.length)]
  return [...textBlock(plain), ...textBlock(rest).map(block => ({ ...block, citations: cited.citations }))]
}

function ownImages({ part, path }: PlacedPart): Block[] {
  if (part.type !== 'image' && part.type !== 'file') return []
  const block = part.type === 'image' ? encodeImage(part, path) : encodeFile(part, path)
  return [{ type: 'text', text: 'From your last answer:' }, block]
}

function continuesWithoutThinking(wire: readonly WireMessage[]): boolean {
  const [turn, answer] = wire.slice(-2)
  if (turn?.role !== 'assistant' || answer?.content[0]?.type !== 'tool_result') return false
  const first = turn.content[0]?.type
  return first !== 'thinking' && first !== 'redacted_thinking'
}
