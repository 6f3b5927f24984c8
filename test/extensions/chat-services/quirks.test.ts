import { describe, expect, test } from 'vitest'
import type { CompletionRequest, RequestMessage } from '../../../guest-sdk/index.ts'
import {
  assistant,
  requestOf,
  toolResult,
  toolUse,
  user,
} from '../../guest-sdk/dialects/openai-chat/request.ts'
import { offer } from '../openai-compatible/context.ts'
import { serviceOf } from './services.ts'

const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }]
const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
const responseFormat = { name: 'a', schema, strict: true }
const hi = [user('Hi')]

function encode(
  id: string,
  model: string,
  fields: Partial<CompletionRequest> & { messages?: RequestMessage[] },
) {
  const context = offer({ credential: 'k' })
  const { messages = hi, ...rest } = fields
  const { body } = serviceOf(id).provider.request(requestOf(messages, rest), model, context)
  return { body: body as Record<string, unknown>, warnings: context.warnings }
}

const history = [
  user('Look'),
  assistant({ type: 'thinking', text: 'Hm.' }, toolUse('call_that_is_long', 'look', '{}')),
  user(toolResult('call_that_is_long', [{ type: 'image', source: '/9j/4AAQSkZJRg==' }]), 'And?'),
]

describe('Mistral', () => {
  test('ids of nine letters and digits, a word between result and user, thinking as a part (B22, C8, I4)', () => {
    const { body } = encode('mistral', 'mistral-medium-latest', { messages: history, tools })
    expect(body).not.toHaveProperty('stream_options')
    const wire = body.messages as {
      role: string
      content: unknown
      tool_calls?: { id: string }[]
      tool_call_id?: string
    }[]
    expect(wire.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    expect(wire[1]?.content).toEqual([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }])
    expect(wire[1]?.tool_calls?.[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(wire[2]?.tool_call_id).toBe(wire[1]?.tool_calls?.[0]?.id)
  })

  test('a model that does not think gets no thinking back', () => {
    const { body } = encode('mistral', 'mistral-large-2512', { messages: history, tools })
    expect(JSON.stringify(body.messages)).not.toContain('Hm.')
  })

  test('its own words: any, random_seed, prefix, document_url', () => {
    const file = { type: 'file' as const, source: 'JVBERi0=', mediaType: 'application/pdf', name: 'a.pdf' }
    const messages = [user(file), assistant('The')]
    const { body } = encode('mistral', 'mistral-medium-3-5', { messages, tools, toolChoice: 'any', seed: 3 })
    expect(body).toMatchObject({
      tool_choice: 'any',
      random_seed: 3,
      messages: [
        {
          content: [
            {
              type: 'document_url',
              document_url: 'data:application/pdf;base64,JVBERi0=',
              document_name: 'a.pdf',
            },
          ],
        },
        { role: 'assistant', content: 'The', prefix: true },
      ],
    })
    expect(body).not.toHaveProperty('seed')
  })

  test.each<[Partial<CompletionRequest>, string, unknown, number]>([
    [{ reasoningEffort: 'high' }, 'mistral-small-2603', 'high', 0],
    [{ reasoningEffort: 'low' }, 'mistral-small-2603', 'high', 1],
    [{ reasoningEffort: 'none' }, 'mistral-small-2603', 'none', 0],
    [{ thinkingAllowed: false }, 'mistral-small-2603', 'none', 0],
    [{ thinkingAllowed: false }, 'magistral-medium-latest', undefined, 1],
    [{ reasoningEffort: 'low' }, 'unheard-of', undefined, 1],
  ])('%j of %s is %j', (given, model, effort, warned) => {
    const { body, warnings } = encode('mistral', model, given)
    expect(body.reasoning_effort).toBe(effort)
    expect(warnings).toHaveLength(warned)
  })
})

describe('DeepSeek', () => {
  test('thinking goes back where tools were called, empty too, and nowhere else (I1)', () => {
    const messages = [
      ...history.slice(0, 2),
      user(toolResult('call_that_is_long', 'a cat')),
      assistant({ type: 'thinking', text: 'no' }, 'Yes.'),
      user('Again'),
      assistant(toolUse('b', 'look', '{}')),
      user(toolResult('b', 'a dog')),
    ]
    const { body } = encode('deepseek', 'deepseek-v4-pro', { messages, tools })
    const own = (body.messages as { role: string; reasoning_content?: string }[]).filter(
      ({ role }) => role === 'assistant',
    )
    expect(own.map(message => message.reasoning_content)).toEqual(['Hm.', undefined, ''])
  })

  test.each<[Partial<CompletionRequest>, string, object, number]>([
    [
      { reasoningEffort: 'low' },
      'deepseek-flash',
      { reasoning_effort: 'low', thinking: { type: 'enabled' } },
      0,
    ],
    [{ reasoningEffort: 'low' }, 'deepseek-v4-pro', { reasoning_effort: 'high' }, 1],
    [{ reasoningEffort: 'max' }, 'deepseek-v4-flash', { reasoning_effort: 'max' }, 0],
    [{ reasoningEffort: 'none' }, 'deepseek-flash', { thinking: { type: 'disabled' } }, 0],
    [{ thinkingAllowed: false }, 'deepseek-flash', { thinking: { type: 'disabled' } }, 0],
    [
      { tools, toolChoice: 'any' },
      'deepseek-flash',
      { thinking: { type: 'disabled' }, tool_choice: 'required' },
      1,
    ],
    [{ temperature: 1 }, 'deepseek-flash', { temperature: 1 }, 1],
    [{ temperature: 1, thinkingAllowed: false }, 'deepseek-flash', { temperature: 1 }, 0],
    [{ responseFormat }, 'deepseek-flash', { response_format: { type: 'json_object' } }, 1],
    [{ tools, parallelToolCalls: false }, 'deepseek-flash', {}, 1],
  ])('%j of %s', (given, model, expected, warned) => {
    const { body, warnings } = encode('deepseek', model, given)
    expect(body).toMatchObject(expected)
    expect(warnings).toHaveLength(warned)
  })

  test('refuses a seed, files, and images where the model sees none', () => {
    const image = { type: 'image' as const, source: '/9j/4AAQ' }
    expect(() => encode('deepseek', 'deepseek-flash', { seed: 1 })).toThrow(/Cannot send seed/)
    expect(() => encode('deepseek', 'deepseek-v4-pro', { messages: [user(image)] })).toThrow(
      /takes no images/,
    )
    expect(encode('deepseek', 'deepseek-flash', { messages: [user(image)] }).warnings).toEqual([])
  })
})

describe('xAI', () => {
  test.each<[Partial<CompletionRequest>, string, unknown, number]>([
    [{ reasoningEffort: 'max' }, 'grok-4.7', 'xhigh', 1],
    [{ reasoningEffort: 'minimal' }, 'grok-4.5', 'low', 1],
    [{ thinkingAllowed: false }, 'grok-4.5', undefined, 1],
    [{ thinkingAllowed: false }, 'grok-4.3', 'none', 0],
    [{ reasoningEffort: 'high' }, 'grok-4.20-0309-reasoning', undefined, 1],
  ])('%j of %s is %j', (given, model, effort, warned) => {
    const { body, warnings } = encode('xai', model, given)
    expect(body.reasoning_effort).toBe(effort)
    expect(warnings).toHaveLength(warned)
  })

  test('a model that thinks refuses stop sequences by name; another takes them', () => {
    const given = { stopSequences: ['X'] }
    expect(() => encode('xai', 'grok-4.7', given)).toThrow(
      /Cannot send stopSequences: models that think take none/,
    )
    expect(encode('xai', 'grok-4.20-0309-non-reasoning', given).body.stop).toEqual(['X'])
  })
})

describe('Groq', () => {
  test.each<[Partial<CompletionRequest>, string, object, number]>([
    [{ reasoningEffort: 'minimal' }, 'openai/gpt-oss-120b', { reasoning_effort: 'low' }, 1],
    [{ thinkingAllowed: false }, 'openai/gpt-oss-120b', {}, 1],
    [
      { reasoningEffort: 'high' },
      'qwen/qwen3.8-27b',
      { reasoning_effort: 'default', reasoning_format: 'parsed' },
      1,
    ],
    [{ thinkingAllowed: false }, 'qwen/qwen3.8-27b', { reasoning_effort: 'none' }, 0],
    [{ responseFormat }, 'openai/gpt-oss-20b', { response_format: { type: 'json_schema' } }, 0],
    [{ responseFormat }, 'another', { response_format: { type: 'json_object' } }, 1],
    [{ maxTokens: 5 }, 'another', { max_completion_tokens: 5 }, 0],
  ])('%j of %s', (given, model, expected, warned) => {
    const { body, warnings } = encode('groq', model, given)
    expect(body).toMatchObject(expected)
    expect(warnings).toHaveLength(warned)
  })

  test('why it broke off a stream, beside the choices (D4)', () => {
    const decoder = serviceOf('groq').provider.decode({
      request: requestOf(hi),
      model: 'm',
      context: offer({}),
    })
    const chunk = { choices: [{ index: 0, delta: {} }], x_groq: { id: 'req', error: 'over capacity' } }
    expect(() => decoder.frame({ data: JSON.stringify(chunk) }, () => {})).toThrow(/over capacity/)
  })
})
