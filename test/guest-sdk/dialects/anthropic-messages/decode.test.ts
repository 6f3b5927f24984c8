import { describe, expect, test } from 'vitest'
import {
  createMessagesDecoder,
  encodeMessagesRequest,
  messagesToolNames,
} from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import { requestOf } from '../openai-chat/request.ts'
import { events, framesOf, replay, secondTurn } from '../replay.ts'
import { call, delta, end, head, read, start, stop, text } from './answer.ts'
import { messagesRequest } from './api-schema.ts'

test.each([
  ['end_turn', 'end-turn'],
  ['max_tokens', 'max-tokens'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool-use'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'max-tokens'],
  ['pause_turn', 'other'],
  ['sensitive', 'content-filter'],
  ['unheard_of', 'other'],
])('createMessagesDecoder: stop_reason %s is %s (F8, C4)', (reason, expected) => {
  const { result, stopped } = read(head(), ...text(0, 'Hi'), ...end(reason))
  expect([stopped, result.stopReason]).toEqual([true, expected])
})

describe('createMessagesDecoder: tool calls', () => {
  test('no arguments are {} (B14)', () => {
    expect(read(head(), ...call(0, ''), ...end('tool_use')).result.toolUses).toEqual([
      { id: 'toolu_0', name: 'look', input: '{}' },
    ])
  })
  test('arguments given at the start, large numbers kept (J5)', () => {
    const block =
      '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"id": 12345678901234567890}}}'
    const { result } = read(head(), block, stop(0), ...end('tool_use'))
    expect(result.toolUses[0]?.input).toBe('{"id": 12345678901234567890}')
  })
  test('blocks that come interleaved are told apart by index (B11, B25)', () => {
    const { result } = read(
      head(),
      ...text(0, 'Let me see.'),
      start(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      start(2, { type: 'tool_use', id: 'b', name: 'g', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '{"x":' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"y":2}' }),
      delta(1, { type: 'input_json_delta', partial_json: '1}' }),
      stop(1),
      stop(2),
      ...end('tool_use'),
    )
    expect(result.toolUses.map(({ id, name, input }) => [id, name, input])).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{"y":2}'],
    ])
  })
  test('arguments that the limit cut off are no call (B16, B17)', () => {
    const { result } = read(head(), ...call(0, '{"x":'), ...end('max_tokens'))
    expect([result.stopReason, result.toolUses]).toEqual(['max-tokens', []])
    expect(result.brokenToolUses[0]).toMatchObject({ id: 'toolu_0', name: 'look', rawInput: '{"x":' })
  })
  test('names come back as the request has them', () => {
    const names = messagesToolNames({ tools: [{ name: 'my.tool', description: '', inputSchema: {} }] })
    const block = { type: 'tool_use', id: 'a', name: 'my_tool', input: {} }
    const chunks = events(head(), start(0, block), stop(0), ...end('tool_use'))
    const { result } = replay(createMessagesDecoder({ toolNames: names }), chunks)
    expect(result.toolUses[0]?.name).toBe('my.tool')
  })
})

describe('createMessagesDecoder: thinking', () => {
  const thought = (index: number, words: string, ...signatures: string[]) => [
    start(index, { type: 'thinking', thinking: '', signature: '' }),
    ...(words ? [delta(index, { type: 'thinking_delta', thinking: words })] : []),
    ...signatures.map(signature => delta(index, { type: 'signature_delta', signature })),
    stop(index),
  ]
  test('pieces of a signature are joined, and one without words is kept (F3)', () => {
    expect(read(head(), ...thought(0, 'Hm', 'ab', 'cd'), ...end('end_turn')).result.parts).toEqual([
      { type: 'thinking', text: 'Hm', signature: 'abcd' },
    ])
    expect(read(head(), ...thought(0, '', 'abcd'), ...end('end_turn')).result.parts).toMatchObject([
      { type: 'thinking', text: '', signature: 'abcd' },
    ])
  })
  test('blocks and their order go back as they came, redacted ones too (F2, F4)', () => {
    const { result } = read(
      head(),
      ...thought(0, 'One', 's1'),
      start(1, { type: 'redacted_thinking', data: 'opaque==' }),
      stop(1),
      ...thought(2, 'Two', 's2'),
      ...text(3, 'So:'),
      ...call(4, '{}'),
      ...end('tool_use'),
    )
    const body = JSON.parse(encodeMessagesRequest(requestOf(secondTurn(result)), 'm')) as {
      messages: { content: object[] }[]
    }
    expect(messagesRequest.safeParse(body).success).toBe(true)
    expect(body.messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'One', signature: 's1' },
      { type: 'redacted_thinking', data: 'opaque==' },
      { type: 'thinking', thinking: 'Two', signature: 's2' },
      { type: 'text', text: 'So:' },
      { type: 'tool_use', id: 'toolu_4', name: 'look', input: {} },
    ])
  })
})

test('createMessagesDecoder: pings, unknown events, blocks and deltas are no harm (F6)', () => {
  const { result, error } = read(
    { type: 'ping' },
    head(),
    { type: 'brand_new_event', data: [1] },
    ...text(0, 'Hi'),
    delta(0, { type: 'brand_new_delta', x: 1 }),
    start(1, { type: 'brand_new_block', n: 12 }),
    delta(1, { type: 'brand_new_delta', more: 'words' }),
    stop(1),
    'not for us: ping'.replace(/.*/, ''),
    ...end('end_turn'),
  )
  expect(error).toBeUndefined()
  expect(result.text).toBe('Hi')
  const [, opaque] = result.parts
  expect(opaque).toEqual({
    type: 'provider-content',
    data: '{"type":"anthropic.block","block":{"type":"brand_new_block","n":12,"more":"words"}}',
  })
  // And goes back unchanged, in its place.
  const body = encodeMessagesRequest(requestOf(secondTurn(result)), 'm')
  expect(body).toContain('{"type":"text","text":"Hi"},{"type":"brand_new_block","n":12,"more":"words"}')
})

test('createMessagesDecoder: what the service ran itself is passed on, not run here, and replayed (F5)', () => {
  const result_ = {
    type: 'web_search_tool_result',
    tool_use_id: 's1',
    content: [{ type: 'web_search_result', url: 'https://a.example', encrypted_content: 'zz' }],
  }
  const { result } = read(
    head(),
    start(0, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{"query":' }),
    delta(0, { type: 'input_json_delta', partial_json: ' "x"}' }),
    stop(0),
    start(1, result_),
    stop(1),
    ...text(2, 'Found.'),
    ...end('end_turn'),
  )
  expect(result.toolUses).toEqual([])
  const body = encodeMessagesRequest(requestOf(secondTurn(result)), 'm')
  expect(body).toContain('{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query": "x"}}')
  expect(body).toContain(JSON.stringify(result_))
})

test('createMessagesDecoder: citations are told, and go back with their text', () => {
  const citation = {
    type: 'web_search_result_location',
    url: 'https://a.example',
    title: 'A',
    cited_text: 'fact',
    encrypted_index: 'e==',
  }
  const { result } = read(
    head(),
    ...text(0, 'It is '),
    start(1, { type: 'text', text: '', citations: [] }),
    delta(1, { type: 'citations_delta', citation }),
    delta(1, { type: 'text_delta', text: 'a fact' }),
    stop(1),
    ...text(2, '.'),
    ...end('end_turn'),
  )
  expect(result.text).toBe('It is a fact.')
  expect(result.citations).toEqual([{ url: 'https://a.example', title: 'A', text: 'fact' }])
  const body = JSON.parse(encodeMessagesRequest(requestOf(secondTurn(result)), 'm')) as {
    messages: { content: object[] }[]
  }
  expect(body.messages[1]?.content).toEqual([
    { type: 'text', text: 'It is ' },
    { type: 'text', text: 'a fact', citations: [citation] },
    { type: 'text', text: '.' },
  ])
})

test('createMessagesDecoder: an answer in one piece reads as a stream does', () => {
  const message = {
    type: 'message',
    id: 'msg_1',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 'a', name: 'look', input: { x: 1 } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 4 },
  }
  const { result, stopped } = replay(
    createMessagesDecoder(),
    framesOf([Buffer.from(JSON.stringify(message))]),
  )
  expect([stopped, result.text, result.stopReason, result.id]).toEqual([true, 'Hi', 'tool-use', 'msg_1'])
  expect(result.toolUses).toEqual([{ id: 'a', name: 'look', input: '{"x":1}' }])
  expect(result.parts[0]).toEqual({ type: 'thinking', text: 'Hm', signature: 's' })
  expect(result.usage).toEqual({ inputTokens: 3, outputTokens: 4 })
})

test('createMessagesDecoder: why the model refused is logged', () => {
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message), debug() {} }
  const details = { type: 'refusal', category: 'cyber', explanation: 'Blocked by policy.' }
  const last = { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: details }, usage: {} }
  replay(createMessagesDecoder({ log }), events(head(), last, { type: 'message_stop' }))
  expect(warnings).toEqual(['The answer ended with "refusal": Blocked by policy.'])
})
