import { messagesRequest } from '../../guest-sdk/dialects/anthropic-messages/api-schema.ts'
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

const STOPS: Readonly<Record<string, string>> = {
  'end-turn': 'end_turn',
  'tool-use': 'tool_use',
  'max-tokens': 'max_tokens',
  'stop-sequence': 'stop_sequence',
  refusal: 'refusal',
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  529: 'overloaded_error',
}

const event = (value: Json) => sse(value, value.type)
const error = (type: string, message: string) => ({ type: 'error', error: { type, message } })

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
export const anthropicMessages: Dialect = {
  contentType: 'text/event-stream; charset=utf-8',
  schema: messagesRequest,
  writesCallsInPieces: true,
  stops: ['end-turn', 'tool-use', 'max-tokens', 'stop-sequence', 'refusal'],
  usage: ['cacheRead', 'reasoning'],
  errorKind: 'overloaded',

  stream({ pieces, stop, usage = SOME_USAGE }) {
    return [
      event({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'the-model',
          content: [],
          stop_reason: null,
          usage: {
            input_tokens: usage.input,
            output_tokens: 1,
            ...(usage.cacheRead !== undefined && { cache_read_input_tokens: usage.cacheRead }),
          },
        },
      }),
      event({ type: 'ping' }),
      ...pieces.flatMap(writePiece),
      event({
        type: 'message_delta',
        delta: { stop_reason: STOPS[stop], stop_sequence: null },
        usage: {
          output_tokens: usage.output,
          ...(usage.reasoning !== undefined && {
            output_tokens_details: { thinking_tokens: usage.reasoning },
          }),
        },
      }),
      event({ type: 'message_stop' }),
    ]
  },
  needed: frames => frames.length - 1,
  errorFrame: message => event(error('overloaded_error', message)),
  errorBody: (status, message) => ({ body: JSON.stringify(error(ERRORS[status] ?? 'api_error', message)) }),

  read(body) {
    const { system = [], messages, tools = [], tool_choice: choice, ...rest } = body as Json
    const received: Received = emptyReceived()
    received.system = system.map((block: Json) => block.text).join('\n')
    for (const { role, content } of messages) {
      for (const block of content) readBlock(block, role, received)
    }
    received.tools = tools.map((tool: Json) => tool.name)
    if (choice) received.choice = choice.type === 'tool' ? { tool: choice.name } : choice.type
    received.maxTokens = rest.max_tokens
    received.stops = rest.stop_sequences ?? []
    received.schema = rest.output_config?.format?.schema
    received.thinking = rest.thinking?.type === 'disabled' ? undefined : rest.thinking
    received.anchors = countField({ system, messages, tools }, 'cache_control')
    return received
  },
}

function writePiece(piece: Piece, index: number): string[] {
  const start = (content_block: Json) => event({ type: 'content_block_start', index, content_block })
  const delta = (value: Json) => event({ type: 'content_block_delta', index, delta: value })
  const stop = event({ type: 'content_block_stop', index })
  if ('text' in piece) {
    const deltas = halves(piece.text).map(text => delta({ type: 'text_delta', text }))
    return [start({ type: 'text', text: '' }), ...deltas, stop]
  }
  if ('thinking' in piece) {
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...halves(piece.thinking).map(thinking => delta({ type: 'thinking_delta', thinking })),
      ...halves(piece.signature ?? 'c2ln').map(signature => delta({ type: 'signature_delta', signature })),
      stop,
    ]
  }
  if ('redacted' in piece) return [start({ type: 'redacted_thinking', data: piece.redacted }), stop]
  const { id, name, input } = piece.call
  return [
    start({ type: 'tool_use', id, name, input: {} }),
    ...['', ...halves(input)].map(partial_json => delta({ type: 'input_json_delta', partial_json })),
    stop,
  ]
}

function readBlock(block: Json, role: string, received: Received): void {
  switch (block.type) {
    case 'text':
      if (role === 'user') received.text += block.text
      if (role === 'system') received.system += block.text
      return
    case 'image':
      received.images.push(media(block.source))
      return
    case 'document':
      received.files.push(media(block.source))
      return
    case 'tool_use':
      received.calls.push({ id: block.id, name: block.name, input: JSON.stringify(block.input) })
      return
    case 'tool_result': {
      const text = (block.content ?? []).map((part: Json) => part.text ?? '').join('\n')
      received.results.push({ id: block.tool_use_id, text })
      return
    }
    default:
      received.opaque.push(block.signature ?? block.data ?? JSON.stringify(block))
  }
}

function media({ media_type: mediaType, data }: Json): Image {
  return { mediaType, data }
}
