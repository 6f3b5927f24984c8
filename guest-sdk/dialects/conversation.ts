import { ProviderError } from '../provider-error.ts'
import type { MessagePart, RequestMessage } from '../request.ts'

export type ToolUsePart = Extract<MessagePart, { type: 'tool-use' }>
export type ToolResultPart = Extract<MessagePart, { type: 'tool-result' }>

/** A part and where it stands in the request, e.g. `messages[1].content[0]`. */
export interface PlacedPart {
  part: MessagePart
  path: string
  /** A cache anchor: its message ends here. */
  anchor: boolean
  /** From a system message that stands between the others. */
  isSystem: boolean
}

/** A call of the turn before, and its result where there is one. */
export interface Answer {
  call: ToolUsePart
  result: ToolResultPart | undefined
  path: string
  anchor: boolean
}

export interface Turn {
  role: 'user' | 'assistant'
  /** Of a user's turn: one for each call of the turn before, in the order of the calls. */
  answers: Answer[]
  parts: PlacedPart[]
}

export interface Conversation {
  /** The system messages at the beginning. */
  system: PlacedPart[]
  /** User and assistant take turns. */
  turns: Turn[]
}

/**
 * The messages as turns: messages of one role that follow each other are one turn, and the results of a turn's calls
 * stand at the beginning of the turn behind it, wherever the request has them. Services refuse anything else.
 * A result that no call asks for stays where it is, as a part.
 */
export function toConversation(messages: readonly RequestMessage[]): Conversation {
  const system: PlacedPart[] = []
  const turns: Turn[] = []
  messages.forEach((message, at) => {
    const last = message.content.length - 1
    const parts = message.content.map(
      (part, place): PlacedPart => ({
        part,
        path: `messages[${at}].content[${place}]`,
        anchor: message.cache && place === last,
        isSystem: message.role === 'system',
      }),
    )
    if (message.role === 'system' && turns.length === 0) {
      system.push(...parts)
      return
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const turn = turns.at(-1)
    if (turn?.role === role) turn.parts.push(...parts)
    else turns.push({ role, answers: [], parts })
  })
  return { system, turns: placeResults(turns) }
}

function placeResults(turns: readonly Turn[]): Turn[] {
  const taken = new Set<MessagePart>()
  const callsOf = turns.map(turn =>
    turn.role === 'assistant'
      ? turn.parts.flatMap(({ part }) => (part.type === 'tool-use' ? [part] : []))
      : [],
  )
  /** The first result of this id that is free, up to a later turn that uses the id again. */
  const findResult = (call: ToolUsePart, from: number): PlacedPart | undefined => {
    for (let at = from + 1; at < turns.length; at++) {
      if (callsOf[at]!.some(({ id }) => id === call.id)) return undefined
      const found = turns[at]!.parts.find(
        ({ part }) => part.type === 'tool-result' && part.toolUseId === call.id && !taken.has(part),
      )
      if (found) {
        taken.add(found.part)
        return found
      }
    }
    return undefined
  }
  const placed: Turn[] = []
  turns.forEach((turn, at) => {
    const answers = callsOf[at]!.map((call): Answer => {
      const found = findResult(call, at)
      return {
        call,
        result: found?.part.type === 'tool-result' ? found.part : undefined,
        path: found?.path ?? '',
        anchor: found?.anchor ?? false,
      }
    })
    placed.push({ ...turn, answers: [] })
    if (answers.length > 0) placed.push({ role: 'user', answers, parts: [] })
  })
  return joinTurns(
    placed.map(turn => ({ ...turn, parts: turn.parts.filter(({ part }) => !taken.has(part)) })),
  )
}

/** Turns that came to nothing are gone, and those beside them become one. */
function joinTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = []
  for (const turn of turns) {
    if (turn.answers.length === 0 && turn.parts.length === 0) continue
    const last = joined.at(-1)
    if (last?.role === turn.role && turn.answers.length === 0) last.parts.push(...turn.parts)
    else joined.push({ ...turn, parts: [...turn.parts] })
  }
  return joined
}

export function textOnly(path: string): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${path}: a system message takes text only. Move the rest into a user message.`,
  })
}

/** What a call without a result is answered with: no service takes a call that stays open. */
export const UNANSWERED = 'This call was not run: the conversation went on without a result.'

export function unansweredWarning({ id, name }: ToolUsePart): string {
  return `The call "${id}" of the tool ${name} has no result: the model is told that it was not run`
}

/** A result that no call asks for, in words. */
export function resultInWords({ toolName, isError, content }: ToolResultPart): string {
  const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
  return `${isError ? 'Error' : 'Result'} of the tool ${toolName}: ${text}`
}
