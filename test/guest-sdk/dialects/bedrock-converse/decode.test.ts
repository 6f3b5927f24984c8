import { describe, expect, test } from 'vitest'
import {
  converseToolNames,
  createConverseDecoder,
  readBedrockError,
  readBedrockRejection,
} from '../../../../guest-sdk/dialects/bedrock-converse/index.ts'
import type { CompletionEvent } from '../../../../guest-sdk/events.ts'
import { createHttpResponse } from '../../../../guest-sdk/index.ts'
import { ProviderError } from '../../../../guest-sdk/provider-error.ts'
import { createFramer } from '../../../../host/http/frames.ts'
import { cutAt, cutPositions, oneByOne } from '../../../servers/cuts.ts'
import { event, exception, message } from './event-stream-bytes.ts'

interface Told {
  events: CompletionEvent[]
  error?: ProviderError
}

/** As the host does it: the framer's frames to a decoder; an error keeps what came before it. */
function read(pieces: readonly Uint8Array[], tools: string[] = []): Told {
  const framer = createFramer('bytes')
  const frames = [...pieces.flatMap(piece => framer.push(piece)), ...framer.end()]
  const toolNames = converseToolNames({
    tools: tools.map(name => ({ name, description: '', inputSchema: {} })),
  })
  const decoder = createConverseDecoder({ toolNames })
  const events: CompletionEvent[] = []
  try {
    for (const frame of frames) {
      if (frame.tag === 'bytes') decoder.frame({ bytes: frame.val }, each => events.push(each))
    }
    decoder.end(each => events.push(each))
    return { events }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { events, error }
  }
}

const start = event('messageStart', { role: 'assistant' })
const delta = (index: number, fields: object) =>
  event('contentBlockDelta', { contentBlockIndex: index, delta: fields })
const stop = (index: number) => event('contentBlockStop', { contentBlockIndex: index })
const toolStart = (index: number, toolUseId: string, name: string) =>
  event('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId, name } } })
const end = (stopReason: string) => event('messageStop', { stopReason })
const usage = event('metadata', {
  usage: {
    inputTokens: 30,
    outputTokens: 9,
    totalTokens: 139,
    cacheReadInputTokens: 100,
    cacheWriteInputTokens: 0,
  },
  metrics: { latencyMs: 5 },
})

const full = Buffer.concat([
  start,
  delta(0, { reasoningContent: { text: 'Let me ' } }),
  delta(0, { reasoningContent: { text: 'see 好.' } }),
  delta(0, { reasoningContent: { signature: 'sig' } }),
  delta(0, { reasoningContent: { signature: 'nature==' } }),
  stop(0),
  delta(1, { reasoningContent: { redactedContent: 'AAEC' } }),
  stop(1),
  delta(2, { text: 'I look 😀.' }),
  stop(2),
  toolStart(3, 'tooluse_1', 'look'),
  delta(3, { toolUse: { input: '' } }),
  delta(3, { toolUse: { input: '{"id": 123456789' } }),
  delta(3, { toolUse: { input: '01234567890}' } }),
  stop(3),
  toolStart(4, 'tooluse_2', 'now'),
  stop(4),
  end('tool_use'),
  usage,
])

const told: CompletionEvent[] = [
  { type: 'thinking', text: 'Let me ' },
  { type: 'thinking', text: 'see 好.' },
  { type: 'thinking', text: '', signature: 'signature==' },
  { type: 'reasoning-details', data: '{"type":"bedrock.redacted","redactedContent":"AAEC"}' },
  { type: 'text', text: 'I look 😀.' },
  { type: 'tool-input-delta', id: 'tooluse_1', name: 'look', delta: '{"id": 123456789' },
  { type: 'tool-input-delta', id: 'tooluse_1', name: 'look', delta: '01234567890}' },
  { type: 'tool-use', id: 'tooluse_1', name: 'look', input: '{"id": 12345678901234567890}' },
  { type: 'tool-input-delta', id: 'tooluse_2', name: 'now', delta: '{}' },
  { type: 'tool-use', id: 'tooluse_2', name: 'now', input: '{}' },
  {
    type: 'usage',
    inputTokens: 30,
    outputTokens: 9,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 100,
    totalTokens: 139,
  },
  { type: 'stop', reason: 'tool-use' },
]

describe('createConverseDecoder', () => {
  test('thinking, text and calls, at every cut (F3, F4, B14, J5)', () => {
    expect(read([full])).toEqual({ events: told })
    for (const at of cutPositions(full.length, 500)) expect(read(cutAt(full, at)).events).toEqual(told)
    expect(read(oneByOne(full)).events).toEqual(told)
  })

  test.each([
    ['end_turn', 'end-turn'],
    ['max_tokens', 'max-tokens'],
    ['model_context_window_exceeded', 'max-tokens'],
    ['stop_sequence', 'stop-sequence'],
    ['content_filtered', 'content-filter'],
    ['guardrail_intervened', 'content-filter'],
    ['a_reason_nobody_has_heard_of', 'other'],
  ])('stopReason %s is %s (C4)', (reason, expected) => {
    expect(read([start, delta(0, { text: 'Hi' }), stop(0), end(reason)]).events.at(-1)).toEqual({
      type: 'stop',
      reason: expected,
    })
  })

  test('end_turn with calls is tool-use (B20)', () => {
    const { events } = read([
      toolStart(0, 'a', 'look'),
      delta(0, { toolUse: { input: '{}' } }),
      stop(0),
      end('end_turn'),
    ])
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'tool-use' })
  })

  test.each([
    ['{"pa', 'max_tokens', /token limit/],
    ['', 'max_tokens', /token limit/],
    ['{"pa', 'guardrail_intervened', /content filter/],
    ['{"a":}', 'tool_use', /JSON/],
  ])('a call cut off in %j by %s is not run (B16, B17)', (input, reason, error) => {
    const { events } = read([
      toolStart(0, 'a', 'look'),
      delta(0, { toolUse: { input } }),
      stop(0),
      end(reason),
    ])
    expect(events.filter(({ type }) => type === 'tool-use')).toEqual([])
    expect(events).toContainEqual({
      type: 'tool-use-json-parse-error',
      id: 'a',
      name: 'look',
      rawInput: input,
      error: expect.stringMatching(error),
    })
  })

  test('interleaved calls stay apart, an id used twice is told apart (B11)', () => {
    const { events } = read([
      ...[toolStart(0, 'a', 'look'), toolStart(1, 'a', 'look')],
      ...[delta(0, { toolUse: { input: '{"n":' } }), delta(1, { toolUse: { input: '{"n":' } })],
      ...[delta(0, { toolUse: { input: '0}' } }), delta(1, { toolUse: { input: '1}' } }), stop(1), stop(0)],
      end('tool_use'),
    ])
    const calls = events.filter(each => each.type === 'tool-use')
    expect(calls.map(({ input }) => input)).toEqual(['{"n":1}', '{"n":0}'])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  test('tools keep the names that the request has', () => {
    const { events } = read([toolStart(0, 'a', 'my_tool'), stop(0), end('tool_use')], ['my tool'])
    expect(events).toContainEqual({ type: 'tool-use', id: 'a', name: 'my tool', input: '{}' })
  })

  test('sources, and events and tools that are none of ours (F5, F6)', () => {
    const citation = {
      title: 'Page',
      sourceContent: [{ text: 'so' }, { text: ' it is' }],
      location: { web: { url: 'https://a.example/' } },
    }
    const { events, error } = read([
      event('contentBlockStart', {
        contentBlockIndex: 0,
        start: { toolUse: { toolUseId: 's', name: 'web', type: 'server_tool_use' } },
      }),
      ...[delta(0, { toolUse: { input: '{"q":1}' } }), stop(0), event('somethingNew', { a: 1 })],
      ...[
        delta(1, { citation }),
        delta(1, { unheardOf: true }),
        delta(1, { text: 'x' }),
        stop(1),
        end('end_turn'),
      ],
    ])
    expect(error).toBeUndefined()
    expect(events).toEqual([
      { type: 'citation', url: 'https://a.example/', title: 'Page', text: 'so it is' },
      { type: 'text', text: 'x' },
      { type: 'stop', reason: 'end-turn' },
    ])
  })

  test('a body that ends with nothing to say why has no stop (A21)', () => {
    expect(read([start, delta(0, { text: 'Hi' })])).toEqual({ events: [{ type: 'text', text: 'Hi' }] })
  })
})

describe('an exception is never a normal end (D4, D9, D11)', () => {
  test.each([
    ['throttlingException', 'rate-limited', 429],
    ['modelStreamErrorException', 'other', 424],
    ['internalServerException', 'other', 500],
    ['serviceUnavailableException', 'overloaded', 503],
    ['validationException', 'invalid-request', 400],
    ['anExceptionNobodyHasHeardOf', 'other', undefined],
  ])('%s', (name, kind, status) => {
    const { events, error } = read([delta(0, { text: 'Hi' }), exception(name, 'It broke')])
    expect(events).toEqual([{ type: 'text', text: 'Hi' }])
    expect(error).toMatchObject({ kind, message: 'It broke', code: name, status })
  })

  test('first of all, behind the stop, as an error frame, as an event', () => {
    expect(read([exception('throttlingException', 'no')]).error?.kind).toBe('rate-limited')
    expect(read([end('end_turn'), exception('throttlingException', 'no')]).error?.kind).toBe('rate-limited')
    const frame = message(
      { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'oops' },
      '',
    )
    expect(read([frame]).error).toMatchObject({ code: 'InternalError', message: 'oops' })
    expect(read([event('modelTimeoutException', { message: 'slow' })]).error?.status).toBe(408)
  })

  test('a stop reason that means failure', () => {
    expect(read([end('malformed_tool_use')]).error).toMatchObject({ code: 'malformed_tool_use' })
  })
})

test.each([
  ['ThrottlingException:http://internal/', 429, { message: 'Too many requests' }, 'rate-limited'],
  ['AccessDeniedException', 403, { message: 'no access to the model' }, 'permission'],
  ['UnrecognizedClientException', 403, { message: 'The security token is invalid.' }, 'authentication'],
  ['ExpiredTokenException', 403, { message: 'expired' }, 'authentication'],
  ['ResourceNotFoundException', 404, { message: 'Could not resolve the model' }, 'model-not-found'],
  [
    'ValidationException',
    400,
    { message: 'Input is too long for requested model.' },
    'context-length-exceeded',
  ],
  ['ValidationException', 400, { message: 'messages.0: bad' }, 'invalid-request'],
  [undefined, 503, '<html><title>Down</title></html>', 'overloaded'],
])('readBedrockRejection: %s %i', (type, status, body, kind) => {
  const response = createHttpResponse({
    status,
    headers: type === undefined ? [] : [['x-amzn-ErrorType', type]],
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  expect(readBedrockRejection(response)).toMatchObject({ kind, status })
})

test('readBedrockError: the name in the body counts where no header tells it', () => {
  const body = '{"__type":"com.amazon.coral.service#UnrecognizedClientException","message":"no"}'
  expect(readBedrockError(undefined, body, 400)).toMatchObject({
    kind: 'authentication',
    code: 'UnrecognizedClientException',
  })
})
