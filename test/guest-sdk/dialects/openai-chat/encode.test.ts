import { expect, test } from 'vitest'
import { type ChatQuirks, encodeChatRequest } from '../../../../guest-sdk/dialects/openai-chat/index.ts'
import { ProviderError } from '../../../../guest-sdk/provider-error.ts'
import type { CompletionRequest } from '../../../../guest-sdk/request.ts'
import { assistant, requestOf, system, toolResult, toolUse, user } from './request.ts'

const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }]
const hi = [user('Hi')]

function encode(fields: Partial<CompletionRequest>, quirks?: Partial<ChatQuirks>): Record<string, unknown> {
  const { messages = hi, ...rest } = fields
  const {
    model: _,
    messages: __,
    stream: ___,
    ...body
  } = encodeChatRequest(requestOf(messages, rest), 'm', quirks)
  return body
}

test('encodeChatRequest: the least that a request can be', () => {
  expect(encodeChatRequest(requestOf(hi), 'm')).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  })
})

const schema = { type: 'object', properties: { x: { type: 'string' } } }
const asked = { name: 'look', schema, strict: true }

const cases: [
  name: string,
  fields: Partial<CompletionRequest>,
  body: object,
  quirks?: Partial<ChatQuirks>,
][] = [
  [
    'usage is not asked for where the service refuses the field (C8)',
    {},
    { stream_options: undefined },
    { usageInStream: false },
  ],
  ['maxTokens', { maxTokens: 9 }, { max_tokens: 9 }],
  [
    'maxTokens by its newer name',
    { maxTokens: 9 },
    { max_completion_tokens: 9 },
    { maxTokensField: 'max_completion_tokens' },
  ],
  [
    'sampling',
    { temperature: 0, topP: 0.5, seed: 7, stopSequences: ['END'] },
    { temperature: 0, top_p: 0.5, seed: 7, stop: ['END'] },
  ],
  [
    'tools',
    { tools },
    {
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
        },
      ],
    },
  ],
  [
    'a tool without a description',
    { tools: [{ ...tools[0]!, description: '' }] },
    { tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }] },
  ],
  ['toolChoice auto', { tools, toolChoice: 'auto' }, { tool_choice: 'auto' }],
  ['toolChoice any', { tools, toolChoice: 'any' }, { tool_choice: 'required' }],
  [
    'toolChoice any in another word',
    { tools, toolChoice: 'any' },
    { tool_choice: 'any' },
    { toolChoiceAny: 'any' },
  ],
  ['toolChoice none', { tools, toolChoice: 'none' }, { tool_choice: 'none' }],
  [
    'toolChoice none where the service has no word for it',
    { tools, toolChoice: 'none' },
    { tool_choice: undefined, tools: undefined },
    { toolChoiceNone: false },
  ],
  [
    'toolChoice of one tool',
    { tools, toolChoice: { tool: 'look' } },
    { tool_choice: { type: 'function', function: { name: 'look' } } },
  ],
  [
    'toolChoice without tools says nothing',
    { toolChoice: 'none' },
    { tool_choice: undefined, tools: undefined },
  ],
  ['parallelToolCalls', { tools, parallelToolCalls: false }, { parallel_tool_calls: false }],
  ['parallelToolCalls without tools', { parallelToolCalls: false }, { parallel_tool_calls: undefined }],
  [
    'parallelToolCalls where the service refuses it',
    { tools, parallelToolCalls: false },
    { parallel_tool_calls: undefined },
    { parallelToolCalls: false },
  ],
  [
    'responseFormat that the service does not guarantee',
    { responseFormat: asked },
    { response_format: { type: 'json_schema', json_schema: { name: 'look', schema, strict: false } } },
  ],
  [
    'responseFormat that the service guarantees',
    { responseFormat: { ...asked, schema: { ...schema, required: ['x'] } } },
    {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'look',
          schema: { ...schema, required: ['x'], additionalProperties: false },
          strict: true,
        },
      },
    },
  ],
  [
    'responseFormat with a name of other letters, not strict',
    { responseFormat: { name: 'my answer!', schema, strict: false } },
    { response_format: { type: 'json_schema', json_schema: { name: 'my_answer_', schema, strict: false } } },
  ],
  [
    'responseFormat where strict is unknown',
    { responseFormat: asked },
    { response_format: { type: 'json_schema', json_schema: { name: 'look', schema } } },
    { strictSchemas: false },
  ],
  [
    'responseFormat where there is JSON only',
    { responseFormat: asked },
    { response_format: { type: 'json_object' } },
    { structuredOutput: 'json_object' },
  ],
  ['reasoningEffort', { reasoningEffort: 'low' }, { reasoning_effort: 'low' }],
  ['reasoningEffort max', { reasoningEffort: 'max' }, { reasoning_effort: 'high' }],
  [
    'reasoningEffort in an object',
    { reasoningEffort: 'low' },
    { reasoning: { effort: 'low' } },
    { effortField: 'reasoning.effort' },
  ],
  [
    'reasoningEffort where there is none',
    { reasoningEffort: 'low' },
    { reasoning_effort: undefined },
    { effortField: 'none' },
  ],
  [
    'an effort that the service has no word for',
    { reasoningEffort: 'none' },
    { reasoning_effort: undefined },
    { effortNames: { low: 'low' } },
  ],
  [
    'thinking not allowed',
    { thinkingAllowed: false },
    { thinking: { type: 'disabled' } },
    { thinkingOff: { thinking: { type: 'disabled' } } },
  ],
  [
    'providerOptions go last',
    { maxTokens: 9, providerOptions: { max_tokens: 5, top_k: 3 } },
    { max_tokens: 5, top_k: 3 },
  ],
  [
    'providerOptions take a field away',
    { providerOptions: { stream_options: null } },
    { stream_options: undefined },
  ],
]

test.each(cases)('encodeChatRequest: %s', (_, fields, expected, quirks) => {
  const body = encode(fields, quirks)
  for (const [field, value] of Object.entries(expected)) expect(body[field], field).toEqual(value)
})

test('encodeChatRequest: a schema that the service cannot take is put in words', () => {
  const request = requestOf([system('Be brief.'), ...hi], { responseFormat: asked })
  const { messages } = encodeChatRequest(request, 'm', { structuredOutput: 'json_object' })
  expect(messages).toEqual([
    { role: 'system', content: expect.stringContaining(JSON.stringify(schema)) },
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ])
})

test.each(['model', 'messages', 'stream'])(
  'encodeChatRequest: providerOptions.%s is refused by name',
  field => {
    expect(() => encode({ providerOptions: { [field]: 1 } })).toThrow(
      `Cannot send providerOptions.${field}: Airlock sets this field itself. Take it out of providerOptions.`,
    )
  },
)

test('encodeChatRequest: __proto__ among options and schemas is a plain key (N9)', () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>
  const body = encode({ providerOptions: hostile, tools: [{ ...tools[0]!, inputSchema: hostile }] })
  expect(JSON.stringify(body)).toContain('"__proto__":{"polluted":true}}')
  expect(Object.hasOwn(body, '__proto__')).toBe(true)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('encodeChatRequest: what it refuses, it refuses with a ProviderError that names the place', () => {
  const withImage = requestOf([
    user('a'),
    user({ type: 'image', source: 'iVBORw0KGgo=', mediaType: 'image/png' }),
  ])
  const withFile = requestOf([user({ type: 'file', source: 'JVBERi0=', mediaType: 'application/pdf' })])
  const inResult = requestOf([
    assistant(toolUse('a', 'look', '{}')),
    user(toolResult('a', [{ type: 'image', source: 'iVBORw0KGgo=', mediaType: 'image/png' }])),
  ])
  const refusal = (given: CompletionRequest, rules: Partial<ChatQuirks>): unknown => {
    try {
      return encodeChatRequest(given, 'small', rules)
    } catch (error) {
      return error
    }
  }
  expect(refusal(withImage, { images: false })).toEqual(
    new ProviderError({
      kind: 'unsupported',
      message:
        'Cannot send messages[1].content[0]: the model "small" takes no images (supportsImages is false). Take the image out, or choose another model.',
    }),
  )
  expect(refusal(withFile, { files: false })).toMatchObject({
    kind: 'unsupported',
    message: expect.stringContaining('messages[0].content[0]: the model "small" takes no files'),
  })
  expect(refusal(inResult, { images: false })).toMatchObject({
    message: expect.stringContaining('messages[1].content[0].content[0]'),
  })
})
