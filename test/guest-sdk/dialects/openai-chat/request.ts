import type { CompletionRequest, MessagePart, RequestMessage } from '../../../../guest-sdk/request.ts'

/** A completion request as the SDK hands it over, with what a test cares about. */
export function requestOf(
  messages: readonly RequestMessage[],
  fields: Partial<CompletionRequest> = {},
): CompletionRequest {
  return {
    messages: [...messages],
    tools: [],
    stopSequences: [],
    thinkingAllowed: true,
    providerOptions: {},
    ...fields,
  }
}

export const system = (text: string): RequestMessage => message('system', [{ type: 'text', text }])
export const user = (...content: (string | MessagePart)[]): RequestMessage => message('user', content)
export const assistant = (...content: (string | MessagePart)[]): RequestMessage =>
  message('assistant', content)

export function toolUse(id: string, name: string, input: string): MessagePart {
  return { type: 'tool-use', id, name, input }
}

export function toolResult(
  toolUseId: string,
  content: string | Extract<MessagePart, { type: 'tool-result' }>['content'],
  isError = false,
): MessagePart {
  return {
    type: 'tool-result',
    toolUseId,
    toolName: 'look',
    isError,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  }
}

function message(role: RequestMessage['role'], content: readonly (string | MessagePart)[]): RequestMessage {
  return {
    role,
    content: content.map(part => (typeof part === 'string' ? { type: 'text', text: part } : part)),
    cache: false,
  }
}
