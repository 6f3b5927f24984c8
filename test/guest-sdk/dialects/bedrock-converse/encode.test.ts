import { describe, expect, test } from 'vitest'
import {
  type ConverseRules,
  encodeConverseRequest,
} from '../../../../guest-sdk/dialects/bedrock-converse/index.ts'
import type { CompletionRequest, RequestMessage } from '../../../../guest-sdk/request.ts'
import { bigInput } from '../conversations.ts'
import { assistant, requestOf, system, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { converseRequest } from './api-schema.ts'

const hi = [user('Hi')]
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }]
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'
const claude: Partial<ConverseRules> = {
  thinking: { type: 'anthropic', rules: { thinking: 'budget' } },
  resultStatus: true,
  structuredOutput: true,
  cachePoints: 'messages-and-tools',
  maxOutputTokens: 10_000,
}

function encode(
  fields: Partial<CompletionRequest> & { messages?: RequestMessage[] },
  rules: Partial<ConverseRules> = {},
) {
  const warnings: string[] = []
  const { messages = hi, ...rest } = fields
  const log = { warn: (message: string) => warnings.push(message), debug() {} }
  const text = encodeConverseRequest(requestOf(messages, rest), 'm', { rules, log })
  const body = JSON.parse(text) as Record<string, unknown>
  expect(converseRequest.safeParse(body).error?.issues).toBeUndefined()
  return { body, text, warnings }
}

test('encodeConverseRequest: the least that a request can be', () => {
  expect(encode({}).body).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })
})

test('encodeConverseRequest: settings, tools and a forced tool', () => {
  const given = {
    ...{ maxTokens: 7, temperature: 0.5, topP: 0.9, stopSequences: ['X'], tools },
    toolChoice: { tool: 'look' },
  }
  expect(encode({ ...given, messages: [system('Be brief.'), user('Hi')] }).body).toEqual({
    system: [{ text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    inferenceConfig: { maxTokens: 7, temperature: 0.5, topP: 0.9, stopSequences: ['X'] },
    toolConfig: {
      tools: [
        { toolSpec: { name: 'look', description: 'Looks.', inputSchema: { json: tools[0]?.inputSchema } } },
      ],
      toolChoice: { tool: { name: 'look' } },
    },
  })
  expect(encode({ tools, toolChoice: 'any' }).body.toolConfig).toMatchObject({ toolChoice: { any: {} } })
  expect(encode({ tools, toolChoice: 'auto' }).body.toolConfig).not.toHaveProperty('toolChoice')
})

describe('a conversation', () => {
  const history = [
    user('Look'),
    assistant(
      { type: 'thinking', text: 'Hm.', signature: 'sig' },
      toolUse('functions.look:0', 'look', bigInput),
    ),
    user(
      toolResult(
        'functions.look:0',
        [
          { type: 'text', text: 'broken' },
          { type: 'image', source: png },
        ],
        true,
      ),
    ),
  ]

  test('calls, failed results with images, signatures, ids of another service (B22, F3, J5)', () => {
    const { body, text } = encode({ messages: history, tools }, claude)
    const [, own, results] = body.messages as { content: Record<string, Record<string, unknown>>[] }[]
    expect(own?.content[0]).toEqual({
      reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } },
    })
    expect(text).toContain(`"input":${bigInput}`)
    expect(results?.content).toEqual([
      {
        toolResult: {
          toolUseId: own?.content[1]?.toolUse?.toolUseId,
          content: [{ text: 'broken' }, { image: { format: 'png', source: { bytes: png } } }],
          status: 'error',
        },
      },
    ])
  })

  test('a model without `status` is told in words', () => {
    const { body } = encode({ messages: history, tools })
    expect(JSON.stringify(body.messages)).toContain('Error: the tool failed.')
    expect(JSON.stringify(body.messages)).not.toContain('"status"')
  })

  test('without tools the calls are told in words, with a warning: nothing is dropped', () => {
    const { body, warnings } = encode({ messages: history }, claude)
    expect(JSON.stringify(body.messages)).toContain('I called the tool look with')
    expect(JSON.stringify(body.messages)).toContain('Error of the tool look: broken')
    expect(warnings).toEqual([expect.stringContaining('told in words')])
  })

  test('what another provider keeps for itself is left out, what this one wrote comes back', () => {
    const messages = [
      user('Hi'),
      assistant(
        { type: 'thinking', text: 'no signature' },
        { type: 'redacted-thinking', data: 'AAAA' },
        { type: 'provider-content', data: '{"type":"server_tool_use"}' },
        { type: 'reasoning-details', data: '[{"type":"reasoning.text"}]' },
        { type: 'reasoning-details', data: '{"type":"bedrock.redacted","redactedContent":"AAEC"}' },
        'Yes.',
      ),
      user('So?'),
    ]
    const [, own] = encode({ messages }, claude).body.messages as { content: unknown[] }[]
    expect(own?.content).toEqual([{ reasoningContent: { redactedContent: 'AAEC' } }, { text: 'Yes.' }])
  })

  test('documents: names that fit, told apart, beside a text; images by their bytes (J1)', () => {
    const pdf = (name?: string) => ({
      type: 'file' as const,
      source: 'data:application/pdf;base64,JVBERi0xLjQK',
      mediaType: 'application/pdf',
      ...(name !== undefined && { name }),
    })
    const jpeg = { type: 'image' as const, source: '/9j/4AAQSkZJRg==', mediaType: 'image/png' }
    const { body } = encode({ messages: [user(pdf('a_b  c.pdf'), pdf('a_b c.pdf'), pdf(), jpeg)] })
    const [{ content } = { content: [] }] = body.messages as {
      content: Record<string, { name?: string; format: string }>[]
    }[]
    expect(content.map(block => block.document?.name)).toEqual([
      'a-b c',
      'a-b c (2)',
      'document',
      undefined,
      undefined,
    ])
    expect(content.at(-2)?.image?.format).toBe('jpeg')
    expect(content.at(-1)).toEqual({ text: '(A document.)' })
  })

  test('a system message between others, a call without a result, a beginning of the model', () => {
    const { body, warnings } = encode(
      {
        messages: [assistant('Hello', toolUse('a', 'look', '{}')), user('Hi'), system('Now.'), user('So?')],
        tools,
      },
      claude,
    )
    expect(warnings).toHaveLength(3)
    expect(JSON.stringify(body.messages)).toContain('was not run')
    expect(JSON.stringify(body.messages)).toContain('<system>')
  })
})

describe('caching', () => {
  const anchored = (text: string): RequestMessage => ({ ...user(text), cache: true })

  test('points behind the anchors, and behind the tools', () => {
    const { body } = encode({ messages: [{ ...system('S'), cache: true }, anchored('Hi')], tools }, claude)
    const point = { cachePoint: { type: 'default' } }
    expect(body.system).toEqual([{ text: 'S' }, point])
    expect(body.messages).toEqual([{ role: 'user', content: [{ text: 'Hi' }, point] }])
    expect((body.toolConfig as { tools: unknown[] }).tools.at(-1)).toEqual(point)
  })

  test('the last four count; a model that caches nothing gets none', () => {
    const messages = ['1', '2', '3', '4', '5', '6'].map(anchored)
    const points = (rules: Partial<ConverseRules>) =>
      encode({ messages }, rules).text.split('cachePoint').length - 1
    expect(points(claude)).toBe(4)
    expect(points({})).toBe(0)
  })
})

describe('thinking', () => {
  test('by budget, of the longest answer that is known', () => {
    expect(encode({ reasoningEffort: 'high' }, claude).body.additionalModelRequestFields).toEqual({
      thinking: { type: 'enabled', budget_tokens: 8_000 },
    })
    expect(encode({}, claude).body).not.toHaveProperty('additionalModelRequestFields')
  })

  test('adaptive, with an effort', () => {
    const rules: Partial<ConverseRules> = { thinking: { type: 'anthropic', rules: { thinking: 'adaptive' } } }
    expect(encode({ reasoningEffort: 'low' }, rules).body.additionalModelRequestFields).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    })
  })

  test("Amazon's and by effort; a model that takes none says so", () => {
    const fields = (given: Partial<CompletionRequest>, type: 'nova' | 'effort') =>
      encode(given, { thinking: { type } }).body.additionalModelRequestFields
    expect(fields({ reasoningEffort: 'max' }, 'nova')).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
    })
    expect(fields({ thinkingAllowed: false }, 'nova')).toEqual({ reasoningConfig: { type: 'disabled' } })
    expect(fields({ reasoningEffort: 'medium' }, 'effort')).toEqual({ reasoning_effort: 'medium' })
    expect(fields({ reasoningEffort: 'none' }, 'effort')).toEqual({ reasoning_effort: 'low' })
    expect(encode({ reasoningEffort: 'low' }).warnings).toEqual([
      'reasoningEffort "low" is left out: the model takes none',
    ])
  })
})

describe('a schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const responseFormat = { name: 'my answer', schema, strict: true }
  test('is held to where the model can be', () => {
    const { body } = encode({ responseFormat }, claude)
    expect(body.outputConfig).toMatchObject({
      textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'my_answer' } } },
    })
  })
  test('is put in words where it cannot', () => {
    const { body, warnings } = encode({ responseFormat })
    expect(JSON.stringify(body.system)).toContain('JSON Schema')
    expect(warnings).toHaveLength(1)
  })
})

test('what the service cannot do is told in words, with a warning', () => {
  const { body, warnings } = encode({ tools, parallelToolCalls: false, toolChoice: 'none', temperature: 2 })
  expect(body.system).toEqual([
    { text: 'Call at most one tool at a time.' },
    { text: 'Do not call any tool now.' },
  ])
  expect(body.inferenceConfig).toEqual({ temperature: 1 })
  expect(warnings).toHaveLength(3)
})

test.each<
  [string, Partial<CompletionRequest> & { messages?: RequestMessage[] }, Partial<ConverseRules>, string]
>([
  ['seed', { seed: 1 }, {}, 'unsupported'],
  ['temperature', { temperature: 0.5 }, { sampling: false }, 'unsupported'],
  ['topP', { topP: 0.5 }, { sampling: false }, 'unsupported'],
  ['toolChoice', { tools, toolChoice: 'any' }, { forcedTools: false }, 'unsupported'],
  ['toolChoice', { toolChoice: 'any' }, {}, 'unsupported'],
  ['this request', { messages: [user('Hi'), assistant('The')] }, { prefill: false }, 'unsupported'],
  ['this request', { messages: [user(' ')] }, {}, 'invalid-request'],
  ['providerOptions.messages', { providerOptions: { messages: [] } }, {}, 'invalid-request'],
  [
    'messages[0].content[0]',
    { messages: [user({ type: 'image', source: 'https://a.example/a.png' })] },
    {},
    'unsupported',
  ],
  [
    'messages[0].content[0]',
    { messages: [user({ type: 'image', source: 'no base64!' })] },
    {},
    'invalid-request',
  ],
  [
    'messages[0].content[0]',
    { messages: [user({ type: 'file', source: 'AAAA', mediaType: 'audio/wav' })] },
    {},
    'unsupported',
  ],
])('refuses %s by name', (place, fields, rules, kind) => {
  const { messages = hi, ...rest } = fields
  expect(() => encodeConverseRequest(requestOf(messages, rest), 'm', { rules })).toThrow(
    expect.objectContaining({ kind, message: expect.stringContaining(`Cannot send ${place}`) }),
  )
})

test('providerOptions: merged where they are objects, else in place of the own', () => {
  const providerOptions = {
    additionalModelRequestFields: { top_k: 5 },
    guardrailConfig: { guardrailIdentifier: 'g' },
  }
  const request = requestOf(hi, { providerOptions, reasoningEffort: 'low' })
  const body: unknown = JSON.parse(
    encodeConverseRequest(request, 'm', { rules: { thinking: { type: 'effort' } } }),
  )
  expect(body).toMatchObject({
    additionalModelRequestFields: { reasoning_effort: 'low', top_k: 5 },
    guardrailConfig: { guardrailIdentifier: 'g' },
  })
})
