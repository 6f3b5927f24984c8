/** What the demo's "models" say: no language model, a few rules, so that an answer is the same every time. */
export interface Answer {
  /** What a reasoning model thinks aloud first. */
  reasoning?: string
  text?: string
  toolCalls?: { id: string; name: string; arguments: string }[]
}

export interface DemoModel {
  id: string
  name: string
  contextLength: number
  maxOutputTokens: number
  tools: boolean
  reasoning: boolean
}

export const DEMO_MODELS: readonly DemoModel[] = [
  {
    id: 'parrot-1',
    name: 'Parrot 1',
    contextLength: 32_768,
    maxOutputTokens: 4_096,
    tools: true,
    reasoning: false,
  },
  {
    id: 'parrot-1-mini',
    name: 'Parrot 1 mini',
    contextLength: 8_192,
    maxOutputTokens: 1_024,
    tools: false,
    reasoning: false,
  },
  {
    id: 'owl-1',
    name: 'Owl 1',
    contextLength: 131_072,
    maxOutputTokens: 16_384,
    tools: true,
    reasoning: true,
  },
]

/** The part of a chat-completions request that the answer depends on. */
export interface DemoRequest {
  messages: readonly DemoMessage[]
  tools: readonly DemoTool[]
  mayCallTools: boolean
}
export interface DemoMessage {
  role: string
  text: string
}
export interface DemoTool {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>
}

export function answerTo(request: DemoRequest, model: DemoModel): Answer {
  const last = request.messages.at(-1)
  const question = request.messages.findLast(({ role }) => role === 'user')?.text.trim() ?? ''
  const thoughts = model.reasoning ? { reasoning: think(question) } : {}
  if (last?.role === 'tool') return { ...thoughts, text: readResults(request.messages) }

  const tool = model.tools && request.mayCallTools ? matchingTool(question, request.tools) : undefined
  if (tool) {
    const call = { id: `call_${request.messages.length}`, name: tool.name, arguments: fillIn(tool, question) }
    return { ...thoughts, toolCalls: [call] }
  }
  return { ...thoughts, text: speak(question, model) }
}

function speak(question: string, model: DemoModel): string {
  const words = question.split(/\s+/).filter(Boolean)
  if (words.length === 0) return 'You said nothing, and I agree with every word of it.'
  const quoted = question.length > 200 ? `${[...question].slice(0, 200).join('')}...` : question
  const [longest = ''] = words.toSorted((a, b) => b.length - a.length)
  return [
    `You said: "${quoted}"${/[.?!]$/.test(quoted) ? '' : '.'} I am ${model.name}, and I repeat things; that is most of what I do. `,
    `Your ${words.length === 1 ? 'one word' : `${words.length} words`} reached me over plain HTTP. `,
    'The extension that wrote the request never saw the key it was sent with, and it opened no socket: ',
    'it named an address, the host looked whether you allow it, put the key in and sent it. ',
    'These words come back the same way, cut into frames by the host, read by the extension in its sandbox. ',
    `The longest word you used is "${longest}". I liked it.`,
  ].join('')
}

function think(question: string): string {
  const words = question.split(/\s+/).filter(Boolean).length
  return `They wrote ${words} words. Owls do not repeat things, but nobody is looking. I shall repeat it.`
}

function readResults(messages: readonly DemoMessage[]): string {
  const start = messages.findLastIndex(({ role }) => role !== 'tool') + 1
  const results = messages.slice(start).map(({ text }) => text.trim())
  return `I asked, and this came back: ${results.join('; ')}. I would not have known; now we both do.`
}

/** The first tool that shares a word of four letters or more with the question: "weather" finds `get_weather`. */
function matchingTool(question: string, tools: readonly DemoTool[]): DemoTool | undefined {
  const asked = significantWords(question)
  return tools.find(tool => significantWords(tool.name).some(word => asked.includes(word)))
}

function significantWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length >= 4)
}

/** Arguments of the right types: strings get what follows "in" or "for", or the question; numbers the first number. */
function fillIn(tool: DemoTool, question: string): string {
  const subject = /\b(?:in|for|of|at)\s+([\p{L}\p{N}' -]*[\p{L}\p{N}])/u.exec(question)?.[1] ?? question
  const number = Number(/-?\d+(?:\.\d+)?/.exec(question)?.[0] ?? 0)
  const input: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(asRecord(tool.parameters.properties))) {
    const { type, enum: choices } = asRecord(schema)
    if (Array.isArray(choices)) input[name] = choices[0]
    else if (type === 'string') input[name] = subject
    else if (type === 'number' || type === 'integer')
      input[name] = type === 'integer' ? Math.trunc(number) : number
    else if (type === 'boolean') input[name] = true
    else if (type === 'array') input[name] = []
    else if (type === 'object') input[name] = {}
  }
  return JSON.stringify(input)
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
