import * as z from 'zod'
import type { CompletionEvent } from '../contract/events.ts'
import type { CompletionRequest, MessagePart, RequestMessage, ToolDefinition } from '../contract/request.ts'

/** A request for a model that knows no tools, and what makes calls of what such a model writes. */
export interface ToolsInWords {
  request: CompletionRequest
  /** The events of the answer, a call among them where the model wrote one. */
  read(event: CompletionEvent): CompletionEvent[]
}

/**
 * Tells a model of its tools in the instructions, and of earlier calls and their results in the messages. It calls by
 * answering with one JSON object and nothing else, so it calls one tool at a time.
 */
export function putToolsInWords(request: CompletionRequest): ToolsInWords {
  const { tools = [], toolChoice, parallelToolCalls: _, ...rest } = request
  const offered = toolChoice === 'none' ? [] : tools
  const messages = rest.messages.map(inWords)
  const calls = rest.messages.flatMap(partsOf).filter(({ type }) => type === 'tool-use').length
  return {
    request: {
      ...rest,
      messages:
        offered.length === 0
          ? messages
          : [{ role: 'system', content: instructions(offered, toolChoice) }, ...messages],
    },
    read: createReader(new Set(offered.map(({ name }) => name)), `call-${calls + 1}`),
  }
}

function instructions(tools: readonly ToolDefinition[], choice: CompletionRequest['toolChoice']): string {
  const must =
    typeof choice === 'object'
      ? `You must call "${choice.tool}" now.`
      : choice === 'any'
        ? 'You must call one of them now.'
        : 'Where you need none, answer in plain text.'
  const list = tools.map(({ name, description = '', inputSchema = {} }) => {
    const schema =
      inputSchema instanceof z.ZodType ? z.toJSONSchema(inputSchema, { io: 'input' }) : inputSchema
    return `- ${name}: ${description}\n  arguments: ${JSON.stringify(schema)}`
  })
  return [
    'You can call tools. To call one, answer with one JSON object and nothing else:',
    '{"tool": "name of the tool", "arguments": {}}',
    `Its result is told to you afterwards. Call one tool at a time. ${must}`,
    'The tools:',
    ...list,
  ].join('\n')
}

function inWords(message: RequestMessage): RequestMessage {
  if (typeof message.content === 'string') return message
  return { ...message, content: message.content.flatMap(partInWords) }
}

function partInWords(part: MessagePart): MessagePart[] {
  if (part.type === 'tool-use')
    return [
      {
        type: 'text',
        text: `{"tool": ${JSON.stringify(part.name)}, "arguments": ${part.input.trim() || '{}'}}`,
      },
    ]
  if (part.type !== 'tool-result') return [part]
  const { toolName, isError, content } = part
  const words = `${isError ? 'Error' : 'Result'} of the tool ${toolName}:`
  const pieces = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return [{ type: 'text', text: words }, ...pieces]
}

function partsOf({ content }: RequestMessage): readonly MessagePart[] {
  return typeof content === 'string' ? [] : content
}

/** Text is held back only as long as it may be a call. */
function createReader(names: ReadonlySet<string>, id: string) {
  let held = ''
  let isPlain = names.size === 0
  let called = false

  /** What is held back is decided on. */
  function settle(): CompletionEvent[] {
    const text = held
    held = ''
    if (text === '') return []
    const call = readCall(text, names)
    if (!call) return [{ type: 'text', text }]
    called = true
    return [{ type: 'tool-use', id, ...call }]
  }

  return (event: CompletionEvent): CompletionEvent[] => {
    switch (event.type) {
      case 'text': {
        if (isPlain) return [event]
        held += event.text
        if (mayBeCall(held)) return []
        isPlain = true
        return settle()
      }
      case 'usage':
        return [...settle(), event]
      case 'stop': {
        const events = settle()
        const reason = called && event.reason !== 'max-tokens' ? 'tool-use' : event.reason
        return [...events, { ...event, reason }]
      }
      default:
        return [event]
    }
  }
}

/** It begins as an object does, or as a block of code that may hold one. */
function mayBeCall(text: string): boolean {
  const start = text.trimStart()
  return start === '' || start.startsWith('{') || start.startsWith('```') || '```'.startsWith(start)
}

function readCall(text: string, names: ReadonlySet<string>): { name: string; input: string } | undefined {
  const json = firstObject(text)
  if (json === undefined || !mayBeCall(text)) return undefined
  let read: unknown
  try {
    read = JSON.parse(json)
  } catch {
    return undefined // the model answered with something else in braces
  }
  const { tool, arguments: given = {} } = read as Partial<Record<'tool' | 'arguments', unknown>>
  if (typeof tool !== 'string' || !names.has(tool)) return undefined
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  return { name: tool, input: JSON.stringify(given) }
}

/** The first `{` with the `}` that closes it; braces in strings do not count. */
function firstObject(text: string): string | undefined {
  const start = text.indexOf('{')
  let depth = 0
  let inString = false
  for (let at = start; at >= 0 && at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return text.slice(start, at + 1)
  }
  return undefined
}
