import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeOllamaRequest, type OllamaRules } from '../../../../guest-sdk/dialects/ollama-chat/index.ts'
import type { CompletionRequest, RequestMessage } from '../../../../guest-sdk/request.ts'
import { bigInput, conversations, isWellFormedJson } from '../conversations.ts'
import { assistant, requestOf, system, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { ollamaRequest } from './api-schema.ts'

const hi = [user('Hi')]
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }]

function encode(
  fields: Partial<CompletionRequest> & { messages?: RequestMessage[] },
  rules: Partial<OllamaRules> = {},
) {
  const warnings: string[] = []
  const { messages = hi, ...rest } = fields
  const log = { warn: (message: string) => warnings.push(message), debug() {} }
  const text = encodeOllamaRequest(requestOf(messages, rest), 'm', { rules, log })
  const body = JSON.parse(text) as Record<string, unknown>
  expect(ollamaRequest.safeParse(body).error?.issues).toBeUndefined()
  return { body, text, warnings }
}

test('encodeOllamaRequest: the least that a request can be', () => {
  expect(encode({}).body).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
  })
})

test('encodeOllamaRequest: settings go into options, a schema into format, the window is asked for', () => {
  const given = {
    ...{ maxTokens: 7, temperature: 0.5, topP: 0.9, seed: 3, stopSequences: ['X'] },
    responseFormat: { name: 'a', schema: { type: 'object' }, strict: true },
  }
  expect(encode(given, { contextTokens: 65_536 }).body).toMatchObject({
    format: { type: 'object' },
    options: { num_ctx: 65_536, num_predict: 7, temperature: 0.5, top_p: 0.9, seed: 3, stop: ['X'] },
  })
})

test('encodeOllamaRequest: calls as objects byte for byte, results by name and id, images behind them (A25, J5)', () => {
  const messages = [
    system('Be brief.'),
    user('Look'),
    assistant(
      { type: 'thinking', text: 'Hm.' },
      'Well.',
      toolUse('a', 'look', bigInput),
      toolUse('b', 'now', ''),
    ),
    user(
      toolResult('b', 'noon'),
      toolResult('a', [{ type: 'image', source: 'data:image/png;base64,AAAA' }], true),
    ),
    user('And?', { type: 'image', source: '/9j/4AAQ', mediaType: 'image/jpeg' }),
  ]
  const { body, text } = encode({ messages, tools })
  expect(text).toContain(`"arguments":${bigInput}`)
  expect(body.messages).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Look' },
    {
      role: 'assistant',
      content: 'Well.',
      thinking: 'Hm.',
      tool_calls: [
        { id: 'a', function: { name: 'look' } },
        { id: 'b', function: { name: 'now', arguments: {} } },
      ],
    },
    { role: 'tool', tool_name: 'look', tool_call_id: 'a', content: 'Error: (An image follows.)' },
    { role: 'tool', tool_name: 'now', tool_call_id: 'b', content: 'noon' },
    { role: 'user', content: 'From the result of the tool look:\nAnd?', images: ['AAAA', '/9j/4AAQ'] },
  ])
})

describe('thinking', () => {
  test.each<[Partial<CompletionRequest>, Partial<OllamaRules>, unknown, number]>([
    [{}, {}, undefined, 0],
    [{ thinkingAllowed: false }, {}, false, 0],
    [{ reasoningEffort: 'none' }, {}, false, 0],
    [{ reasoningEffort: 'low' }, {}, true, 1],
    [{}, { thinking: 'levels' }, undefined, 0],
    [{ reasoningEffort: 'medium' }, { thinking: 'levels' }, 'medium', 0],
    [{ reasoningEffort: 'max' }, { thinking: 'levels' }, 'high', 1],
    [{ thinkingAllowed: false }, { thinking: 'levels' }, 'low', 1],
  ])('%j of %j is %j', (given, rules, think, warned) => {
    const { body, warnings } = encode(given, rules)
    expect(body.think).toBe(think)
    expect(warnings).toHaveLength(warned)
  })
})

test('what the server cannot do is told in words or left out, with a warning', () => {
  const one = encode({ tools, parallelToolCalls: false })
  expect(one.body.messages).toMatchObject([
    { role: 'system', content: 'Call at most one tool at a time.' },
    {},
  ])
  expect(one.warnings).toHaveLength(1)
  const none = encode({ tools, toolChoice: 'none' })
  expect(none.body).not.toHaveProperty('tools')
  expect(none.warnings).toHaveLength(1)
})

test.each<[string, Partial<CompletionRequest> & { messages?: RequestMessage[] }, string]>([
  ['toolChoice', { tools, toolChoice: 'any' }, 'unsupported'],
  ['toolChoice', { tools, toolChoice: { tool: 'look' } }, 'unsupported'],
  [
    'messages[0].content[0]',
    { messages: [user({ type: 'image', source: 'https://a.example/a.png' })] },
    'unsupported',
  ],
  [
    'messages[0].content[0]',
    { messages: [user({ type: 'file', source: 'JVBERi0=', mediaType: 'application/pdf' })] },
    'unsupported',
  ],
  ['providerOptions.stream', { providerOptions: { stream: false } }, 'invalid-request'],
])('refuses %s by name', (place, { messages = hi, ...rest }, kind) => {
  expect(() => encodeOllamaRequest(requestOf(messages, rest), 'm')).toThrow(
    expect.objectContaining({ kind, message: expect.stringContaining(`Cannot send ${place}`) }),
  )
})

test('providerOptions: options are merged, other fields are put in', () => {
  const request = requestOf(hi, { seed: 1, providerOptions: { keep_alive: '1h', options: { num_gpu: 1 } } })
  expect(JSON.parse(encodeOllamaRequest(request, 'm'))).toMatchObject({
    keep_alive: '1h',
    options: { seed: 1, num_gpu: 1 },
  })
})

test('for any history the API takes the request, the same twice, arguments as they were (J2)', () => {
  const withoutFiles = conversations.map(request => ({
    ...request,
    messages: request.messages.map(message => ({
      ...message,
      content: message.content.filter(part => part.type !== 'file'),
    })),
  }))
  fc.assert(
    fc.property(withoutFiles, request => {
      const body = encodeOllamaRequest(request, 'm')
      expect(encodeOllamaRequest(request, 'm')).toBe(body)
      expect(isWellFormedJson(body)).toBe(true)
      expect(ollamaRequest.safeParse(JSON.parse(body)).error?.issues).toBeUndefined()
      const inputs = request.messages.flatMap(({ role, content }) =>
        content.filter(part => role === 'assistant' && part.type === 'tool-use' && part.input === bigInput),
      )
      expect(body.split(`"arguments":${bigInput}`).length - 1).toBe(inputs.length)
    }),
  )
})
