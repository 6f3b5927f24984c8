import { responsesRequest } from '../../guest-sdk/dialects/openai-responses/api-schema.ts'
import {
  countField,
  type Dialect,
  emptyReceived,
  halves,
  type Image,
  type Json,
  type Piece,
  type Received,
  SOME_USAGE,
  sse,
} from './service.ts'

const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
  500: 'server_error',
}

const CHOICES: Readonly<Record<string, Received['choice']>> = { auto: 'auto', required: 'any', none: 'none' }

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export const openaiResponses: Dialect = {
  contentType: 'text/event-stream; charset=utf-8',
  schema: responsesRequest,
  writesCallsInPieces: true,
  stops: ['end-turn', 'tool-use', 'max-tokens', 'refusal', 'content-filter'],
  usage: ['cacheRead', 'reasoning'],
  errorKind: 'overloaded',

  stream({ pieces, stop, usage = SOME_USAGE }) {
    let sequence = 0
    const event = (value: Json) => sse({ sequence_number: sequence++, ...value }, value.type)
    const response = (status: string, more: Json = {}) => ({
      response: { id: 'resp_1', object: 'response', status, model: 'the-model', output: [], ...more },
    })
    const isCut = stop === 'max-tokens' || stop === 'content-filter'
    const end = isCut ? 'incomplete' : 'completed'
    const reason = stop === 'max-tokens' ? 'max_output_tokens' : 'content_filter'
    const items = pieces.map((piece, at) => writeItem(piece, at, stop === 'refusal', event))
    return [
      event({ type: 'response.created', ...response('in_progress') }),
      event({ type: 'response.in_progress', ...response('in_progress') }),
      ...items.flat(),
      event({
        type: `response.${end}`,
        ...response(end, {
          ...(isCut && { incomplete_details: { reason } }),
          usage: {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
            total_tokens: usage.input + usage.output,
          },
        }),
      }),
    ]
  },
  needed: frames => frames.length,
  errorFrame: message =>
    sse({ type: 'error', code: 'server_is_overloaded', message, param: null, sequence_number: 9 }, 'error'),
  errorBody: (status, message) => ({
    body: JSON.stringify({
      error: { message, type: 'an_error', param: null, code: CODES[status] ?? null },
    }),
  }),

  read(body) {
    const { instructions = '', input, tools = [], tool_choice: choice, ...rest } = body as Json
    const received = emptyReceived()
    received.system = instructions
    for (const item of input) readItem(item, received)
    received.tools = tools.map((tool: Json) => tool.name)
    if (choice) received.choice = typeof choice === 'object' ? { tool: choice.name } : CHOICES[choice]!
    received.maxTokens = rest.max_output_tokens
    received.schema = rest.text?.format?.schema
    received.thinking = rest.reasoning
    received.anchors = countField(input, 'prompt_cache_breakpoint')
    return received
  },
}

function writeItem(
  piece: Piece,
  index: number,
  isRefusal: boolean,
  event: (value: Json) => string,
): string[] {
  const at = { output_index: index }
  const added = (item: Json) => event({ type: 'response.output_item.added', ...at, item })
  const done = (item: Json) => event({ type: 'response.output_item.done', ...at, item })
  if ('text' in piece) {
    const head = { id: `msg_${index}`, type: 'message', role: 'assistant' }
    const place = { item_id: head.id, ...at, content_index: 0 }
    const kind = isRefusal ? 'refusal' : 'output_text'
    const part = isRefusal
      ? { type: 'refusal', refusal: piece.text }
      : { type: 'output_text', text: piece.text, annotations: [] }
    return [
      added({ ...head, status: 'in_progress', content: [] }),
      ...halves(piece.text).map(delta => event({ type: `response.${kind}.delta`, ...place, delta })),
      event({ ...part, ...place, type: `response.${kind}.done` }),
      done({ ...head, status: 'completed', content: [part] }),
    ]
  }
  if ('call' in piece) {
    const { id, name, input } = piece.call
    const head = { id: `fc_${index}`, type: 'function_call', call_id: id, name }
    const place = { item_id: head.id, ...at }
    return [
      added({ ...head, status: 'in_progress', arguments: '' }),
      ...halves(input).map(delta =>
        event({ type: 'response.function_call_arguments.delta', ...place, delta }),
      ),
      event({ type: 'response.function_call_arguments.done', ...place, arguments: input }),
      done({ ...head, status: 'completed', arguments: input }),
    ]
  }
  const head = { id: `rs_${index}`, type: 'reasoning' }
  const summary = 'thinking' in piece ? [{ type: 'summary_text', text: piece.thinking }] : []
  const encrypted = 'thinking' in piece ? (piece.signature ?? 'ZW5j') : piece.redacted
  const place = { item_id: head.id, ...at, summary_index: 0 }
  return [
    added({ ...head, summary: [] }),
    ...summary.flatMap(({ text }) =>
      halves(text).map(delta => event({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    ),
    done({ ...head, summary, encrypted_content: encrypted }),
  ]
}

function readItem(item: Json, received: Received): void {
  switch (item.type) {
    case 'function_call':
      received.calls.push({ id: item.call_id, name: item.name, input: item.arguments })
      return
    case 'function_call_output': {
      const parts = typeof item.output === 'string' ? [{ text: item.output }] : item.output
      received.results.push({ id: item.call_id, text: parts.map((part: Json) => part.text ?? '').join('') })
      return
    }
    case 'message':
      if (item.role === 'assistant') return
      for (const part of item.content) {
        if (part.type === 'input_image') received.images.push(fromDataUri(part.image_url))
        else if (part.type === 'input_file') received.files.push(fromDataUri(part.file_data))
        else if (item.role === 'user') received.text += part.text
        else received.system += part.text
      }
      return
    default:
      received.opaque.push(item.encrypted_content ?? JSON.stringify(item))
  }
}

export function fromDataUri(uri: string): Image {
  const [, mediaType = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(uri) ?? []
  return { mediaType, data }
}
