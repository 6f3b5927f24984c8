import { ollamaRequest } from '../../guest-sdk/dialects/ollama-chat/api-schema.ts'
import {
  type Dialect,
  emptyReceived,
  halves,
  type Json,
  type Piece,
  RAW,
  SOME_USAGE,
  withRaw,
} from './service.ts'

const line = (value: Json, raw = '') =>
  `${withRaw({ model: 'the-model', created_at: '2026-01-01T00:00:00Z', ...value }, raw)}\n`

/** https://docs.ollama.com/api/chat */
export const ollamaChat: Dialect = {
  contentType: 'application/x-ndjson',
  schema: ollamaRequest,
  writesCallsInPieces: false,
  stops: ['end-turn', 'tool-use', 'max-tokens'],
  usage: [],
  // Its errors are a sentence and nothing else.
  errorKind: 'other',

  stream({ pieces, stop, usage = SOME_USAGE }) {
    return [
      ...pieces.flatMap(piece =>
        writePiece(piece).map(message =>
          line(
            { message: { role: 'assistant', content: '', ...message }, done: false },
            'call' in piece ? piece.call.input : '',
          ),
        ),
      ),
      line({
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: stop === 'max-tokens' ? 'length' : 'stop',
        total_duration: 1,
        prompt_eval_count: usage.input,
        eval_count: usage.output,
      }),
    ]
  },
  needed: frames => frames.length,
  errorFrame: message => `${JSON.stringify({ error: message })}\n`,
  errorBody: (_, message) => ({ body: JSON.stringify({ error: message }) }),

  read(body) {
    const { messages, tools = [], format, think, options = {} } = body as Json
    const received = emptyReceived()
    for (const message of messages) {
      if (message.role === 'system') received.system += message.content
      if (message.role === 'user') received.text += message.content
      if (message.role === 'tool') received.results.push({ id: message.tool_call_id, text: message.content })
      for (const data of message.images ?? []) received.images.push({ data })
      for (const { id, function: called } of message.tool_calls ?? [])
        received.calls.push({ id, name: called.name, input: JSON.stringify(called.arguments) })
    }
    received.tools = tools.map((tool: Json) => tool.function.name)
    received.maxTokens = options.num_predict
    received.stops = options.stop ?? []
    received.schema = format
    received.thinking = think
    return received
  },
}

function writePiece(piece: Piece): Json[] {
  if ('text' in piece) return halves(piece.text).map(content => ({ content }))
  if ('thinking' in piece) return halves(piece.thinking).map(thinking => ({ thinking }))
  if ('redacted' in piece) return []
  const { id, name } = piece.call
  return [{ tool_calls: [{ id, function: { name, arguments: RAW } }] }]
}
