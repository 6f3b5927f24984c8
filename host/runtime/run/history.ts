import type { CompletionEvent } from '../../contract/events.ts'
import type { MessagePart, RequestMessage } from '../../contract/request.ts'
import { toModelContent } from '../../tools/model-content.ts'
import { type CollectedAnswer, collectResult } from '../collect-result.ts'
import type { ToolCallResult } from './run.ts'

/**
 * An answer and the results of its calls, as messages: all results in one, in the order of the calls. An answer that
 * says nothing is left out: services refuse it.
 */
export function toMessages(parts: MessagePart[], results: readonly ToolCallResult[]): RequestMessage[] {
  const messages: RequestMessage[] = []
  if (results.length > 0 || !parts.every(({ type }) => NO_ANSWER.has(type)))
    messages.push({ role: 'assistant', content: parts })
  if (results.length > 0) messages.push({ role: 'user', content: results.map(toPart) })
  return messages
}

/**
 * What had come of an answer that was aborted. Its last thinking may lack the signature that it would have ended with,
 * and without it no service takes it back.
 */
export function collectPartial(events: readonly CompletionEvent[]): CollectedAnswer {
  const answer = collectResult(events)
  const last = answer.parts.at(-1)
  if (last?.type === 'thinking' && last.signature === undefined) answer.parts.pop()
  return answer
}

/** What the model thought, and nothing that it said. */
const NO_ANSWER = new Set<MessagePart['type']>(['thinking', 'redacted-thinking', 'reasoning-details'])

function toPart({ id, name, result }: ToolCallResult): MessagePart {
  return {
    type: 'tool-result',
    toolUseId: id,
    toolName: name,
    isError: result.isError,
    content: toModelContent(result),
  }
}
