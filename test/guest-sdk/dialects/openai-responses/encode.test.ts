import { describe, expect, test } from 'vitest'
import {
  encodeResponsesCountRequest,
  encodeResponsesRequest,
  type ResponsesRules,
} from '../../../../guest-sdk/dialects/openai-responses/index.ts'
import type { CompletionRequest } from '../../../../guest-sdk/request.ts'
import { requestOf, system, user } from '../openai-chat/request.ts'
import { encode, look, refusal } from './encode-request.ts'

test('encodeResponsesRequest: a whole request', () => {
  const { body, warnings } = encode([system('Be brief.'), user('Hi')], {
    tools: [look],
    toolChoice: 'auto',
    parallelToolCalls: true,
    temperature: 0.5,
    topP: 0.9,
    maxTokens: 100,
  })
  expect(body).toEqual({
    model: 'm',
    instructions: 'Be brief.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    tools: [
      {
        type: 'function',
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    max_output_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    store: false,
    stream: true,
  })
  expect(warnings).toEqual([])
})

describe('encodeResponsesRequest: tools', () => {
  test.each([
    ['auto', 'auto'],
    ['any', 'required'],
    ['none', 'none'],
    [{ tool: 'look at' }, { type: 'function', name: 'look_at' }],
  ] as const)('choice %j', (toolChoice, expected) => {
    const fields = { tools: [{ ...look, name: 'look at' }], toolChoice }
    expect(encode([user('Hi')], fields).body.tool_choice).toEqual(expected)
  })
  test('without tools a choice of none says nothing, and a forced one does not get lost', () => {
    const { body } = encode([user('Hi')], { toolChoice: 'none', parallelToolCalls: false })
    expect(body).not.toHaveProperty('tool_choice')
    expect(body).not.toHaveProperty('parallel_tool_calls')
    expect(encode([user('Hi')], { toolChoice: 'any' }).body.tool_choice).toBe('required')
  })
  test('one call at a time', () => {
    expect(encode([user('Hi')], { tools: [look], parallelToolCalls: false }).body.parallel_tool_calls).toBe(
      false,
    )
  })
})

describe('encodeResponsesRequest: what the service does not have', () => {
  test.each<[field: string, fields: Partial<CompletionRequest>, rules?: Partial<ResponsesRules>]>([
    ['seed', { seed: 0 }],
    ['stopSequences', { stopSequences: ['END'] }],
    ['temperature', { temperature: 0 }, { sampling: 'never' }],
    ['topP', { topP: 0.5 }, { sampling: 'never' }],
    ['temperature', { temperature: 0 }, { thinking: true, sampling: 'without-thinking' }],
  ])('%s is refused by name', (field, fields, rules) => {
    expect(() => encode([user('Hi')], fields, rules)).toThrow(refusal(field))
  })
  test('what the service does by itself is left out; without thinking the rest may be sent', () => {
    const rules: Partial<ResponsesRules> = {
      thinking: true,
      efforts: ['none', 'low'],
      sampling: 'without-thinking',
    }
    expect(encode([user('Hi')], { temperature: 1, topP: 1 }, rules).body).not.toHaveProperty('temperature')
    const { body } = encode([user('Hi')], { temperature: 0.5, reasoningEffort: 'none' }, rules)
    expect(body).toMatchObject({ temperature: 0.5, reasoning: { effort: 'none' } })
    const calm = encode([user('Hi')], { temperature: 0.5 }, { ...rules, defaultEffort: 'none' })
    expect(calm.body.temperature).toBe(0.5)
  })
  test('too short an answer becomes the shortest, with a warning', () => {
    const { body, warnings } = encode([user('Hi')], { maxTokens: 5 })
    expect(body.max_output_tokens).toBe(16)
    expect(warnings).toHaveLength(1)
  })
})

describe('encodeResponsesRequest: thinking', () => {
  const thinks: Partial<ResponsesRules> = { thinking: true, efforts: ['low', 'medium', 'high', 'xhigh'] }
  const include = ['reasoning.encrypted_content']
  test.each<
    [name: string, fields: Partial<CompletionRequest>, rules: Partial<ResponsesRules>, expected: unknown]
  >([
    ['a model of which nothing is known: nothing', {}, {}, {}],
    [
      'asked for, it is',
      { reasoningEffort: 'low' },
      {},
      { reasoning: { effort: 'low', summary: 'auto' }, include },
    ],
    ['one that thinks: its reasoning comes back', {}, thinks, { include }],
    [
      'by effort',
      { reasoningEffort: 'high' },
      thinks,
      { reasoning: { effort: 'high', summary: 'auto' }, include },
    ],
    [
      'no summaries where there are none',
      { reasoningEffort: 'high' },
      { ...thinks, summaries: false },
      { reasoning: { effort: 'high' }, include },
    ],
    ['no reasoning where it is not given', {}, { ...thinks, encryptedReasoning: false }, {}],
    [
      'off',
      { thinkingAllowed: false },
      { ...thinks, efforts: ['none', 'low'] },
      { reasoning: { effort: 'none' }, include },
    ],
  ])('%s', (_, fields, rules, expected) => {
    const { body, warnings } = encode([user('Hi')], fields, rules)
    const { reasoning, include } = body
    expect({
      ...(reasoning !== undefined && { reasoning }),
      ...(include !== undefined && { include }),
    }).toEqual(expected)
    expect(warnings).toEqual([])
  })
  test.each<[wanted: CompletionRequest['reasoningEffort'], sent: string]>([
    ['max', 'xhigh'],
    ['minimal', 'low'],
    ['none', 'low'],
  ])('an effort that the model does not have: %s becomes %s, with a warning', (reasoningEffort, effort) => {
    const { body, warnings } = encode([user('Hi')], { reasoningEffort: reasoningEffort! }, thinks)
    expect(body.reasoning).toMatchObject({ effort })
    expect(warnings).toHaveLength(1)
  })
  test.each<[name: string, fields: Partial<CompletionRequest>, rules: Partial<ResponsesRules>]>([
    ['an effort for a model that does not think', { reasoningEffort: 'low' }, { thinking: false }],
    ['no thinking, and nobody knows', { thinkingAllowed: false }, {}],
    ['a budget of the settings', {}, { thinkingBudget: 5_000 }],
  ])('%s: nothing is sent, with a warning', (_, fields, rules) => {
    const { body, warnings } = encode([user('Hi')], fields, rules)
    expect(body).not.toHaveProperty('reasoning')
    expect(warnings).toHaveLength(1)
  })
})

describe('encodeResponsesRequest: structured output', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  }
  test('a schema that the service guarantees, strict', () => {
    const { body, warnings } = encode([user('Hi')], {
      responseFormat: { name: 'my answer', schema: closed, strict: true },
    })
    expect(body.text).toEqual({
      format: { type: 'json_schema', name: 'my_answer', schema: closed, strict: true },
    })
    expect(warnings).toEqual([])
  })
  test.each([
    ['an optional property', { ...closed, required: [] }],
    ['an open object inside', { ...closed, properties: { a: { type: 'array', items: { type: 'object' } } } }],
    ['no object', { anyOf: [closed] }],
  ])('%s: sent without strict, with a warning', (_, schema) => {
    const { body, warnings } = encode([user('Hi')], { responseFormat: { name: 'a', schema, strict: true } })
    expect(body.text).toMatchObject({ format: { schema, strict: false } })
    expect(warnings).toHaveLength(1)
  })
})

describe('encodeResponsesRequest: providerOptions', () => {
  const plain = (providerOptions: Record<string, unknown>, fields: Partial<CompletionRequest> = {}) =>
    JSON.parse(
      encodeResponsesRequest(requestOf([user('Hi')], { ...fields, providerOptions }), 'm', {
        service: 'openai',
      }),
    ) as Record<string, unknown>
  test('replace, add, merge, take away', () => {
    const search = { type: 'web_search' }
    const body = plain(
      {
        tools: [search],
        include: ['web_search_call.action.sources'],
        reasoning: { summary: null, mode: 'pro' },
        text: { verbosity: 'low' },
        service_tier: 'flex',
        store: null,
      },
      {
        tools: [look],
        reasoningEffort: 'high',
        responseFormat: { name: 'a', schema: { type: 'object' }, strict: false },
      },
    )
    expect(body.tools).toMatchObject([{ name: 'look' }, search])
    expect(body.include).toEqual(['reasoning.encrypted_content', 'web_search_call.action.sources'])
    expect(body.reasoning).toEqual({ effort: 'high', mode: 'pro' })
    expect(body.text).toMatchObject({ format: { type: 'json_schema' }, verbosity: 'low' })
    expect(body.service_tier).toBe('flex')
    expect(body).not.toHaveProperty('store')
  })
  test.each(['model', 'input', 'stream'])("%s is the dialect's own", field => {
    expect(() => plain({ [field]: 1 })).toThrow(
      expect.objectContaining({
        kind: 'invalid-request',
        message: expect.stringContaining(`providerOptions.${field}`),
      }),
    )
  })
})

test('encodeResponsesCountRequest: what the count takes, and no more', () => {
  const request = requestOf([system('S'), user('Hi')], {
    tools: [look],
    maxTokens: 100,
    reasoningEffort: 'low',
  })
  const body = JSON.parse(encodeResponsesCountRequest(request, 'm', { service: 'openai' })) as object
  expect(Object.keys(body)).toEqual(['model', 'input', 'instructions', 'tools', 'reasoning'])
})
