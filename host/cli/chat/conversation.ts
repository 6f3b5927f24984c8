import type { CompletionEvent } from '../../contract/events.ts'
import type { CompletionRequest, MessagePart, RequestMessage } from '../../contract/request.ts'

export interface Conversation {
  model: string
  system: string | undefined
  /** The request for the next answer, with everything said so far. */
  ask(message: string): CompletionRequest
  /** The answer came whole. */
  answered(parts: MessagePart[]): void
  /** It went on with tools: all that was said, as the run has it, whether or not it came to an end. */
  went(messages: readonly RequestMessage[]): void
  /** It was stopped: what was said of it counts, and where nothing was, the question is taken back. */
  stopped(partial: readonly CompletionEvent[]): void
  /** It failed: the question is taken back. */
  failed(): void
  clear(): void
}

export function createConversation(model: string, system: string | undefined): Conversation {
  let messages: RequestMessage[] = []
  return {
    model,
    system,
    ask(message) {
      messages.push({ role: 'user', content: message })
      const instructions = this.system ? [{ role: 'system' as const, content: this.system }] : []
      return { model: this.model, messages: [...instructions, ...messages] }
    },
    answered(parts) {
      messages.push({ role: 'assistant', content: parts })
    },
    went(all) {
      messages = all.slice(this.system ? 1 : 0)
      // Nothing came of the question: it is taken back.
      if (messages.at(-1)?.role === 'user' && typeof messages.at(-1)?.content === 'string') messages.pop()
    },
    stopped(partial) {
      const text = partial.map(event => (event.type === 'text' ? event.text : '')).join('')
      if (text === '') messages.pop()
      else messages.push({ role: 'assistant', content: text })
    },
    failed() {
      messages.pop()
    },
    clear() {
      messages = []
    },
  }
}
