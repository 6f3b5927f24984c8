import type { RequestMessage } from '../../request.ts'
import { fromChatSignature } from '../call-signature.ts'
import {
  type Answer,
  type PlacedPart,
  resultInWords,
  type ToolResultPart,
  type ToolUsePart,
  type Turn,
  textOnly,
  toConversation,
  UNANSWERED,
  unansweredWarning,
} from '../conversation.ts'
import { beginWithUser, OPENING_TEXT, refuseEmpty } from '../conversation-ends.ts'
import { rawJsonObject } from '../raw-json.ts'
import type { ToolNames } from '../tool-names.ts'
import { OWN_ID_PREFIX } from './decode.ts'
import { encodeFile, encodeImage, type Part } from './encode-media.ts'
import {
  fromProviderContent,
  fromSignatureDetails,
  type SignedPart,
  STAND_IN_SIGNATURE,
} from './opaque-parts.ts'
import type { GeminiRules } from './rules.ts'

export interface Content {
  role: 'user' | 'model'
  parts: Part[]
}

interface Encoder {
  rules: GeminiRules
  names: ToolNames
  warn: (message: string) => void
}

/**
 * The conversation as the API wants it. The results of a turn's calls are one content, as many as the calls and in
 * their order, with nothing else in it; what else the user says follows in a content of its own.
 */
export function encodeContents(
  messages: readonly RequestMessage[],
  rules: GeminiRules,
  names: ToolNames,
  warn: (message: string) => void,
): { system: Part[]; contents: Content[] } {
  const encoder: Encoder = { rules, names, warn }
  const { system, turns } = toConversation(messages)
  const contents: Content[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      add(contents, 'model', encodeModelTurn(turn, encoder))
      continue
    }
    if (turn.answers.length > 0) {
      contents.push({ role: 'user', parts: turn.answers.map(answer => encodeAnswer(answer, encoder)) })
      const images = rules.resultImages ? [] : turn.answers.flatMap(imagesBeside)
      if (images.length > 0) contents.push({ role: 'user', parts: images })
    }
    const parts = turn.parts.flatMap(placed => encodeUserPart(placed, encoder))
    if (parts.length > 0) contents.push({ role: 'user', parts })
  }
  const systemParts = system.flatMap(({ part, path }) => {
    if (part.type !== 'text') throw textOnly(path)
    return textPart(part.text)
  })
  refuseEmpty(contents)
  beginWithUser(contents, { role: 'user', parts: textPart(OPENING_TEXT) }, warn)
  return { system: systemParts, contents }
}

function add(contents: Content[], role: Content['role'], parts: Part[]): void {
  if (parts.length === 0) return
  const last = contents.at(-1)
  if (last?.role === role) last.parts.push(...parts)
  else contents.push({ role, parts })
}

function textPart(text: string): Part[] {
  return text === '' ? [] : [{ text }]
}

function encodeModelTurn(turn: Turn, { rules, names, warn }: Encoder): Part[] {
  const parts: Part[] = []
  let calls = 0
  turn.parts.forEach(({ part }, at) => {
    const next = turn.parts[at + 1]?.part
    const signed = next?.type === 'reasoning-details' ? fromSignatureDetails(next.data) : undefined
    switch (part.type) {
      case 'text':
        parts.push(...signedText(part.text, signed?.of === 'text' ? signed : undefined, {}))
        break
      case 'thinking':
        // Thoughts go back only with their signature: without one they are another model's, or only a summary.
        if (signed?.of === 'thought')
          parts.push(...signedText(part.text, signed, { thought: true }).slice(-1))
        break
      case 'image': {
        const signature = signed?.of === 'image' ? { thoughtSignature: signed.signature } : {}
        parts.push({ ...encodeImage(part), ...signature })
        break
      }
      case 'file':
        parts.push(encodeFile(part))
        break
      case 'tool-use': {
        const signature =
          ownSignature(part) ?? (calls === 0 && rules.signedCalls ? STAND_IN_SIGNATURE : undefined)
        if (signature === STAND_IN_SIGNATURE) {
          warn(
            `The call "${part.id}" of the tool ${part.name} has no signature: the service is told not to check it`,
          )
        }
        calls++
        const args = rawJsonObject(part.input) ?? {}
        parts.push({
          functionCall: { ...callId(part, rules), name: names.toWire(part.name), args },
          ...(signature !== undefined && { thoughtSignature: signature }),
        })
        break
      }
      case 'provider-content': {
        const own = fromProviderContent(part.data)
        if (own !== undefined) parts.push(own as Part)
        break
      }
      case 'reasoning-details': {
        const details = fromSignatureDetails(part.data)
        const before = turn.parts[at - 1]?.part.type
        const isTaken = details && before === (details.of === 'thought' ? 'thinking' : details.of)
        // The signature of an empty part.
        if (details && !isTaken) parts.push({ text: '', thoughtSignature: details.signature })
        break
      }
      case 'tool-result':
        parts.push(...textPart(resultInWords(part)))
        break
      case 'redacted-thinking':
        break
      default:
        part satisfies never
    }
  })
  return parts
}

/** A signature stays on its own part: it is neither moved to another nor spread over more than it came with. */
function signedText(text: string, signed: SignedPart | undefined, fields: Part): Part[] {
  if (!signed) return textPart(text).map(part => ({ ...part, ...fields }))
  const length = Math.min(signed.length, text.length)
  const plain = text.slice(0, text.length - length)
  return [
    ...textPart(plain).map(part => ({ ...part, ...fields })),
    { text: text.slice(text.length - length), ...fields, thoughtSignature: signed.signature },
  ]
}

function ownSignature({ thoughtSignature }: ToolUsePart): string | undefined {
  const isForeign = thoughtSignature !== undefined && fromChatSignature(thoughtSignature) !== undefined
  return isForeign ? undefined : thoughtSignature
}

/** An id goes back where the model gave one. */
function callId({ id }: ToolUsePart, { callIds }: GeminiRules): Part {
  return callIds && id !== '' && !id.startsWith(OWN_ID_PREFIX) ? { id } : {}
}

function encodeAnswer({ call, result }: Answer, { rules, names, warn }: Encoder): Part {
  const head = { ...callId(call, rules), name: names.toWire(call.name) }
  if (!result) {
    warn(unansweredWarning(call))
    return { functionResponse: { ...head, response: { error: UNANSWERED } } }
  }
  const images = rules.resultImages ? imagesOf(result) : []
  const text = result.content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  const count = result.content.length - text.length
  if (count > 0 && !rules.resultImages)
    text.push(count === 1 ? '(An image follows.)' : `(${count} images follow.)`)
  const words = text.join('\n')
  const response = result.isError ? { error: words || 'The tool failed.' } : { result: words }
  return { functionResponse: { ...head, response, ...(images.length > 0 && { parts: images }) } }
}

function imagesOf({ content }: ToolResultPart): Part[] {
  return content.flatMap(part => (part.type === 'image' ? [encodeImage(part)] : []))
}

function imagesBeside({ result }: Answer): Part[] {
  const images = result ? imagesOf(result) : []
  return images.length === 0 ? [] : [{ text: `From the result of the tool ${result!.toolName}:` }, ...images]
}

function encodeUserPart({ part, path, isSystem }: PlacedPart, { warn }: Encoder): Part[] {
  if (isSystem) {
    if (part.type !== 'text') throw textOnly(path)
    warn(`${path} is a system message between others: the model is told it in a user message`)
    return textPart(`<system>\n${part.text}\n</system>`)
  }
  switch (part.type) {
    case 'text':
      return textPart(part.text)
    case 'image':
      return [encodeImage(part)]
    case 'file':
      return [encodeFile(part)]
    case 'tool-result':
      return [{ text: resultInWords(part) }, ...imagesOf(part)]
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
