import { ProviderError } from '../provider-error.ts'

/** @throws {ProviderError} where nothing is there that could be answered. */
export function refuseEmpty(wire: readonly unknown[]): void {
  if (wire.length > 0) return
  throw new ProviderError({
    kind: 'invalid-request',
    message:
      'Cannot send this request: messages hold nothing that the model could answer. Add a user message.',
  })
}

/** What stands in front of a conversation that begins with the model. */
export const OPENING_TEXT = '(The conversation goes on from here.)'

/** For services that want the user to begin: `opening` is put in front where the user does not. */
export function beginWithUser<Message extends { role: string }>(
  wire: Message[],
  opening: Message,
  warn: (message: string) => void,
): void {
  if (wire[0]?.role === opening.role) return
  warn(
    'The conversation begins with the model: a short user message is put in front, as the service wants it',
  )
  wire.unshift(opening)
}

/**
 * The answer that the model shall continue, where the conversation ends with one.
 * @throws {ProviderError} where it does, and the model continues none.
 */
export function answerToContinue<Message extends { role: string }>(
  wire: readonly Message[],
  { prefill }: { prefill: boolean },
): Message | undefined {
  const last = wire.at(-1)
  if (last?.role !== 'assistant') return undefined
  if (prefill) return last
  throw new ProviderError({
    kind: 'unsupported',
    message:
      'Cannot send this request: its last message is of the role assistant, and this model does not continue one. End with a user message.',
  })
}
