import { describe, expect, test } from 'vitest'
import {
  encodeCountRequest,
  encodeMessagesRequest,
  type MessagesRules,
  readBetas,
} from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import type { CompletionRequest, MessagePart, RequestMessage } from '../../../../guest-sdk/request.ts'
import { assistant, requestOf, system, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { messagesRequest } from './api-schema.ts'

interface Wire {
  max_tokens: number
  system?: object[]
  messages: { role: string; content: Record<string, unknown>[] }[]
  [field: string]: unknown
}

function encode(
  messages: readonly RequestMessage[],
  fields: Partial<CompletionRequest> = {},
  rules: Partial<MessagesRules> = {},
): { body: Wire; text: string; warnings: string[] } {
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message), debug() {} }
  const text = encodeMessagesRequest(requestOf(messages, fields), 'm', { rules, log })
  const body = JSON.parse(text) as Wire
  expect(messagesRequest.safeParse(body).error?.issues).toBeUndefined()
  return { body, text, warnings }
}

const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }
const refusal = (field: string) =>
  expect.objectContaining({ kind: 'unsupported', message: expect.stringContaining(`Cannot send ${field}`) })

test('encodeMessagesRequest: a whole request', () => {
  const { body, warnings } = encode([system('Be brief.'), user('Hi')], {
    tools: [look],
    toolChoice: 'auto',
    stopSequences: ['END'],
    temperature: 0.5,
    topP: 0.9,
    maxTokens: 100,
    providerOptions: { top_k: 3, metadata: { user_id: 'u' }, stop_sequences: null },
  })
  expect(body).toEqual({
    model: 'm',
    max_tokens: 100,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
    tool_choice: { type: 'auto' },
    temperature: 0.5,
    top_p: 0.9,
    top_k: 3,
    metadata: { user_id: 'u' },
    stream: true,
  })
  expect(warnings).toEqual([])
})

describe('encodeMessagesRequest: turns', () => {
  test('results of one turn stand first in one turn, in the order of the calls (B27)', () => {
    const { body } = encode([
      user('Go'),
      assistant(toolUse('a', 'look', '{}')),
      assistant(toolUse('b', 'look', '{}')),
      user('By the way', toolResult('b', 'two')),
      user(toolResult('a', 'one', true), 'go on'),
    ])
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(body.messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }], is_error: true },
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'two' }] },
      { type: 'text', text: 'By the way' },
      { type: 'text', text: 'go on' },
    ])
  })
  test('a call without a result is answered for, a result without a call is told in words', () => {
    const { body, warnings } = encode([
      user('Go', toolResult('gone', 'old')),
      assistant(toolUse('a', 'look', '{}')),
      user('Never mind'),
    ])
    expect(body.messages[0]?.content[1]).toEqual({ type: 'text', text: 'Result of the tool look: old' })
    expect(body.messages[2]?.content[0]).toMatchObject({ tool_use_id: 'a', is_error: true })
    expect(warnings).toHaveLength(1)
  })
  test('ids fit the alphabet, stay apart, and stay as they are while the conversation grows (B22)', () => {
    const history = [
      user('Go'),
      assistant(toolUse('functions.Bash:0', 'look', '{}'), toolUse('functions/Bash:0', 'look', '{}')),
      user(toolResult('functions.Bash:0', '1'), toolResult('functions/Bash:0', '2')),
      // Services that count from 0 in each answer use an id again.
      assistant(toolUse('functions.Bash:0', 'look', '{}'), toolUse('call_1|fc_2', 'look', '{}')),
      user(toolResult('functions.Bash:0', '3'), toolResult('call_1|fc_2', '4')),
      assistant(toolUse('x'.repeat(90), 'look', '{}')),
      user(toolResult('x'.repeat(90), '5')),
    ]
    const idsIn = (messages: readonly RequestMessage[]) =>
      encode(messages).body.messages.flatMap(({ content }) => content.flatMap(block => block.id ?? []))
    const ids = idsIn(history)
    expect(new Set(ids).size).toBe(5)
    expect(idsIn(history.slice(0, 3))).toEqual(ids.slice(0, 2))
  })
  test('empty texts and turns are left out; white space at the end of a beginning too', () => {
    const { body } = encode([user('Hi', '', ' '), assistant(''), user('there'), assistant('So \n')])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'there' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'So' }] },
    ])
  })
  test('a beginning of the answer is refused where the model does not continue one', () => {
    expect(() => encode([user('Hi'), assistant('So')], {}, { prefill: false })).toThrow(
      refusal('this request'),
    )
  })
  test('a conversation that begins with the model gets a user in front', () => {
    const { body, warnings } = encode([assistant('Hello'), user('Hi')])
    expect(body.messages[0]?.role).toBe('user')
    expect(warnings).toHaveLength(1)
  })
  test('a system message between others: in its place where the model takes it, else in words', () => {
    const messages = [user('Hi'), assistant('Hello'), user('So?'), system('Answer in French.'), user('Well?')]
    const { body } = encode(messages, {}, { systemMessages: true })
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'system'])
    const { body: told, warnings } = encode(messages)
    expect(told.messages[2]?.content[1]).toEqual({
      type: 'text',
      text: '<system>\nAnswer in French.\n</system>',
    })
    expect(warnings).toHaveLength(1)
  })
  test('nothing to say is an error by name', () => {
    expect(() => encode([user('')])).toThrow(expect.objectContaining({ kind: 'invalid-request' }))
  })
})

describe('encodeMessagesRequest: what other services left in the history', () => {
  test('opaque parts of other dialects are left out, own ones stay', () => {
    const foreign: MessagePart[] = [
      { type: 'thinking', text: 'no signature' },
      { type: 'reasoning-details', data: '[{"type":"reasoning.text","text":"x"}]' },
      {
        type: 'reasoning-details',
        data: '{"type":"gemini.signature","of":"text","length":0,"thoughtSignature":"g"}',
      },
      { type: 'provider-content', data: '{"type":"gemini.part","part":{"executableCode":{"code":"1"}}}' },
      { type: 'provider-content', data: '{"type":"web_search_call","id":"ws_1"}' },
      { type: 'provider-content', data: 'not even JSON' },
      { ...toolUse('a', 'look', '{}'), thoughtSignature: 'of another' } as MessagePart,
    ]
    const { body } = encode([user('Go'), assistant(...foreign), user(toolResult('a', 'x'))])
    expect(body.messages[1]?.content).toEqual([{ type: 'tool_use', id: 'a', name: 'look', input: {} }])
  })
  test('arguments go out byte for byte, what is no object as {} (J5, trap 1)', () => {
    const input = '{"id": 12345678901234567890, "f": 1.10}'
    const { text } = encode([
      user('Go'),
      assistant(toolUse('a', 'f', input), toolUse('b', 'f', ''), toolUse('c', 'f', '[1]')),
      user(toolResult('a', ''), toolResult('b', ''), toolResult('c', '')),
    ])
    expect(text).toContain(`"input":${input}`)
    expect(text.split('"input":{}').length - 1).toBe(2)
  })
  test('half a surrogate pair becomes U+FFFD, also as an escape in arguments (J2)', () => {
    const { text } = encode([
      user('a\ud83d'),
      assistant(toolUse('a', 'f', '{"x":"\\ud83d","y":"\\ud83d\\ude00","z":"\\\\ud83d"}')),
      user(toolResult('a', '\ude00')),
    ])
    expect(text).toContain('{"x":"\\ufffd","y":"\\ud83d\\ude00","z":"\\\\ud83d"}')
    expect(text).toContain('"a\ufffd"')
    expect(text.isWellFormed()).toBe(true)
  })
})

describe('encodeMessagesRequest: media', () => {
  const jpeg = '/9j/4AAQSkZJRg=='
  test('the media type is that of the bytes, data URIs and base64url are cleaned (J1)', () => {
    const { body } = encode([
      user({ type: 'image', source: `data:image/png;base64,${jpeg}`, mediaType: 'image/png' }),
      user({ type: 'image', source: '_9j_4AAQSkZJRg', mediaType: 'image/png' }),
      user({ type: 'image', source: 'https://a.example/x.png' }),
    ])
    const source = { type: 'base64', media_type: 'image/jpeg', data: jpeg }
    expect(body.messages[0]?.content).toEqual([
      { type: 'image', source },
      { type: 'image', source },
      { type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } },
    ])
  })
  test('documents: PDF, text, and what is refused by name', () => {
    const pdf = Buffer.from('%PDF-1.7').toString('base64')
    const { body } = encode([
      user(
        { type: 'file', source: pdf, mediaType: 'application/octet-stream', name: 'a.pdf' },
        { type: 'file', source: Buffer.from('grüß').toString('base64'), mediaType: 'text/markdown' },
      ),
    ])
    expect(body.messages[0]?.content).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grüß' } },
    ])
    const audio: MessagePart = { type: 'file', source: 'AAAA', mediaType: 'audio/wav' }
    expect(() => encode([user(audio)])).toThrow(refusal('messages[0].content[0]'))
    const tiff: MessagePart = { type: 'image', source: 'SUkqAA==', mediaType: 'image/tiff' }
    expect(() => encode([user(tiff)])).toThrow(refusal('messages[0].content[0]'))
  })
  test('images in results and from the model', () => {
    const image = { type: 'image' as const, source: jpeg }
    const { body } = encode([
      user('Go'),
      assistant(image, toolUse('a', 'look', '{}')),
      user(toolResult('a', [{ type: 'text', text: 'here' }, image])),
    ])
    expect(body.messages[2]?.content.map(({ type }) => type)).toEqual(['tool_result', 'text', 'image'])
    expect(body.messages[2]?.content[0]?.content).toHaveLength(2)
  })
})

describe('encodeMessagesRequest: cache anchors', () => {
  const anchored = (message: RequestMessage): RequestMessage => ({ ...message, cache: true })
  test('on the last block of a message, and on the tools', () => {
    const { body } = encode(
      [anchored(system('S')), anchored(user('One', 'Two')), assistant('A'), user('B')],
      {
        tools: [look, { ...look, name: 'see' }],
      },
    )
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(body.system).toEqual([{ type: 'text', text: 'S', ...mark }])
    expect(body.messages[0]?.content).toEqual([
      { type: 'text', text: 'One' },
      { type: 'text', text: 'Two', ...mark },
    ])
    expect(body.tools).toMatchObject([{ name: 'look' }, { name: 'see', ...mark }])
  })
  test('no more than four, the last ones', () => {
    const messages = Array.from({ length: 6 }, (_, at) =>
      anchored(at % 2 ? assistant(`${at}`) : user(`${at}`)),
    )
    const { text } = encode([...messages, user('end')], { tools: [look] })
    expect(text.split('cache_control').length - 1).toBe(4)
    expect(text).toContain('{"type":"text","text":"5","cache_control":{"type":"ephemeral"}}')
    expect(text).not.toContain('{"type":"text","text":"1","cache_control"')
  })
  test('an anchor on thinking stands on the block before', () => {
    const thought: MessagePart = { type: 'thinking', text: 'x', signature: 's' }
    const { body } = encode([user('A'), anchored(assistant('Hm', thought)), user('B')])
    expect(body.messages[1]?.content[0]).toHaveProperty('cache_control')
  })
})

describe('encodeMessagesRequest: tools', () => {
  test.each([
    ['auto', undefined, { type: 'auto' }],
    ['any', undefined, { type: 'any' }],
    ['none', undefined, { type: 'none' }],
    [{ tool: 'look' }, undefined, { type: 'tool', name: 'look' }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['any', false, { type: 'any', disable_parallel_tool_use: true }],
    [undefined, true, undefined],
  ] as const)('choice %j, parallel %j', (toolChoice, parallelToolCalls, expected) => {
    const fields: Partial<CompletionRequest> = { tools: [look] }
    if (toolChoice !== undefined) fields.toolChoice = toolChoice
    if (parallelToolCalls !== undefined) fields.parallelToolCalls = parallelToolCalls
    expect(encode([user('Hi')], fields).body.tool_choice).toEqual(expected)
  })
  test('a forced tool is refused where the model cannot be forced', () => {
    const fields = { tools: [look], toolChoice: 'any' as const }
    expect(() => encode([user('Hi')], fields, { forcedTools: false })).toThrow(refusal('toolChoice'))
  })
  test('names that the API refuses are mended, and stay apart', () => {
    const tools = ['a.b', 'a_b', 'ä'].map(name => ({ ...look, name }))
    const { body } = encode([user('Hi')], { tools })
    expect((body.tools as { name: string }[]).map(({ name }) => name)).toEqual(['a_b_2', 'a_b', '_'])
  })
})

describe('encodeMessagesRequest: thinking', () => {
  const ask = (fields: Partial<CompletionRequest>, rules: Partial<MessagesRules>) => {
    const { body, warnings } = encode([user('Hi')], fields, rules)
    return { thinking: body.thinking, effort: (body.output_config as { effort?: string })?.effort, warnings }
  }
  const adaptive = { type: 'adaptive', display: 'summarized' }
  test.each<
    [name: string, fields: Partial<CompletionRequest>, rules: Partial<MessagesRules>, expected: object]
  >([
    ['adaptive by default', {}, { thinking: 'adaptive' }, { thinking: adaptive }],
    [
      'with effort',
      { reasoningEffort: 'low' },
      { thinking: 'adaptive' },
      { thinking: adaptive, effort: 'low' },
    ],
    ['most', { reasoningEffort: 'max' }, { thinking: 'adaptive' }, { thinking: adaptive, effort: 'max' }],
    ['least', { reasoningEffort: 'minimal' }, { thinking: 'adaptive' }, { effort: 'low' }],
    [
      'off',
      { thinkingAllowed: false },
      { thinking: 'adaptive', thinkingOff: 'disabled' },
      { thinking: { type: 'disabled' } },
    ],
    [
      'effort none',
      { reasoningEffort: 'none' },
      { thinking: 'adaptive', thinkingOff: 'between_tools' },
      { thinking: { type: 'between_tools' } },
    ],
    ['off by leaving out', { thinkingAllowed: false }, { thinking: 'adaptive' }, { thinking: undefined }],
    ['budget only when asked', {}, { thinking: 'budget' }, { thinking: undefined, effort: undefined }],
    [
      'budget by effort',
      { reasoningEffort: 'medium' },
      { thinking: 'budget' },
      { thinking: { type: 'enabled', budget_tokens: 10_000 } },
    ],
    [
      'budget of the settings',
      {},
      { thinking: 'budget', thinkingBudget: 2_000 },
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    ],
    [
      'budget within max_tokens',
      { reasoningEffort: 'high', maxTokens: 2_000 },
      { thinking: 'budget' },
      { thinking: { type: 'enabled', budget_tokens: 1_600 } },
    ],
    ['a model that is not known', {}, {}, { thinking: undefined, effort: undefined }],
    [
      'a model that is not known, asked',
      { reasoningEffort: 'high' },
      {},
      { thinking: adaptive, effort: 'high' },
    ],
  ])('%s', (_, fields, rules, expected) => {
    const asked = ask(fields, rules)
    expect(asked).toMatchObject(expected)
    expect(asked.warnings).toEqual([])
  })
  test.each<
    [name: string, fields: Partial<CompletionRequest>, rules: Partial<MessagesRules>, expected: object]
  >([
    [
      'always thinks',
      { thinkingAllowed: false },
      { thinking: 'adaptive', thinkingOff: 'never' },
      { thinking: undefined, effort: 'low' },
    ],
    ['no room', { reasoningEffort: 'high', maxTokens: 500 }, { thinking: 'budget' }, { thinking: undefined }],
    [
      'temperature',
      { reasoningEffort: 'high', temperature: 0 },
      { thinking: 'budget' },
      { thinking: undefined },
    ],
    [
      'forced',
      { reasoningEffort: 'high', tools: [look], toolChoice: 'any' },
      { thinking: 'adaptive' },
      { thinking: undefined },
    ],
    [
      'no such effort',
      { reasoningEffort: 'max' },
      { thinking: 'adaptive', efforts: ['low', 'high'] },
      { effort: 'high' },
    ],
    [
      'does not think',
      { reasoningEffort: 'high' },
      { thinking: 'none' },
      { thinking: undefined, effort: undefined },
    ],
  ])('emulated with a warning: %s', (_, fields, rules, expected) => {
    const asked = ask(fields, rules)
    expect(asked).toMatchObject(expected)
    expect(asked.warnings).toHaveLength(1)
  })
  test('a budget is not used to go on with calls that were made without thinking', () => {
    const history = [user('Go'), assistant(toolUse('a', 'look', '{}')), user(toolResult('a', 'x'))]
    const { body, warnings } = encode(history, { reasoningEffort: 'high' }, { thinking: 'budget' })
    expect(body.thinking).toBeUndefined()
    expect(warnings).toHaveLength(1)
  })
})

describe('encodeMessagesRequest: what the service does not have', () => {
  test('is refused by name', () => {
    expect(() => encode([user('Hi')], { seed: 1 })).toThrow(refusal('seed'))
    expect(() => encode([user('Hi')], { temperature: 0 }, { sampling: false })).toThrow(
      refusal('temperature'),
    )
    expect(() => encode([user('Hi')], { topP: 0.5 }, { sampling: false })).toThrow(refusal('topP'))
    expect(encode([user('Hi')], { temperature: 1, topP: 1 }, { sampling: false }).body).not.toHaveProperty(
      'top_p',
    )
  })
  test('or emulated with a warning', () => {
    const { body, warnings } = encode([user('Hi')], { temperature: 1.5 })
    expect([body.temperature, warnings.length]).toEqual([1, 1])
    const responseFormat = { name: 'x', schema: { type: 'object' }, strict: true }
    const { body: words, warnings: told } = encode(
      [user('Hi')],
      { responseFormat },
      { structuredOutput: false },
    )
    expect(words.system).toMatchObject([{ text: expect.stringContaining('{"type":"object"}') }])
    expect(told).toHaveLength(1)
  })
  test('fields of its own may not come from providerOptions', () => {
    expect(() => encode([user('Hi')], { providerOptions: { stream: false } })).toThrow(
      expect.objectContaining({
        kind: 'invalid-request',
        message: expect.stringContaining('providerOptions.stream'),
      }),
    )
  })
})

test('encodeMessagesRequest: a schema for the answer, closed, what is refused in words', () => {
  const schema = {
    $schema: 'x',
    type: 'object',
    properties: {
      minLength: { type: 'string', minLength: 2, description: 'Name.' },
      list: {
        type: 'array',
        minItems: 3,
        items: { oneOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
      },
    },
    required: ['minLength'],
  }
  const { body } = encode([user('Hi')], { responseFormat: { name: 'x', schema, strict: true } })
  expect((body.output_config as { format: unknown }).format).toEqual({
    type: 'json_schema',
    schema: {
      type: 'object',
      properties: {
        minLength: { type: 'string', description: 'Name. (minLength: 2)' },
        list: {
          type: 'array',
          items: { anyOf: [{ type: 'integer', description: '(minimum: 0)' }, { type: 'null' }] },
          description: '(minItems: 3)',
        },
      },
      required: ['minLength'],
      additionalProperties: false,
    },
  })
})

test('encodeMessagesRequest: providerOptions add tools of the service and betas', () => {
  const request = requestOf([user('Hi')], {
    tools: [look],
    providerOptions: { tools: [{ type: 'web_search_20260318', name: 'web_search' }], betas: ['a', 'b'] },
  })
  expect(JSON.parse(encodeMessagesRequest(request, 'm')).tools).toMatchObject([
    { name: 'look' },
    { name: 'web_search' },
  ])
  expect(encodeMessagesRequest(request, 'm')).not.toContain('betas')
  expect(readBetas(request)).toBe('a,b')
})

test('encodeCountRequest: what counts of the request, and nothing else', () => {
  const request = requestOf([system('S'), user('Hi')], { tools: [look], temperature: 0.5, maxTokens: 9 })
  expect(Object.keys(JSON.parse(encodeCountRequest(request, 'm')) as object).sort()).toEqual([
    'messages',
    'model',
    'system',
    'tools',
  ])
})
