import { generateContentRequest } from '../../guest-sdk/dialects/gemini/api-schema.ts'
import {
  type Dialect,
  emptyReceived,
  halves,
  type Json,
  type Piece,
  RAW,
  type Received,
  SOME_USAGE,
  sse,
  withRaw,
} from './service.ts'

const STOPS: Readonly<Record<string, string>> = {
  'end-turn': 'STOP',
  // The API has no word for calls.
  'tool-use': 'STOP',
  'stop-sequence': 'STOP',
  'max-tokens': 'MAX_TOKENS',
  'content-filter': 'SAFETY',
}

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'CANCELLED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  529: 'UNAVAILABLE',
}

const MODES: Readonly<Record<string, Received['choice']>> = { AUTO: 'auto', ANY: 'any', NONE: 'none' }

/** https://ai.google.dev/api/generate-content: lines end with CRLF, as the service's do. */
const chunk = (value: Json, part = '') =>
  sse(withRaw({ ...value, modelVersion: 'the-model', responseId: 'r1' }, part)).replaceAll('\n', '\r\n')
const candidate = { candidates: [{ content: { parts: [RAW], role: 'model' }, index: 0 }] }
const error = (code: number, message: string) => ({
  error: { code, message, status: STATUS[code] ?? 'UNKNOWN' },
})

export const gemini: Dialect = {
  contentType: 'text/event-stream',
  schema: generateContentRequest,
  writesCallsInPieces: false,
  stops: ['end-turn', 'tool-use', 'max-tokens', 'content-filter'],
  usage: ['cacheRead', 'reasoning'],
  errorKind: 'overloaded',

  stream({ pieces, stop, usage = SOME_USAGE }) {
    const usageMetadata = {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
      totalTokenCount: usage.input + usage.output,
      ...(usage.cacheRead !== undefined && { cachedContentTokenCount: usage.cacheRead }),
      ...(usage.reasoning !== undefined && { thoughtsTokenCount: usage.reasoning }),
    }
    return [
      // Counts come with each chunk; the last ones count.
      ...pieces
        .flatMap(writePiece)
        .map(part => chunk({ ...candidate, usageMetadata: { promptTokenCount: usage.input } }, part)),
      chunk({ candidates: [{ finishReason: STOPS[stop], index: 0 }], usageMetadata }),
    ]
  },
  needed: frames => frames.length,
  errorFrame: message => sse(error(503, message)),
  errorBody: (status, message) => ({ body: JSON.stringify(error(status, message)) }),

  read(body) {
    const { systemInstruction, contents, tools = [], toolConfig, generationConfig = {} } = body as Json
    const received = emptyReceived()
    received.system = (systemInstruction?.parts ?? []).map((part: Json) => part.text).join('\n')
    const ids: string[] = []
    for (const { role, parts } of contents) {
      for (const part of parts) readPart(part, role, received, ids)
    }
    received.tools = tools.flatMap((tool: Json) => tool.functionDeclarations.map((one: Json) => one.name))
    const calling = toolConfig?.functionCallingConfig
    if (calling) {
      const [only] = calling.allowedFunctionNames ?? []
      received.choice = only === undefined ? MODES[calling.mode]! : { tool: only }
    }
    received.maxTokens = generationConfig.maxOutputTokens
    received.stops = generationConfig.stopSequences ?? []
    received.schema = generationConfig.responseSchema
    received.thinking = generationConfig.thinkingConfig
    return received
  },
}

function writePiece(piece: Piece): string[] {
  if ('text' in piece) return halves(piece.text).map(text => JSON.stringify({ text }))
  if ('redacted' in piece) return []
  if ('thinking' in piece) {
    const parts: Json[] = halves(piece.thinking).map(text => ({ text, thought: true }))
    if (piece.signature !== undefined) parts.at(-1)!.thoughtSignature = piece.signature
    return parts.map(part => JSON.stringify(part))
  }
  const { id, name, input, signature } = piece.call
  const signed = signature === undefined ? {} : { thoughtSignature: signature }
  return [withRaw({ functionCall: { id, name, args: RAW }, ...signed }, input)]
}

function readPart(part: Json, role: string, received: Received, ids: string[]): void {
  if (part.thoughtSignature) received.opaque.push(part.thoughtSignature)
  if (typeof part.text === 'string') {
    if (role === 'user') received.text += part.text
  } else if (part.inlineData) {
    const { mimeType: mediaType, data } = part.inlineData
    const list = mediaType.startsWith('image/') ? received.images : received.files
    list.push({ mediaType, data })
  } else if (part.functionCall) {
    // Calls without an id are told apart by their order.
    const id = part.functionCall.id ?? `by-order-${received.calls.length}`
    ids.push(id)
    received.calls.push({ id, name: part.functionCall.name, input: JSON.stringify(part.functionCall.args) })
  } else if (part.functionResponse) {
    const { response } = part.functionResponse
    const id = part.functionResponse.id ?? ids[received.results.length] ?? ''
    received.results.push({ id, text: response.result ?? response.error })
  } else received.opaque.push(JSON.stringify(part))
}
