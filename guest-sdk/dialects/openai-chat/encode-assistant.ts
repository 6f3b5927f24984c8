import { isRecord } from '../../is-record.ts'
import type { MessagePart } from '../../request.ts'
import { fromChatSignature } from '../call-signature.ts'
import type { ChatQuirks } from './quirks.ts'
import { fitToolCallId } from './tool-call-id.ts'
import type { WireMessage } from './wire-message.ts'

type ToolUsePart = Extract<MessagePart, { type: 'tool-use' }>

export function isToolUse(part: MessagePart): part is ToolUsePart {
  return part.type === 'tool-use'
}

/** One turn of the model. What belongs to other dialects (redacted thinking, provider content) is left out. */
export function encodeAssistant(content: readonly MessagePart[], quirks: ChatQuirks): WireMessage {
  const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
  const calls = content.filter(isToolUse)
  const wire: WireMessage = {
    role: 'assistant',
    // Without calls some refuse null, with calls some refuse the empty string.
    content: text === '' && calls.length > 0 ? null : text,
  }
  const echoes =
    quirks.reasoningEcho === 'always' || (quirks.reasoningEcho === 'tool-turns' && calls.length > 0)
  const details = quirks.reasoningDetails ? readDetails(content) : []
  if (details.length > 0) wire.reasoning_details = details
  else if (echoes) addThinking(wire, content, text, quirks)
  if (calls.length > 0) wire.tool_calls = calls.map(call => encodeCall(call, quirks))
  return wire
}

function addThinking(
  wire: WireMessage,
  content: readonly MessagePart[],
  text: string,
  quirks: ChatQuirks,
): void {
  const thinking = content.flatMap(part => (part.type === 'thinking' ? [part.text] : [])).join('')
  if (quirks.reasoningField === 'thinking-part') {
    if (thinking === '') return
    const part = { type: 'thinking', thinking: [{ type: 'text', text: thinking }] }
    wire.content = text === '' ? [part] : [part, { type: 'text', text }]
    return
  }
  // Where the field is required it is required empty too.
  wire[quirks.reasoningField] = thinking
}

function encodeCall(call: ToolUsePart, quirks: ChatQuirks): Record<string, unknown> {
  const wire = {
    id: fitToolCallId(call.id, quirks.toolCallIds),
    type: 'function',
    function: { name: call.name, arguments: encodeArguments(call.input) },
  }
  // Came in this place, and came only from a service that wants it back.
  const signature = call.thoughtSignature && fromChatSignature(call.thoughtSignature)
  return signature ? { ...wire, extra_content: { google: { thought_signature: signature } } } : wire
}

/** The text as it is, byte for byte: parsing would change large numbers. What is no JSON cannot be sent. */
function encodeArguments(input: string): string {
  try {
    return JSON.parse(input) === null ? '{}' : input
  } catch {
    return '{}'
  }
}

/**
 * Each part holds a list of details, or one. Those of this dialect have a type of `reasoning.`; what another dialect
 * put into a part of this kind stays with it.
 */
function readDetails(content: readonly MessagePart[]): unknown[] {
  return content.flatMap(part => {
    if (part.type !== 'reasoning-details') return []
    try {
      const details: unknown = JSON.parse(part.data)
      const all: unknown[] = Array.isArray(details) ? details : [details]
      return all.filter(detail => isRecord(detail) && String(detail.type).startsWith('reasoning.'))
    } catch {
      return []
    }
  })
}
