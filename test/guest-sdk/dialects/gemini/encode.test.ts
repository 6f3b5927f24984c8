import { describe, expect, test } from 'vitest'
import {
  encodeGeminiCountRequest,
  encodeGeminiRequest,
  type GeminiRules,
} from '../../../../guest-sdk/dialects/gemini/index.ts'
import type { CompletionRequest, MessagePart, RequestMessage } from '../../../../guest-sdk/request.ts'
import { assistant, requestOf, system, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { generateContentRequest } from './api-schema.ts'

interface Wire {
  contents: { role: string; parts: Record<string, unknown>[] }[]
  generationConfig?: Record<string, unknown>
  [field: string]: unknown
}

function encode(
  messages: readonly RequestMessage[],
  fields: Partial<CompletionRequest> = {},
  rules: Partial<GeminiRules> = {},
): { body: Wire; text: string; warnings: string[] } {
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message), debug() {} }
  const text = encodeGeminiRequest(requestOf(messages, fields), { rules, log })
  const body = JSON.parse(text) as Wire
  expect(generateContentRequest.safeParse(body).error?.issues).toBeUndefined()
  return { body, text, warnings }
}

const look = {
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { x: { type: 'string' } } },
}

test('encodeGeminiRequest: a whole request', () => {
  const { body, warnings } = encode([system('Be brief.'), user('Hi')], {
    tools: [look, { name: 'stop', description: '', inputSchema: { type: 'object', properties: {} } }],
    toolChoice: 'auto',
    stopSequences: ['END'],
    temperature: 0.5,
    topP: 0.9,
    seed: 7,
    maxTokens: 100,
    responseFormat: { name: 'x', schema: look.inputSchema, strict: true },
    providerOptions: { generationConfig: { topK: 3 } },
  })
  expect(body).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [
      {
        functionDeclarations: [
          { name: 'look', description: 'Looks.', parameters: look.inputSchema },
          // An object without properties is refused: the field is left out.
          { name: 'stop' },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    generationConfig: {
      temperature: 0.5,
      topP: 0.9,
      topK: 3,
      seed: 7,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseSchema: look.inputSchema,
    },
  })
  expect(warnings).toEqual([])
})

describe('encodeGeminiRequest: results', () => {
  const history = [
    user('Go'),
    assistant(toolUse('a', 'look', '{}'), toolUse('gemini_xyz', 'look', '{"x":"1"}')),
    user(toolResult('gemini_xyz', 'two', true), 'and then', toolResult('a', 'one')),
  ]
  test('one content, as many and in the order of the calls, nothing beside them (G8)', () => {
    const { body } = encode(history)
    expect(body.contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user'])
    expect(body.contents[2]?.parts).toEqual([
      { functionResponse: { id: 'a', name: 'look', response: { result: 'one' } } },
      { functionResponse: { name: 'look', response: { error: 'two' } } },
    ])
    expect(body.contents[3]?.parts).toEqual([{ text: 'and then' }])
  })
  test('ids go back only where the model gave one, and where it takes them (G9)', () => {
    const { body } = encode(history)
    expect(body.contents[1]?.parts).toEqual([
      { functionCall: { id: 'a', name: 'look', args: {} } },
      { functionCall: { name: 'look', args: { x: '1' } } },
    ])
    expect(encode(history, {}, { callIds: false }).text).not.toContain('"id"')
  })
  test('a call without a result is answered for', () => {
    const { body, warnings } = encode([user('Go'), assistant(toolUse('a', 'look', '{}')), user('Never mind')])
    expect(body.contents[2]?.parts).toMatchObject([
      { functionResponse: { name: 'look', response: { error: expect.stringContaining('not run') } } },
    ])
    expect(warnings).toHaveLength(1)
  })
  test('images stand in the result where the model takes them, else behind it', () => {
    const image = { type: 'image' as const, source: 'iVBORw0KGgo=' }
    const messages = [user('Go'), assistant(toolUse('a', 'look', '{}')), user(toolResult('a', [image]))]
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' }
    const inside = encode(messages, {}, { resultImages: true }).body.contents
    expect(inside[2]?.parts[0]).toMatchObject({ functionResponse: { parts: [{ inlineData }] } })
    const behind = encode(messages).body.contents
    expect(behind[2]?.parts).toMatchObject([
      { functionResponse: { response: { result: '(An image follows.)' } } },
    ])
    expect(behind[3]?.parts[1]).toEqual({ inlineData })
  })
})

describe('encodeGeminiRequest: what other services left in the history', () => {
  test('opaque parts of other dialects are left out', () => {
    const foreign: MessagePart[] = [
      { type: 'thinking', text: 'Hm', signature: 'of another' },
      { type: 'redacted-thinking', data: 'x' },
      { type: 'reasoning-details', data: '{"type":"anthropic.citations","length":1,"citations":[]}' },
      { type: 'provider-content', data: '{"type":"server_tool_use","id":"s"}' },
      { type: 'text', text: 'Hi' },
    ]
    expect(encode([user('Go'), assistant(...foreign), user('?')]).body.contents[1]?.parts).toEqual([
      { text: 'Hi' },
    ])
  })
  test('a call that another model made gets the documented stand-in where calls must be signed (G1)', () => {
    const messages = [
      user('Go'),
      assistant(toolUse('toolu_1', 'look', '{}'), toolUse('toolu_2', 'look', '{}')),
      user(toolResult('toolu_1', ''), toolResult('toolu_2', '')),
    ]
    const { body, warnings } = encode(messages, {}, { signedCalls: true })
    expect(body.contents[1]?.parts.map(part => part.thoughtSignature)).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ])
    expect(warnings).toHaveLength(1)
    expect(encode(messages).text).not.toContain('thoughtSignature')
  })
  test('a signature that came by the chat dialect is left out', () => {
    const signed = { ...toolUse('a', 'look', '{}'), thoughtSignature: 'openai-chat:SIG' }
    expect(encode([user('Go'), assistant(signed), user(toolResult('a', ''))]).text).not.toContain('SIG')
  })
  test('half a surrogate pair becomes U+FFFD (J2)', () => {
    const { text } = encode([user('a\ud83d')])
    expect(text).toContain('"a\ufffd"')
  })
})

describe('encodeGeminiRequest: tools', () => {
  test.each([
    ['any', { mode: 'ANY' }],
    ['none', { mode: 'NONE' }],
    [{ tool: 'look' }, { mode: 'ANY', allowedFunctionNames: ['look'] }],
  ] as const)('choice %j', (toolChoice, functionCallingConfig) => {
    const { body } = encode([user('Hi')], { tools: [look], toolChoice })
    expect(body.toolConfig).toEqual({ functionCallingConfig })
  })
  test('one call at a time is asked for in words, with a warning', () => {
    const { body, warnings } = encode([user('Hi')], { tools: [look], parallelToolCalls: false })
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'Call at most one function at a time.' }] })
    expect(warnings).toHaveLength(1)
  })
  test('names that the API refuses are mended (G10)', () => {
    const { text } = encode([user('Hi')], { tools: [{ ...look, name: '1/look up' }] })
    expect(text).toContain('"name":"_1_look_up"')
  })
})

describe('encodeGeminiRequest: thinking', () => {
  const level: Partial<GeminiRules> = { thinking: 'level' }
  const budget: Partial<GeminiRules> = { thinking: 'budget', budget: { least: 0, most: 24_576 } }
  const told = { includeThoughts: true }
  test.each<[string, Partial<CompletionRequest>, Partial<GeminiRules>, object | undefined, number]>([
    ['told by default', {}, level, told, 0],
    ['by level', { reasoningEffort: 'high' }, level, { ...told, thinkingLevel: 'high' }, 0],
    ['no such level', { reasoningEffort: 'minimal' }, level, { ...told, thinkingLevel: 'low' }, 1],
    ['by budget', { reasoningEffort: 'low' }, budget, { ...told, thinkingBudget: 2_048 }, 0],
    ['within the budget', { reasoningEffort: 'max' }, budget, { ...told, thinkingBudget: 24_576 }, 0],
    ['budget of the settings', {}, { ...budget, thinkingBudget: 99 }, { ...told, thinkingBudget: 99 }, 0],
    ['off', { thinkingAllowed: false }, budget, { thinkingBudget: 0 }, 0],
    [
      'not quite off',
      { thinkingAllowed: false },
      { ...budget, budget: { least: 128, most: 9 } },
      { thinkingBudget: 128 },
      1,
    ],
    ['as little as it goes', { reasoningEffort: 'none' }, level, { thinkingLevel: 'low' }, 1],
    ['not known', {}, {}, undefined, 0],
    ['not known, asked', { reasoningEffort: 'medium' }, {}, { ...told, thinkingLevel: 'medium' }, 0],
    ['does not think', { reasoningEffort: 'high' }, { thinking: 'none' }, undefined, 1],
  ])('%s', (_, fields, rules, expected, warned) => {
    const { body, warnings } = encode([user('Hi')], fields, rules)
    expect(body.generationConfig?.thinkingConfig).toEqual(expected)
    expect(warnings).toHaveLength(warned)
  })
})

test('encodeGeminiRequest: media by bytes and by URL (J1)', () => {
  const { body } = encode([
    user(
      { type: 'image', source: '/9j/4AAQSkZJRg==', mediaType: 'image/png' },
      { type: 'image', source: 'https://a.example/x.webp?y' },
      { type: 'file', source: 'AAAA', mediaType: 'audio/wav' },
    ),
  ])
  expect(body.contents[0]?.parts).toEqual([
    { inlineData: { mimeType: 'image/jpeg', data: '/9j/4AAQSkZJRg==' } },
    { fileData: { mimeType: 'image/webp', fileUri: 'https://a.example/x.webp?y' } },
    { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
  ])
})

test('encodeGeminiRequest: refused by name', () => {
  const unsupported = expect.objectContaining({
    kind: 'unsupported',
    message: expect.stringContaining('seed'),
  })
  expect(() => encode([user('Hi')], { seed: 2 ** 40 })).toThrow(unsupported)
  const protectedField = expect.objectContaining({ kind: 'invalid-request' })
  expect(() => encode([user('Hi')], { providerOptions: { contents: [] } })).toThrow(protectedField)
  expect(() => encode([user('')])).toThrow(protectedField)
})

test('encodeGeminiRequest: a model without system instructions is told in its first message', () => {
  const { body } = encode([system('S'), user('Hi')], {}, { systemInstruction: false })
  expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'S' }, { text: 'Hi' }] }] })
})

test('encodeGeminiCountRequest: the whole request, with its model', () => {
  const body = JSON.parse(
    encodeGeminiCountRequest(requestOf([system('S'), user('Hi')]), 'models/m'),
  ) as object
  expect(body).toEqual({
    generateContentRequest: {
      model: 'models/m',
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    },
  })
})

describe('encodeGeminiRequest: responseFormat', () => {
  const responseFormat = { name: 'x', schema: look.inputSchema, strict: true }

  test('where the model takes none beside tools, it is told in words', () => {
    const asked = { tools: [look], responseFormat }
    const { body, warnings } = encode([user('Hi')], asked, { formatWithTools: false })
    expect(body).not.toHaveProperty('generationConfig')
    expect(JSON.stringify(body.systemInstruction)).toContain('fits this JSON Schema')
    expect(warnings).toHaveLength(1)
    const without = encode([user('Hi')], { responseFormat }, { formatWithTools: false })
    expect(without.body.generationConfig).toMatchObject({ responseSchema: look.inputSchema })
    expect(without.warnings).toEqual([])
  })

  test('an object of which nothing is said is asked for as JSON', () => {
    const open = { ...responseFormat, schema: { type: 'object' } }
    const { body } = encode([user('Hi')], { responseFormat: open })
    expect(body.generationConfig).toEqual({ responseMimeType: 'application/json' })
  })
})
