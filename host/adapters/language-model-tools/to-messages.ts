import type { MessagePart, RequestMessage } from '../../contract/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import { rememberMaker } from '../../runtime/opaque-parts.ts'
import { isTextType } from '../../tools/tool-result.ts'
import { placeCarried } from '../carried-parts.ts'
import { LanguageModelChatMessageRole, type LanguageModelInputPart } from './chat-message.ts'
import type { Keepsakes } from './keepsakes.ts'
import {
  LanguageModelChatMessageToolResultPart,
  LanguageModelDataPart,
  LanguageModelPromptTsxPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from './parts.ts'
import { promptText } from './prompt-tsx.ts'
import { fromThinkingPart } from './thinking.ts'

/** A message, or an object like one. */
export interface ChatMessageLike {
  readonly role: number
  readonly content?: string | readonly (string | LanguageModelInputPart)[]
  readonly content2?: readonly (string | LanguageModelInputPart)[]
  readonly name?: string | undefined
}

/** The media type of a part that is no content: everything before it may be cached. */
const CACHE_ANCHOR = 'cache_control'

const ROLES: Readonly<Record<number, RequestMessage['role']>> = {
  [LanguageModelChatMessageRole.User]: 'user',
  [LanguageModelChatMessageRole.Assistant]: 'assistant',
  [LanguageModelChatMessageRole.System]: 'system',
}

/**
 * Messages of the interface as Airlock's. Nothing is left out.
 * @throws {InvalidRequestError} naming the part that is none, or that its message cannot hold
 */
export function toMessages(messages: readonly ChatMessageLike[], keepsakes: Keepsakes): RequestMessage[] {
  const names = new Map<string, string>()
  return messages.map((message, at) => {
    const path = `messages[${at}]`
    const role =
      ROLES[message.role] ??
      refuse(`${path}.role`, `must be User (1), Assistant (2) or System (3), not ${message.role}`)
    const given = message.content2 ?? message.content ?? []
    const parts = typeof given === 'string' ? [given] : given
    const content: MessagePart[] = []
    let cache = false
    // What the caller hands back itself is not put in a second time.
    const thinks = parts.some(part => part instanceof LanguageModelThinkingPart)
    for (const [place, part] of parts.entries()) {
      const where = `${path}.content[${place}]`
      if (part instanceof LanguageModelDataPart && part.mimeType === CACHE_ANCHOR) cache = true
      else if (part instanceof LanguageModelToolCallPart) {
        if (role !== 'assistant') refuse(where, 'is a call, which only an assistant message holds')
        names.set(part.callId, part.name)
        addCall(content, part, thinks, keepsakes)
      } else if (isResult(part)) {
        if (role !== 'user') refuse(where, "is a call's result, which only a user message holds")
        content.push(toResult(part, names, where))
      } else if (part instanceof LanguageModelThinkingPart) addThinking(content, part)
      else addContent(content, toContent(part, where), role)
    }
    if (message.name !== undefined && role === 'user')
      content.unshift({ type: 'text', text: `${message.name}:` })
    return { role, content, ...(cache && { cache }) }
  })
}

/** Pieces of an answer that are handed back one by one are one text again. */
function addContent(content: MessagePart[], part: MessagePart, role: RequestMessage['role']): void {
  const last = content.at(-1)
  if (role === 'assistant' && part.type === 'text' && last?.type === 'text') last.text += part.text
  else content.push(part)
}

function toContent(part: unknown, where: string): MessagePart {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (part instanceof LanguageModelTextPart) return { type: 'text', text: part.value }
  if (part instanceof LanguageModelPromptTsxPart) return { type: 'text', text: promptText(part.value) }
  if (part instanceof LanguageModelDataPart) {
    const { mimeType } = part
    if (isTextType(mimeType)) return { type: 'text', text: new TextDecoder().decode(part.data) }
    const source = Buffer.from(part.data).toString('base64')
    return mimeType.startsWith('image/')
      ? { type: 'image', source, mediaType: mimeType }
      : { type: 'file', source, mediaType: mimeType }
  }
  return refuse(where, 'is no text and none of the classes of parts')
}

function addCall(
  content: MessagePart[],
  part: LanguageModelToolCallPart,
  thinks: boolean,
  keepsakes: Keepsakes,
): void {
  const { callId, name, input } = part
  const kept = keepsakes.find(part)
  const signature = kept?.carried.thoughtSignature
  const call: MessagePart = {
    type: 'tool-use',
    id: callId,
    name,
    input: JSON.stringify(input ?? {}),
    ...(signature !== undefined && { thoughtSignature: signature }),
  }
  if (kept) {
    const carried = thinks ? { before: [] } : structuredClone(kept.carried)
    placeCarried(content, carried, 0)
    rememberMaker([call, ...carried.before.map(({ part }) => part)], kept.provider)
  }
  content.push(call)
}

/** Pieces of one block are one part: the signature of the last one is the block's. */
function addThinking(content: MessagePart[], given: LanguageModelThinkingPart): void {
  const { part, provider } = fromThinkingPart(given)
  const last = content.at(-1)
  if (part.type === 'thinking' && last?.type === 'thinking' && last.signature === undefined) {
    last.text += part.text
    if (part.signature !== undefined) last.signature = part.signature
    if (provider !== undefined) rememberMaker([last], provider)
    return
  }
  content.push(part)
  if (provider !== undefined) rememberMaker([part], provider)
}

type ResultPart = LanguageModelToolResultPart | LanguageModelChatMessageToolResultPart

function isResult(part: unknown): part is ResultPart {
  return part instanceof LanguageModelToolResultPart || part instanceof LanguageModelChatMessageToolResultPart
}

function toResult(part: ResultPart, names: ReadonlyMap<string, string>, where: string): MessagePart {
  const toolUseId = 'callId' in part ? part.callId : part.toolCallId
  const toolName = names.get(toolUseId)
  if (toolName === undefined)
    return refuse(where, `answers the call ${JSON.stringify(toolUseId)}, which no message before it has`)
  const { isError } = part
  const pieces = (Array.isArray(part.content) ? part.content : [part.content]).map((piece, at) => {
    const made = toContent(piece, `${where}.content[${at}]`)
    if (made.type === 'text' || made.type === 'image') return made
    return refuse(`${where}.content[${at}]`, `must be text or an image, not ${made.type}`)
  })
  const content = pieces.every(piece => piece.type === 'text')
    ? pieces.map(({ text }) => text).join('\n')
    : pieces
  return { type: 'tool-result', toolUseId, toolName, content, ...(isError && { isError }) }
}

function refuse(path: string, problem: string): never {
  throw new InvalidRequestError(path, `Cannot send this request: ${path} ${problem}`)
}
