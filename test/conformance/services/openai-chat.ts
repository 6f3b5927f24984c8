import type { StopReason } from '../../../host/contract/events.ts'
import { type ChatSchemaRules, chatRequest } from './openai-chat-schema.ts'
import { fromDataUri } from './openai-responses.ts'
import {
  countField,
  type Dialect,
  emptyReceived,
  halves,
  type Json,
  type Piece,
  type Received,
  SOME_USAGE,
  sse,
  type UsageField,
} from './service.ts'

/** Where services differ that speak this dialect. */
export interface ChatVariant extends ChatSchemaRules {
  /** Where thinking stands in an answer: a field, a list of details besides, or a part of the content. */
  thinking: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'part'
  /** Counts come in a chunk of their own, with the finish reason, or where Groq has them. Default: `chunk`. */
  counts?: 'chunk' | 'with-finish' | 'x_groq'
  /** Stop reasons besides the common ones. */
  moreStops?: readonly StopReason[]
  usage?: readonly UsageField[]
  /** The field of a request that asks for thinking. Default: `reasoning_effort`. */
  asksFor?: string
  /** How it words errors. Default: as OpenAI does. */
  errors?: (status: number, message: string) => Json
}

const FINISH: Readonly<Record<string, string>> = {
  'end-turn': 'stop',
  'stop-sequence': 'stop',
  refusal: 'stop',
  'tool-use': 'tool_calls',
  'max-tokens': 'length',
  'content-filter': 'content_filter',
}

const CHOICES: Readonly<Record<string, Received['choice']>> = {
  auto: 'auto',
  none: 'none',
  required: 'any',
  any: 'any',
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export function openaiChat(variant: ChatVariant): Dialect {
  const { thinking, counts = 'chunk', moreStops = [], usage: usageFields = [], asksFor } = variant
  const chunk = (value: Json) =>
    sse({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'the-model', ...value })
  const choice = (delta: Json, finish_reason: string | null = null, more: Json = {}) =>
    chunk({ choices: [{ index: 0, delta, finish_reason }], ...more })
  const errors = variant.errors ?? openAiError

  return {
    contentType: 'text/event-stream',
    schema: chatRequest(variant),
    writesCallsInPieces: true,
    stops: ['end-turn', 'tool-use', 'max-tokens', ...moreStops],
    usage: usageFields,
    errorKind: 'overloaded',

    stream({ pieces, stop, usage = SOME_USAGE }) {
      const reported = {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        ...(usage.cacheRead !== undefined && { prompt_tokens_details: { cached_tokens: usage.cacheRead } }),
        ...(usage.reasoning !== undefined && {
          completion_tokens_details: { reasoning_tokens: usage.reasoning },
        }),
      }
      const withFinish =
        counts === 'with-finish'
          ? { usage: reported }
          : counts === 'x_groq'
            ? { x_groq: { id: 'req_1', usage: reported } }
            : {}
      let calls = 0
      return [
        choice({ role: 'assistant', content: '' }),
        ...pieces.flatMap(piece =>
          writePiece(piece, thinking, stop === 'refusal', 'call' in piece ? calls++ : 0).map(delta =>
            choice(delta),
          ),
        ),
        choice({}, FINISH[stop], withFinish),
        ...(counts === 'chunk' ? [chunk({ choices: [], usage: reported })] : []),
        sse('[DONE]'),
      ]
    },
    needed: frames => frames.findIndex(frame => /"finish_reason":"/.test(String(frame))) + 1,
    errorFrame: message => sse(errors(503, message)),
    errorBody: (status, message) => ({ body: JSON.stringify(errors(status, message)) }),

    read(body) {
      const { messages, tools = [], tool_choice: chosen, ...rest } = body as Json
      const received = emptyReceived()
      for (const message of messages) readMessage(message, received)
      received.tools = tools.map((tool: Json) => tool.function.name)
      if (chosen)
        received.choice = typeof chosen === 'object' ? { tool: chosen.function.name } : CHOICES[chosen]!
      received.maxTokens = rest.max_tokens ?? rest.max_completion_tokens
      received.stops = rest.stop ?? []
      received.schema = rest.response_format?.json_schema?.schema
      received.thinking = rest[asksFor ?? 'reasoning_effort']
      received.anchors = countField(messages, 'cache_control')
      return received
    },
  }
}

function openAiError(status: number, message: string): Json {
  const code: Readonly<Record<number, string>> = {
    401: 'invalid_api_key',
    404: 'model_not_found',
    429: 'rate_limit_exceeded',
    503: 'server_overloaded',
    529: 'server_overloaded',
  }
  return { error: { message, type: 'an_error', param: null, code: code[status] ?? null } }
}

/** As OpenRouter words them, and others: the code is the status. */
export function statusError(status: number, message: string): Json {
  return { error: { message, code: status } }
}

const MISTRAL_TYPES: Readonly<Record<number, string>> = {
  429: 'rate_limited',
  503: 'unreachable_backend',
}

/** As Mistral words them: the error is the body. */
export function bareError(status: number, message: string): Json {
  const type = MISTRAL_TYPES[status] ?? 'an_error'
  return { object: 'error', message, type, param: null, code: '1000' }
}

function writePiece(
  piece: Piece,
  thinking: ChatVariant['thinking'],
  isRefusal: boolean,
  index: number,
): Json[] {
  if ('text' in piece)
    return halves(piece.text).map(text => (isRefusal ? { refusal: text } : { content: text }))
  if ('redacted' in piece) {
    const detail = { type: 'reasoning.encrypted', data: piece.redacted, format: 'some-v1', index: 9 }
    return thinking === 'reasoning_details' ? [{ content: '', reasoning_details: [detail] }] : []
  }
  if ('thinking' in piece) {
    const words = halves(piece.thinking)
    if (thinking === 'part')
      return words.map(text => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }))
    if (thinking !== 'reasoning_details') return words.map(text => ({ [thinking]: text }))
    const detail = { type: 'reasoning.text', format: 'some-v1', index: 0 }
    return [
      ...words.map(text => ({ content: '', reasoning: text, reasoning_details: [{ ...detail, text }] })),
      { content: '', reasoning_details: [{ ...detail, signature: piece.signature ?? 'c2ln' }] },
    ]
  }
  const { id, name, input } = piece.call
  return [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
    ...halves(input).map(part => ({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]
}

function readMessage(message: Json, received: Received): void {
  const parts: Json[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : (message.content ?? [])
  const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
  if (message.role === 'system') received.system += text
  if (message.role === 'user') received.text += text
  if (message.role === 'tool') received.results.push({ id: message.tool_call_id, text })
  for (const part of parts) {
    if (part.type === 'image_url') received.images.push(fromDataUri(part.image_url.url))
    if (part.type === 'file') received.files.push(fromDataUri(part.file.file_data))
    if (part.type === 'document_url') received.files.push(fromDataUri(part.document_url))
  }
  for (const { id, function: called } of message.tool_calls ?? [])
    received.calls.push({ id, name: called.name, input: called.arguments })
  for (const detail of message.reasoning_details ?? []) {
    received.opaque.push(detail.signature ?? detail.data ?? JSON.stringify(detail))
  }
}
