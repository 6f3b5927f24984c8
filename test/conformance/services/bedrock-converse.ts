import { converseRequest } from '../../guest-sdk/dialects/bedrock-converse/api-schema.ts'
import { event, exception } from '../../guest-sdk/dialects/bedrock-converse/event-stream-bytes.ts'
import {
  countField,
  type Dialect,
  emptyReceived,
  type Frame,
  halves,
  type Json,
  type Piece,
  type Received,
  SOME_USAGE,
} from './service.ts'

const STOPS: Readonly<Record<string, string>> = {
  'end-turn': 'end_turn',
  'tool-use': 'tool_use',
  'max-tokens': 'max_tokens',
  'stop-sequence': 'stop_sequence',
  'content-filter': 'guardrail_intervened',
}

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  413: 'ValidationException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export const bedrockConverse: Dialect = {
  contentType: 'application/vnd.amazon.eventstream',
  schema: converseRequest,
  writesCallsInPieces: true,
  stops: ['end-turn', 'tool-use', 'max-tokens', 'stop-sequence', 'content-filter'],
  usage: ['cacheRead'],
  errorKind: 'overloaded',

  stream({ pieces, stop, usage = SOME_USAGE }) {
    return [
      event('messageStart', { role: 'assistant' }),
      ...pieces.flatMap(writePiece),
      event('messageStop', { stopReason: STOPS[stop] }),
      event('metadata', {
        usage: {
          inputTokens: usage.input,
          outputTokens: usage.output,
          totalTokens: usage.input + usage.output,
          ...(usage.cacheRead !== undefined && { cacheReadInputTokens: usage.cacheRead }),
        },
        metrics: { latencyMs: 1 },
      }),
    ]
  },
  needed: frames => frames.length - 1,
  errorFrame: message => exception('serviceUnavailableException', message),
  errorBody: (status, message) => ({
    headers: {
      'x-amzn-errortype': `${EXCEPTIONS[status] ?? 'UnknownException'}:http://internal.amazon.com/`,
    },
    body: JSON.stringify({ message }),
  }),

  read(body) {
    const { system = [], messages, toolConfig = {}, inferenceConfig = {}, ...rest } = body as Json
    const received = emptyReceived()
    received.system = system.map((block: Json) => block.text ?? '').join('\n')
    for (const { role, content } of messages) {
      for (const block of content) readBlock(block, role, received)
    }
    const { tools = [], toolChoice: choice } = toolConfig
    received.tools = tools.flatMap((tool: Json) => (tool.toolSpec ? [tool.toolSpec.name] : []))
    if (choice) received.choice = choice.tool ? { tool: choice.tool.name } : choice.any ? 'any' : 'auto'
    received.maxTokens = inferenceConfig.maxTokens
    received.stops = inferenceConfig.stopSequences ?? []
    const schema = rest.outputConfig?.textFormat?.structure?.jsonSchema?.schema
    if (schema !== undefined) received.schema = JSON.parse(schema)
    received.thinking = rest.additionalModelRequestFields?.thinking
    received.anchors = countField({ system, messages, tools }, 'cachePoint')
    return received
  },
}

function writePiece(piece: Piece, contentBlockIndex: number): Frame[] {
  const at = { contentBlockIndex }
  const delta = (value: Json) => event('contentBlockDelta', { ...at, delta: value })
  const stop = event('contentBlockStop', at)
  if ('text' in piece) return [...halves(piece.text).map(text => delta({ text })), stop]
  if ('thinking' in piece) {
    return [
      ...halves(piece.thinking).map(text => delta({ reasoningContent: { text } })),
      delta({ reasoningContent: { signature: piece.signature ?? 'c2ln' } }),
      stop,
    ]
  }
  if ('redacted' in piece) return [delta({ reasoningContent: { redactedContent: piece.redacted } }), stop]
  const { id, name, input } = piece.call
  return [
    event('contentBlockStart', { ...at, start: { toolUse: { toolUseId: id, name } } }),
    ...halves(input).map(part => delta({ toolUse: { input: part } })),
    stop,
  ]
}

function readBlock(block: Json, role: string, received: Received): void {
  if (block.text !== undefined) {
    if (role === 'user') received.text += block.text
  } else if (block.image) {
    received.images.push({ mediaType: `image/${block.image.format}`, data: block.image.source.bytes })
  } else if (block.document) {
    received.files.push({
      mediaType: `application/${block.document.format}`,
      data: block.document.source.bytes,
    })
  } else if (block.toolUse) {
    const { toolUseId: id, name, input } = block.toolUse
    received.calls.push({ id, name, input: JSON.stringify(input) })
  } else if (block.toolResult) {
    const { toolUseId: id, content } = block.toolResult
    received.results.push({ id, text: content.map((part: Json) => part.text ?? '').join('\n') })
  } else if (block.reasoningContent) {
    const { reasoningText, redactedContent } = block.reasoningContent
    received.opaque.push(reasoningText?.signature ?? redactedContent)
  }
}
