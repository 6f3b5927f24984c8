import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, MessagePart, RequestMessage } from '../../request.ts'
import { encodeAssistant, isToolUse } from './encode-assistant.ts'
import { type ContentPart, encodeFile, encodeImage, type PartRules } from './encode-parts.ts'
import type { ChatQuirks } from './quirks.ts'
import { fitToolCallId } from './tool-call-id.ts'
import type { WireMessage } from './wire-message.ts'

type ToolResultPart = Extract<MessagePart, { type: 'tool-result' }>
type PlacedResult = { result: ToolResultPart; path: string }

/**
 * The messages as the service wants them. Results stand right behind the turn that called, in the order of the
 * calls, wherever the request has them: services refuse anything else. Images that a result or the model itself
 * made go into the next user message, the one place that takes images.
 */
export function encodeMessages(request: CompletionRequest, model: string, quirks: ChatQuirks): WireMessage[] {
  const { messages } = request
  const rules: PartRules = { model, quirks }
  const results = matchResults(messages)
  const wire: WireMessage[] = []
  let images: ContentPart[] = []

  function flushImages(): void {
    if (images.length > 0) wire.push({ role: 'user', content: images })
    images = []
  }

  messages.forEach((message, at) => {
    const path = `messages[${at}]`
    if (message.role === 'assistant') {
      flushImages()
      wire.push(withCacheAnchor(encodeAssistant(message.content, quirks), message, quirks))
      const answered = results.byTurn.get(at) ?? []
      for (const { result } of answered) wire.push(encodeToolResult(result, quirks))
      images = [
        ...ownImages(message, path, rules),
        ...answered.flatMap(placed => resultImages(placed, rules)),
      ]
      return
    }
    const content = encodeContent(message.content, path, rules, results.placed)
    if (content.length === 0 && message.content.length > 0) {
      // A message of nothing but results is told already; its anchor is not.
      const last = wire.pop()
      if (last) wire.push(withCacheAnchor(last, message, quirks))
      return
    }
    if (message.role === 'system') {
      if (content.some(part => part.type !== 'text')) throw textOnly(path)
      const role = quirks.systemRole
      wire.push(withCacheAnchor({ role, content: joinText(content) }, message, quirks))
      return
    }
    const parts = [...images, ...content]
    images = []
    wire.push(withCacheAnchor({ role: 'user', content: simplest(parts, quirks) }, message, quirks))
  })
  flushImages()
  const words = inWords(request, quirks)
  if (words.length > 0) wire.unshift({ role: quirks.systemRole, content: words.join('\n\n') })
  return fitOrder(wire, quirks)
}

/** What the service has no field for. */
function inWords(
  { responseFormat, parallelToolCalls, tools }: CompletionRequest,
  quirks: ChatQuirks,
): string[] {
  const words: string[] = []
  if (responseFormat && quirks.structuredOutput === 'json_object') {
    const schema = JSON.stringify(responseFormat.schema)
    words.push(`Answer with a JSON object that fits this JSON Schema, and nothing else:\n${schema}`)
  }
  if (parallelToolCalls === false && tools.length > 0 && !quirks.parallelToolCalls) {
    words.push('Call at most one tool at a time.')
  }
  return words
}

function fitOrder(wire: WireMessage[], quirks: ChatQuirks): WireMessage[] {
  const fitted = quirks.assistantAfterTool
    ? wire.flatMap((message, at) =>
        message.role === 'user' && wire[at - 1]?.role === 'tool'
          ? [{ role: 'assistant', content: 'I have the results.' }, message]
          : [message],
      )
    : wire
  const last = fitted.at(-1)
  if (quirks.prefixField && last?.role === 'assistant') fitted[fitted.length - 1] = { ...last, prefix: true }
  return fitted
}

/** Finds the results of each assistant turn, up to a later turn that uses the same id again. */
function matchResults(messages: readonly RequestMessage[]): {
  byTurn: Map<number, PlacedResult[]>
  placed: ReadonlySet<ToolResultPart>
} {
  const byTurn = new Map<number, PlacedResult[]>()
  const placed = new Set<ToolResultPart>()
  // Later turns first, so that of two calls with one id each gets the results that follow it.
  const open = new Map<string, PlacedResult>()
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role, content } = messages[at]!
    for (let place = content.length - 1; place >= 0; place--) {
      const part = content[place]!
      if (part.type === 'tool-result') {
        open.set(part.toolUseId, { result: part, path: `messages[${at}].content[${place}]` })
      }
    }
    if (role !== 'assistant') continue
    const answered = content.filter(isToolUse).flatMap(call => {
      const found = open.get(call.id)
      open.delete(call.id)
      return found ? [found] : []
    })
    for (const { result } of answered) placed.add(result)
    byTurn.set(at, answered)
  }
  return { byTurn, placed }
}

function encodeToolResult(result: ToolResultPart, quirks: ChatQuirks): WireMessage {
  return {
    role: 'tool',
    tool_call_id: fitToolCallId(result.toolUseId, quirks.toolCallIds),
    content: resultText(result),
  }
}

/** The dialect has no field for a failure, so the text says it. */
function resultText({ content, isError }: ToolResultPart): string {
  const images = content.filter(part => part.type === 'image').length
  const lines = content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  if (images > 0) lines.push(images === 1 ? '(An image follows.)' : `(${images} images follow.)`)
  const text = lines.join('\n')
  if (!isError) return text
  return /^\s*error\b/i.test(text) ? text : `Error: ${text || 'the tool failed'}`
}

function resultImages({ result, path }: PlacedResult, rules: PartRules): ContentPart[] {
  const images = result.content.flatMap((part, at) =>
    part.type === 'image' ? [encodeImage(part, `${path}.content[${at}]`, rules)] : [],
  )
  return images.length === 0
    ? []
    : [{ type: 'text', text: `From the result of the tool ${result.toolName}:` }, ...images]
}

function ownImages(message: RequestMessage, path: string, rules: PartRules): ContentPart[] {
  const images = message.content.flatMap((part, at) =>
    part.type === 'image' ? [encodeImage(part, `${path}.content[${at}]`, rules)] : [],
  )
  return images.length === 0 ? [] : [{ type: 'text', text: 'From your last answer:' }, ...images]
}

function encodeContent(
  content: readonly MessagePart[],
  path: string,
  rules: PartRules,
  placed: ReadonlySet<ToolResultPart>,
): ContentPart[] {
  return content.flatMap((part, at): ContentPart[] => {
    const here = `${path}.content[${at}]`
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'image':
        return [encodeImage(part, here, rules)]
      case 'file':
        return [encodeFile(part, here, rules)]
      case 'tool-result':
        if (placed.has(part)) return []
        // No call asks for it any more (a history cut at its start): a `tool` message would be refused.
        return [
          { type: 'text', text: `Result of the tool ${part.toolName}: ${resultText(part)}` },
          ...resultImages({ result: part, path: here }, rules),
        ]
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
  })
}

/** Many servers take a string only, so one text is a string. */
function simplest(parts: readonly ContentPart[], quirks: ChatQuirks): string | readonly ContentPart[] {
  if (!quirks.contentParts || parts.length === 0) return joinText(parts)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? String(only.text) : parts
}

function joinText(parts: readonly ContentPart[]): string {
  return parts.flatMap(part => (typeof part.text === 'string' ? [part.text] : [])).join('\n')
}

function withCacheAnchor(wire: WireMessage, message: RequestMessage, quirks: ChatQuirks): WireMessage {
  if (!message.cache || !quirks.cacheControl || !quirks.contentParts) return wire
  const { content } = wire
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(parts) || parts.length === 0) return wire
  const marked = { ...(parts.at(-1) as ContentPart), cache_control: { type: 'ephemeral' } }
  return { ...wire, content: [...parts.slice(0, -1), marked] }
}

function textOnly(path: string): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${path}: a system message takes text only in this dialect. Move the rest into a user message.`,
  })
}
