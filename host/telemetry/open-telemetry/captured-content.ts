import type { CompletionEvent } from '../../contract/events.ts'
import type { CompletionRequest, MessagePart } from '../../contract/request.ts'
import { toFinishReason } from './attributes.ts'

/** A part of a message, as the conventions write it. */
type Part = { type: string } & Record<string, unknown>

/** The messages of a request that was found valid: `gen_ai.input.messages` and `gen_ai.system_instructions`. */
export function captureInput({ messages }: CompletionRequest): Record<string, string> {
  const system: Part[] = []
  const input: { role: string; parts: Part[] }[] = []
  for (const { role, content } of messages) {
    const parts =
      typeof content === 'string' ? [{ type: 'text', content }] : content.flatMap(part => toParts(part))
    if (role === 'system') system.push(...parts)
    else {
      const isResults = parts.length > 0 && parts.every(({ type }) => type === 'tool_call_response')
      input.push({ role: isResults ? 'tool' : role, parts })
    }
  }
  return {
    'gen_ai.input.messages': JSON.stringify(input),
    ...(system.length > 0 && { 'gen_ai.system_instructions': JSON.stringify(system) }),
  }
}

function toParts(part: MessagePart): Part[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', content: part.text }]
    case 'thinking':
      return [{ type: 'reasoning', content: part.text }]
    case 'tool-use':
      return [{ type: 'tool_call', id: part.id, name: part.name, arguments: readJson(part.input) }]
    case 'tool-result': {
      const { content } = part
      const said =
        typeof content === 'string'
          ? content
          : content.map(each => (each.type === 'text' ? each.text : '')).join('')
      return [{ type: 'tool_call_response', id: part.toolUseId, response: said }]
    }
    case 'image':
    case 'file':
      // Megabytes of Base64 have no place in a span.
      return [
        {
          type: part.type,
          ...(part.mediaType !== undefined && { mime_type: part.mediaType }),
          ...(/^https?:/.test(part.source) && { uri: part.source }),
        },
      ]
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      return []
    default:
      return part satisfies never
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Keeps what a model says, for `gen_ai.output.messages`. */
export function captureOutput(): { event(event: CompletionEvent): void; message(): string } {
  const parts: Part[] = []
  let finish: string | undefined

  function append(type: string, text: string) {
    const last = parts.at(-1)
    if (last?.type === type) last.content = `${last.content}${text}`
    else parts.push({ type, content: text })
  }

  return {
    event(event) {
      if (event.type === 'text') append('text', event.text)
      else if (event.type === 'thinking') append('reasoning', event.text)
      else if (event.type === 'tool-use')
        parts.push({ type: 'tool_call', id: event.id, name: event.name, arguments: readJson(event.input) })
      else if (event.type === 'stop') finish = toFinishReason(event.reason)
    },
    message: () => JSON.stringify([{ role: 'assistant', parts, finish_reason: finish ?? 'error' }]),
  }
}
