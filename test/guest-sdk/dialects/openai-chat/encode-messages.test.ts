import { expect, test } from 'vitest'
import { type ChatQuirks, encodeChatRequest } from '../../../../guest-sdk/dialects/openai-chat/index.ts'
import type { RequestMessage } from '../../../../guest-sdk/request.ts'
import { assistant, requestOf, system, toolResult, toolUse, user } from './request.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUg=='
const JPEG = '/9j/4AAQSkZJRgABAQ=='
const png = { type: 'image' as const, source: PNG, mediaType: 'image/png' }
const pngPart = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }
const call = (id: string, input = '{}') => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: input },
})

const cases: [name: string, messages: RequestMessage[], wire: unknown[], quirks?: Partial<ChatQuirks>][] = [
  ['system', [system('Be brief.')], [{ role: 'system', content: 'Be brief.' }]],
  [
    'system as developer',
    [system('Be brief.')],
    [{ role: 'developer', content: 'Be brief.' }],
    { systemRole: 'developer' },
  ],
  [
    'several texts',
    [user('a', 'b')],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  ],
  [
    'several texts where there are no parts',
    [user('a', 'b')],
    [{ role: 'user', content: 'a\nb' }],
    { contentParts: false },
  ],
  ['an image', [user('a', png)], [{ role: 'user', content: [{ type: 'text', text: 'a' }, pngPart] }]],
  [
    'J1 an image of another type than declared',
    [user({ ...png, source: JPEG })],
    [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${JPEG}` } }],
      },
    ],
  ],
  [
    'J1 a data URI with parameters, white space, base64url and no padding',
    [user({ type: 'image', source: 'data:image/jpeg;charset=utf-8;base64,_9j_4AAQSkZJ\nRgABAQ' })],
    [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${JPEG}` } }],
      },
    ],
  ],
  [
    'J1 bytes that no signature knows keep the declared type',
    [user({ type: 'image', source: 'AAAA', mediaType: 'image/x-new' })],
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/x-new;base64,AAAA' } }] }],
  ],
  [
    'an image by URL',
    [user({ type: 'image', source: 'https://a.example/x.png' })],
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/x.png' } }] }],
  ],
  [
    'a file',
    [user({ type: 'file', source: 'JVBERi0=', mediaType: 'application/octet-stream', name: 'a.pdf' })],
    [
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
        ],
      },
    ],
  ],
  [
    'a file by URL, without a name',
    [user({ type: 'file', source: 'https://a.example/x', mediaType: 'application/pdf' })],
    [
      {
        role: 'user',
        content: [{ type: 'file', file: { filename: 'file.pdf', file_data: 'https://a.example/x' } }],
      },
    ],
  ],
  [
    'a file that is a sound',
    [user({ type: 'file', source: 'AAAA', mediaType: 'audio/mpeg' })],
    [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }] }],
  ],
  [
    'a file that is an image',
    [user({ type: 'file', source: PNG, mediaType: 'image/png' })],
    [{ role: 'user', content: [pngPart] }],
  ],
  [
    'B23 content is null with calls only',
    [assistant(toolUse('a', 'look', '{}')), assistant('')],
    [
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'assistant', content: '' },
    ],
  ],
  [
    'arguments: as they are, {} for nothing and for what is no JSON',
    [
      assistant(
        toolUse('a', 'look', '{"id": 12345678901234567890}'),
        toolUse('b', 'look', ''),
        toolUse('c', 'look', '{"x'),
        toolUse('d', 'look', 'null'),
      ),
    ],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('a', '{"id": 12345678901234567890}'), call('b'), call('c'), call('d')],
      },
    ],
  ],
  [
    'results: right behind the calls, in the order of the calls, before what the user says',
    [
      user('Go'),
      assistant('Look:', toolUse('a', 'look', '{}'), toolUse('b', 'look', '{}')),
      user('And?', toolResult('b', 'B')),
      user(toolResult('a', 'A', true)),
    ],
    [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Look:', tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'Error: A' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      { role: 'user', content: 'And?' },
    ],
  ],
  [
    'one id in two turns: each has its own result',
    [
      assistant(toolUse('a', 'look', '{}')),
      user(toolResult('a', 'first')),
      assistant(toolUse('a', 'look', '{}')),
      user(toolResult('a', 'second')),
    ],
    [
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'first' },
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'second' },
    ],
  ],
  [
    'a call without a result gets none',
    [assistant(toolUse('a', 'look', '{}')), user('Never mind')],
    [
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'user', content: 'Never mind' },
    ],
  ],
  [
    'a result without a call is told as text',
    [user(toolResult('gone', 'A cat'))],
    [{ role: 'user', content: 'Result of the tool look: A cat' }],
  ],
  [
    'images in a result follow the results',
    [
      assistant(toolUse('a', 'look', '{}'), toolUse('b', 'look', '{}')),
      user(toolResult('a', [{ type: 'text', text: 'A cat' }, png]), toolResult('b', 'B'), 'And?'),
    ],
    [
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'A cat\n(An image follows.)' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of the tool look:' },
          pngPart,
          { type: 'text', text: 'And?' },
        ],
      },
    ],
  ],
  [
    'images in a result at the end of the history',
    [assistant(toolUse('a', 'look', '{}')), user(toolResult('a', [png]))],
    [
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: '(An image follows.)' },
      { role: 'user', content: [{ type: 'text', text: 'From the result of the tool look:' }, pngPart] },
    ],
  ],
  [
    'an image that the model made',
    [assistant('Here:', png), user('Bluer')],
    [
      { role: 'assistant', content: 'Here:' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'From your last answer:' }, pngPart, { type: 'text', text: 'Bluer' }],
      },
    ],
  ],
  [
    'a cache anchor',
    [{ ...system('Be brief.'), cache: true }, user('Hi')],
    [
      {
        role: 'system',
        content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      },
      { role: 'user', content: 'Hi' },
    ],
    { cacheControl: true },
  ],
  [
    'a cache anchor on results',
    [assistant(toolUse('a', 'look', '{}')), { ...user(toolResult('a', 'A')), cache: true }],
    [
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'text', text: 'A', cache_control: { type: 'ephemeral' } }],
      },
    ],
    { cacheControl: true },
  ],
]

test.each(cases)('encodeChatRequest: %s', (_, messages, wire, quirks) => {
  expect(encodeChatRequest(requestOf(messages), 'm', quirks).messages).toEqual(wire)
})

test.each([
  ['any' as const, 'functions.Bash:0', /^functions\.Bash:0$/],
  ['any' as const, `call_${'x'.repeat(60)}|fc_y`, /^call_[a-zA-Z0-9]{9}$/],
  ['alphanumeric-9' as const, 'gSIMJiOkT', /^gSIMJiOkT$/],
  ['alphanumeric-9' as const, 'functions.Bash:0', /^[a-zA-Z0-9]{9}$/],
])('encodeChatRequest: ids under the rule %s: %s (B22)', (toolCallIds, id, expected) => {
  const messages = [assistant(toolUse(id, 'look', '{}')), user(toolResult(id, 'A'))]
  const [turn, result] = encodeChatRequest(requestOf(messages), 'm', { toolCallIds }).messages as [
    { tool_calls: { id: string }[] },
    { tool_call_id: string },
  ]
  expect(turn.tool_calls[0]?.id).toMatch(expected)
  expect(result.tool_call_id).toBe(turn.tool_calls[0]?.id)
})

test('encodeChatRequest: ids that differ stay different under the narrow rule', () => {
  const ids = Array.from({ length: 5000 }, (_, at) => `call-${at}`)
  const { messages } = encodeChatRequest(
    requestOf([assistant(...ids.map(id => toolUse(id, 'look', '{}')))]),
    'm',
    {
      toolCallIds: 'alphanumeric-9',
    },
  )
  const [turn] = messages as [{ tool_calls: { id: string }[] }]
  expect(new Set(turn.tool_calls.map(each => each.id)).size).toBe(ids.length)
})

test('encodeChatRequest: a system message takes text only, and says so', () => {
  expect(() => encodeChatRequest(requestOf([{ ...user(png), role: 'system' }]), 'm')).toThrow(
    'Cannot send messages[0]: a system message takes text only in this dialect. Move the rest into a user message.',
  )
})
