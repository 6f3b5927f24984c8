import type { MessagePart, RequestMessage } from '../contract/request.ts'

/**
 * A conversation in which every call has a result: one that was cancelled between the two is told to the model as an
 * error. No service takes a call that stays open.
 */
export function answerOpenCalls(messages: readonly RequestMessage[]): RequestMessage[] {
  return messages.flatMap((message, at) => {
    const open = partsOf(message)
      .filter(part => part.type === 'tool-use')
      .filter(({ id }) => !isAnswered(id, messages.slice(at + 1)))
    if (open.length === 0) return [message]
    const content = open.map(
      ({ id, name }): MessagePart => ({
        type: 'tool-result',
        toolUseId: id,
        toolName: name,
        isError: true,
        content: 'This call was cancelled: it was not run to its end, and has no result.',
      }),
    )
    return [message, { role: 'user', content }]
  })
}

/** Before another call has its id. */
function isAnswered(id: string, later: readonly RequestMessage[]): boolean {
  const parts = later.flatMap(partsOf)
  const next = parts.find(
    part =>
      (part.type === 'tool-use' && part.id === id) || (part.type === 'tool-result' && part.toolUseId === id),
  )
  return next?.type === 'tool-result'
}

function partsOf({ content }: RequestMessage): readonly MessagePart[] {
  return typeof content === 'string' ? [] : content
}
