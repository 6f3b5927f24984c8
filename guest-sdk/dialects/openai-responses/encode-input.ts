import type { RequestMessage } from '../../request.ts'
import {
  type Answer,
  type PlacedPart,
  resultInWords,
  type Turn,
  textOnly,
  toConversation,
  UNANSWERED,
  unansweredWarning,
} from '../conversation.ts'
import { refuseEmpty } from '../conversation-ends.ts'
import { encodeAssistant, ownImages } from './encode-assistant.ts'
import { type Content, encodeFile, encodeImage } from './encode-media.ts'
import {
  createEncoder,
  type Encoder,
  type InputItem,
  type InputOptions,
  message,
  push,
  textContent,
} from './encoder.ts'

export interface EncodedInput {
  instructions: string | undefined
  input: InputItem[]
}

/** How many breakpoints of ours a request may write beside the one that the service sets by itself. */
const MAX_BREAKPOINTS = 3

/** The conversation as the API wants it: a flat list of items, each result behind the call that it answers. */
export function encodeInput(messages: readonly RequestMessage[], options: InputOptions): EncodedInput {
  const encoder = createEncoder(options)
  const { rules, warn } = options
  const { system, turns } = toConversation(messages)
  const parts = system.flatMap(placed => encodeUserPart(placed, encoder))
  const input: InputItem[] = []
  let images: Content[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      input.push(...encodeAssistant(turn, encoder))
      images = ownImages(turn, encoder)
      continue
    }
    input.push(...encodeUserTurn(turn, images, encoder))
    images = []
  }
  if (images.length > 0) input.push(message('user', images))
  // Instructions are one text, with no place for a breakpoint.
  const asItem = parts.length > 0 && (input.length === 0 || (rules.cacheBreakpoints && system.some(isAnchor)))
  if (asItem) input.unshift(message(rules.systemRole, parts))
  refuseEmpty(input)
  if (input.at(-1)?.role === 'assistant') {
    warn("The last message is the model's own: the service answers it, and does not continue it")
  }
  if (rules.cacheBreakpoints) {
    for (const block of encoder.anchors.slice(-MAX_BREAKPOINTS)) {
      block.prompt_cache_breakpoint = { mode: 'explicit' }
    }
  }
  const instructions = parts.map(({ text }) => String(text)).join('\n\n')
  return { instructions: asItem || instructions === '' ? undefined : instructions, input }
}

function isAnchor({ anchor }: PlacedPart): boolean {
  return anchor
}

function encodeUserTurn(
  { answers, parts }: Turn,
  ownImages: readonly Content[],
  encoder: Encoder,
): InputItem[] {
  const items = answers.map(answer => encodeAnswer(answer, encoder))
  const beside = encoder.rules.resultImages ? [] : answers.flatMap(answer => imagesBeside(answer, encoder))
  const add = (role: 'user' | 'developer' | 'system', content: Content[]) => {
    if (content.length === 0) return
    const last = items.at(-1)
    if (last?.role === role && Array.isArray(last.content)) last.content.push(...content)
    else items.push(message(role, content))
  }
  add('user', [...beside, ...ownImages])
  for (const placed of parts) {
    add(placed.isSystem ? encoder.rules.systemRole : 'user', encodeUserPart(placed, encoder))
  }
  return items
}

function encodeAnswer(answer: Answer, encoder: Encoder): InputItem {
  const { call, result, path, anchor } = answer
  const head = { type: 'function_call_output', call_id: encoder.ids.idOf(call) }
  if (!result) {
    encoder.warn(unansweredWarning(call))
    return { ...head, output: `Error: ${UNANSWERED}` }
  }
  const { rules } = encoder
  const images = result.content.filter(part => part.type === 'image').length
  const lines = result.content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  if (images > 0 && !rules.resultImages)
    lines.push(images === 1 ? '(An image follows.)' : `(${images} images follow.)`)
  const text = lines.join('\n')
  // There is no field for a failure, so the text says it.
  const words = !result.isError || /^\s*error\b/i.test(text) ? text : `Error: ${text || 'the tool failed'}`
  const isAnchored = anchor && rules.cacheBreakpoints
  if ((images === 0 || !rules.resultImages) && !isAnchored) return { ...head, output: words }
  const content = result.content.flatMap((part, at) =>
    part.type === 'image' && rules.resultImages ? [encodeImage(part, `${path}.content[${at}]`, rules)] : [],
  )
  return { ...head, output: push([...textContent(words || ' '), ...content], anchor, encoder) }
}

function imagesBeside({ result, path }: Answer, { rules }: Encoder): Content[] {
  const images = (result?.content ?? []).flatMap((part, at) =>
    part.type === 'image' ? [encodeImage(part, `${path}.content[${at}]`, rules)] : [],
  )
  return images.length === 0
    ? []
    : [...textContent(`From the result of the tool ${result!.toolName}:`), ...images]
}

function encodeUserPart({ part, path, anchor, isSystem }: PlacedPart, encoder: Encoder): Content[] {
  if (isSystem && part.type !== 'text') throw textOnly(path)
  const { rules } = encoder
  switch (part.type) {
    case 'text':
      return push(textContent(part.text), anchor, encoder)
    case 'image':
      return push([encodeImage(part, path, rules)], anchor, encoder)
    case 'file':
      return push([encodeFile(part, path, rules)], anchor, encoder)
    case 'tool-result': {
      const images = part.content.flatMap((inner, at) =>
        inner.type === 'image' ? [encodeImage(inner, `${path}.content[${at}]`, rules)] : [],
      )
      return push([...textContent(resultInWords(part)), ...images], anchor, encoder)
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
