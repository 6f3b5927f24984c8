import type { CompletionEvent } from '../../contract/events.ts'
import type { parseRequest } from '../../contract/request.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { EventMapper } from './event-mapper.ts'

type ParsedRequest = ReturnType<typeof parseRequest>
type ToolDefinition = NonNullable<ParsedRequest['tools']>[number]

const MAX_NAME_UNITS = 60

/** The tool whose input is the answer. Its name is that of no tool of the request, nor of one in its history. */
export function answerTool(format: AnswerFormat, request: ParsedRequest): ToolDefinition {
  return {
    name: freeName(format.name, request),
    description: 'Gives the answer. Call it once, with the whole answer.',
    inputSchema: format.objectSchema,
  }
}

function freeName(wanted: string, { tools = [], messages }: ParsedRequest): string {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const names = [
    ...tools.map(tool => tool.name),
    ...parts.flatMap(part =>
      part.type === 'tool-use' ? [part.name] : part.type === 'tool-result' ? [part.toolName] : [],
    ),
  ]
  // Services may take two names for one that differ only in what is written in another way on the wire.
  const taken = new Set(names.map(plain))
  const name = wanted.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME_UNITS)
  let free = name
  for (let count = 2; taken.has(plain(free)); count++) free = `${name}_${count}`
  return free
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '_').toLowerCase()
}

/**
 * Makes the call of the answer's tool the text of the answer, as it comes, and the end in calls an end of the turn.
 * Words in front of that call are dropped, since they are not the answer; in front of another call they stay. Of
 * several calls of the tool the first one counts.
 */
export function createAnswerToolMapper(name: string): EventMapper {
  let answerId: string | undefined
  let written = ''
  let held: CompletionEvent[] = []
  let hasOtherCalls = false

  /** Whether it is the one call that counts. */
  function isAnswer(id: string): boolean {
    answerId ??= id
    held = []
    return answerId === id
  }

  function write(text: string, emit: (event: CompletionEvent) => void) {
    written += text
    if (text !== '') emit({ type: 'text', text })
  }

  /** The whole of it, of which a part may have come. */
  function complete(input: string, emit: (event: CompletionEvent) => void) {
    if (input.startsWith(written)) write(input.slice(written.length), emit)
  }

  function release(emit: (event: CompletionEvent) => void) {
    for (const event of held) emit(event)
    held = []
  }

  return (event, emit) => {
    switch (event.type) {
      case 'text':
        if (answerId === undefined) held.push(event)
        return
      case 'tool-input-delta':
        if (event.name !== name) break
        if (isAnswer(event.id)) write(event.delta, emit)
        return
      case 'tool-use':
        if (event.name !== name) break
        if (isAnswer(event.id)) complete(event.input, emit)
        return
      case 'tool-use-json-parse-error':
        if (event.name !== name) break
        if (isAnswer(event.id)) complete(event.rawInput, emit)
        return
      case 'usage':
        release(emit)
        return emit(event)
      case 'stop':
        release(emit)
        return emit(event.reason === 'tool-use' && !hasOtherCalls ? { ...event, reason: 'end-turn' } : event)
      default:
        return emit(event)
    }
    hasOtherCalls = true
    release(emit)
    emit(event)
  }
}
