import { describe, expect, test } from 'vitest'
import {
  encodeCountRequest,
  encodeMessagesRequest,
  readBetas,
} from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import type { CompletionRequest } from '../../../../guest-sdk/request.ts'
import { requestOf, system, user } from '../openai-chat/request.ts'
import { encode, look, refusal } from './encode-request.ts'

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

test.each<[string, Record<string, unknown>]>([
  ['a map', { type: 'object', additionalProperties: { type: 'number' } }],
  ['a map inside', { type: 'object', properties: { a: { type: 'array', items: { type: 'object' } } } }],
  [
    'what leads back to itself',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { anyOf: [{ items: { $ref: '#/$defs/a' } }] } },
    },
  ],
])('encodeMessagesRequest: a schema in words where there is no structured output of %s', (_name, schema) => {
  const { body, warnings } = encode([user('Hi')], { responseFormat: { name: 'x', schema, strict: true } })
  expect(body).not.toHaveProperty('output_config')
  expect(body.system).toMatchObject([{ text: expect.stringContaining(JSON.stringify(schema)) }])
  expect(warnings).toEqual([expect.stringContaining('for this schema')])
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
