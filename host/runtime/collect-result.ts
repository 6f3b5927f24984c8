import type { Citation, CompletionEvent, StopReason, TokenUsage, ToolUse } from '../contract/events.ts'
import type { MessagePart } from '../contract/request.ts'

/** A whole answer, and who gave it. */
export interface CompletionResult extends CollectedAnswer {
  /** The model that answered, as `<provider>/<model id>`: of a list of models, whichever it was. */
  reference: string
  /** Its provider, as callers write it. */
  provider: string
}

export interface CollectedAnswer {
  /** All text, joined. */
  text: string
  /** What came, in its order: ready to be the `content` of the next assistant message. */
  parts: MessagePart[]
  /** The calls that can be run: those with valid arguments. */
  toolUses: ToolUse[]
  /** The calls that cannot: never run them, answer them with an error. */
  brokenToolUses: { id: string; name: string; rawInput: string; error: string }[]
  /** Absent where the service reported none. */
  usage?: TokenUsage
  stopReason: StopReason
  /** The service's own id for the answer. */
  id?: string
  /** What the service calls the model that answered, which may be another than the one asked for. */
  model?: string
  citations: Citation[]
}

/** Joins the events of one finished answer. */
export function collectResult(events: readonly CompletionEvent[]): CollectedAnswer {
  const result: CollectedAnswer = {
    text: '',
    parts: [],
    toolUses: [],
    brokenToolUses: [],
    stopReason: 'other',
    citations: [],
  }
  const { parts } = result
  for (const event of events) {
    const last = parts.at(-1)
    switch (event.type) {
      case 'text':
        result.text += event.text
        if (last?.type === 'text') last.text += event.text
        else parts.push({ type: 'text', text: event.text })
        break
      case 'thinking':
        // A signature ends its block, which may have no text that the service shows.
        if (last?.type === 'thinking' && last.signature === undefined) {
          last.text += event.text
          if (event.signature !== undefined) last.signature = event.signature
        } else parts.push({ ...event })
        break
      case 'tool-use': {
        const { type, ...call } = event
        result.toolUses.push(call)
        parts.push({ type, ...call })
        break
      }
      case 'tool-use-json-parse-error': {
        const { type: _, ...call } = event
        result.brokenToolUses.push(call)
        // History needs the call, since the model will be told that it failed; no service takes broken arguments back.
        parts.push({ type: 'tool-use', id: call.id, name: call.name, input: '{}' })
        break
      }
      case 'redacted-thinking':
      case 'reasoning-details':
      case 'provider-content':
      case 'image':
        parts.push({ ...event })
        break
      case 'citation': {
        const { type: _, ...citation } = event
        result.citations.push(citation)
        break
      }
      case 'response-metadata':
        if (event.id !== undefined) result.id = event.id
        if (event.model !== undefined) result.model = event.model
        break
      case 'usage': {
        const { type: _, ...usage } = event
        result.usage = usage
        break
      }
      case 'stop':
        result.stopReason = event.reason
        break
      case 'started':
      case 'tool-input-delta':
        break
      default:
        event satisfies never
    }
  }
  return result
}
