import type { CompletionRequest, MessagePart, RequestMessage } from '../../contract/request.ts'
import { rememberMaker } from '../../runtime/opaque-parts.ts'
import { answerOpenCalls } from '../answer-open-calls.ts'
import { placeCarried } from '../carried-parts.ts'
import type { Message, ProtocolRequest, ToolCall, ToolResult } from './shape.ts'
import { readSignature } from './signature.ts'

/** A call of the history, with the id that it is sent with. */
interface SentCall {
  id: string
  name: string
  isAnswered: boolean
}

/** A request of the protocol as one of Airlock's. */
export function toRequest(
  model: string,
  { systemPrompt, messages, tools }: ProtocolRequest,
): CompletionRequest {
  return {
    model,
    messages: [
      ...(systemPrompt === '' ? [] : [{ role: 'system' as const, content: systemPrompt }]),
      ...toMessages(messages),
    ],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    }),
  }
}

/** What the model said and called one after the other is one message: the order inside it counts. */
function toMessages(messages: readonly Message[]): RequestMessage[] {
  const made: { role: 'user' | 'assistant'; content: MessagePart[] }[] = []
  const taken = new Set(messages.flatMap(idsOf))
  let unnamed = 0
  let open: SentCall[] = []
  /** Where the model's turn began: a call ends it, since what follows was another answer. */
  let turnAt = 0

  function contentOf(role: 'user' | 'assistant'): MessagePart[] {
    const last = made.at(-1)
    if (last?.role === role) return last.content
    const content: MessagePart[] = []
    made.push({ role, content })
    turnAt = 0
    return content
  }

  function newId(): string {
    let id: string
    do id = `call-${++unnamed}`
    while (taken.has(id))
    return id
  }

  function addCall(content: MessagePart[], { id = newId(), name, args, signature }: ToolCall) {
    const { provider, ...carried } = readSignature(signature)
    const { thoughtSignature } = carried
    placeCarried(content, carried, turnAt)
    const call: MessagePart = {
      type: 'tool-use',
      id,
      name,
      input: JSON.stringify(args),
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    }
    content.push(call)
    if (provider !== undefined) rememberMaker([call, ...carried.before.map(({ part }) => part)], provider)
    open.push({ id, name, isAnswered: false })
  }

  function answer({ id, name, result, isError }: ToolResult): MessagePart {
    const free = open.filter(call => !call.isAnswered)
    const call =
      free.find(call => call.id === id) ?? free.find(call => call.name === name) ?? (id ? undefined : free[0])
    if (call) call.isAnswered = true
    return {
      type: 'tool-result',
      toolUseId: call?.id ?? id ?? newId(),
      toolName: name,
      content: result,
      ...(isError !== undefined && { isError }),
    }
  }

  for (const message of messages) {
    switch (message.role) {
      case 'user':
        contentOf('user').push({ type: 'text', text: message.text })
        break
      case 'model':
        contentOf('assistant').push({ type: 'text', text: message.text })
        break
      case 'tool-call': {
        const content = contentOf('assistant')
        open = []
        for (const call of message.calls) addCall(content, call)
        turnAt = content.length
        break
      }
      case 'tool-result':
        contentOf('user').push(...message.results.map(answer))
        break
      default:
        message satisfies never
    }
  }
  return answerOpenCalls(made)
}

function idsOf(message: Message): string[] {
  return message.role === 'tool-call' ? message.calls.flatMap(({ id }) => id ?? []) : []
}
