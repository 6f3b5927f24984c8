import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { CompletionEvent } from '../../../../host/contract/events.ts'
import type { ModelCapabilities } from '../../../../host/contract/models.ts'
import { type CompletionRequest, parseRequest } from '../../../../host/contract/request.ts'
import { readAnswerFormat } from '../../../../host/runtime/structured/answer-format.ts'
import { type AnswerPlan, planAnswer } from '../../../../host/runtime/structured/plan-answer.ts'

const ABLE: ModelCapabilities = {
  supportsImages: true,
  supportsFiles: true,
  supportsTools: true,
  supportsToolChoiceAuto: true,
  supportsToolChoiceAny: true,
  supportsToolChoiceNone: true,
  supportsToolChoiceTool: true,
  supportsParallelToolCalls: true,
  supportsThinking: true,
  supportsStructuredOutput: false,
  supportsStreaming: true,
  toolInputFormat: 'json-schema',
}
const colour = z.object({ name: z.string() })
const look = { name: 'look', inputSchema: { type: 'object' } }

function plan(request: Partial<CompletionRequest>, lacks: Partial<ModelCapabilities> | 'unknown' = {}) {
  const parsed = parseRequest({
    messages: [{ role: 'user', content: 'Which colour?' }],
    responseFormat: { schema: colour },
    ...request,
  })
  const info = lacks === 'unknown' ? undefined : { capabilities: { ...ABLE, ...lacks } }
  return planAnswer(parsed, readAnswerFormat(parsed.responseFormat!), info)
}

function mapped({ createMapper }: AnswerPlan, events: readonly CompletionEvent[]): CompletionEvent[] {
  const seen: CompletionEvent[] = []
  const mapper = createMapper?.()
  for (const event of events) mapper ? mapper(event, each => seen.push(each)) : seen.push(event)
  return seen
}

const text = (text: string): CompletionEvent => ({ type: 'text', text })
const delta = (id: string, name: string, delta: string): CompletionEvent => ({
  type: 'tool-input-delta',
  id,
  name,
  delta,
})
const use = (id: string, name: string, input: string): CompletionEvent => ({
  type: 'tool-use',
  id,
  name,
  input,
})
const stop = (reason: 'end-turn' | 'tool-use' | 'max-tokens'): CompletionEvent => ({ type: 'stop', reason })

describe('planAnswer chooses', () => {
  test.each<[string, Partial<CompletionRequest>, Partial<ModelCapabilities> | 'unknown', unknown]>([
    ['the service where it has it', {}, { supportsStructuredOutput: true }, ['native', undefined]],
    ['the service where nobody knows', {}, 'unknown', ['native', undefined]],
    ['a forced tool', {}, {}, ['tool', { tool: 'answer' }]],
    ['words where no tool can be forced', {}, { supportsToolChoiceTool: false }, ['instruction', undefined]],
    ['words where there are no tools', {}, { supportsTools: false }, ['instruction', undefined]],
    ['any tool where the caller brought some', { tools: [look] }, {}, ['tool', 'any']],
    ['any tool where the model may use them', { tools: [look], toolChoice: 'auto' }, {}, ['tool', 'any']],
    [
      'words where the model cannot be made to use one of them',
      { tools: [look] },
      { supportsToolChoiceAny: false },
      ['instruction', undefined],
    ],
    ['words where one more is too many', { tools: [look] }, { maxTools: 1 }, ['instruction', undefined]],
    [
      'the answer alone where the others are not to be used',
      { tools: [look], toolChoice: 'none' },
      {},
      ['tool', { tool: 'answer' }],
    ],
    [
      'words where the caller forces a tool',
      { tools: [look], toolChoice: { tool: 'look' } },
      {},
      ['instruction', { tool: 'look' }],
    ],
    ['words where the caller forces any', { tools: [look], toolChoice: 'any' }, {}, ['instruction', 'any']],
  ])('%s', (_name, request, lacks, chosen) => {
    const { way, request: sent } = plan(request, lacks)
    expect([way, sent.toolChoice]).toEqual(chosen)
    expect(sent.responseFormat !== undefined).toBe(way === 'native')
  })
})

describe('the way of a tool', () => {
  const planned = plan({})

  test('the call is the text of the answer as it comes, and its end the end of the turn', () => {
    const events = [
      text('Let me see. '),
      delta('1', 'answer', '{"na'),
      delta('1', 'answer', 'me":"red'),
      use('1', 'answer', '{"name":"red"}'),
      text(' There.'),
      stop('tool-use'),
    ]
    expect(mapped(planned, events)).toEqual([text('{"na'), text('me":"red'), text('"}'), stop('end-turn')])
  })

  test.each<[string, CompletionEvent[], CompletionEvent[]]>([
    ['a call in one piece', [use('1', 'answer', '{}'), stop('tool-use')], [text('{}'), stop('end-turn')]],
    [
      'two calls: the first counts',
      [use('1', 'answer', '{"a":1}'), delta('2', 'answer', '{'), use('2', 'answer', '{}'), stop('tool-use')],
      [text('{"a":1}'), stop('end-turn')],
    ],
    [
      'a call that was cut off',
      [
        delta('1', 'answer', '{"name":"re'),
        {
          type: 'tool-use-json-parse-error',
          id: '1',
          name: 'answer',
          rawInput: '{"name":"red',
          error: 'cut',
        },
        stop('max-tokens'),
      ],
      [text('{"name":"re'), text('d'), stop('max-tokens')],
    ],
    [
      'no call at all',
      [text('{"name":"red"}'), stop('end-turn')],
      [text('{"name":"red"}'), stop('end-turn')],
    ],
    [
      'thinking goes by',
      [{ type: 'thinking', text: 'hm' }, use('1', 'answer', '{}'), stop('tool-use')],
      [{ type: 'thinking', text: 'hm' }, text('{}'), stop('end-turn')],
    ],
    [
      'usage keeps its place',
      [text('no'), { type: 'usage', inputTokens: 1, outputTokens: 1 }, stop('end-turn')],
      [text('no'), { type: 'usage', inputTokens: 1, outputTokens: 1 }, stop('end-turn')],
    ],
    [
      "the caller's own call, with words before it",
      [text('I look.'), use('1', 'look', '{}'), stop('tool-use')],
      [text('I look.'), use('1', 'look', '{}'), stop('tool-use')],
    ],
    [
      "the caller's own call beside the answer",
      [use('1', 'look', '{}'), use('2', 'answer', '{"a":1}'), stop('tool-use')],
      [use('1', 'look', '{}'), text('{"a":1}'), stop('tool-use')],
    ],
  ])('%s', (_name, events, seen) => {
    expect(mapped(planned, events)).toEqual(seen)
  })

  test("the name is none of the caller's tools, nor of the history's", () => {
    const { request } = plan({
      tools: [{ name: 'Answer' }],
      messages: [
        { role: 'user', content: 'Hi.' },
        { role: 'assistant', content: [{ type: 'tool-use', id: '1', name: 'answer_2', input: '{}' }] },
        {
          role: 'user',
          content: [{ type: 'tool-result', toolUseId: '1', toolName: 'answer_2', content: '' }],
        },
      ],
    })
    expect(request.tools?.map(tool => tool.name)).toEqual(['Answer', 'answer_3'])
  })

  test('the name is one that every service takes', () => {
    const { request } = plan({
      responseFormat: { name: `ein schöner Name ${'x'.repeat(100)}`, schema: colour },
    })
    expect(request.tools?.[0]?.name).toMatch(/^ein_sch_ner_Name_x+$/)
    expect(request.tools?.[0]?.name.length).toBeLessThan(64)
  })
})

describe('what is no object stands in one', () => {
  const list = { responseFormat: { schema: z.array(z.string()) } }

  test('natively', () => {
    const planned = plan(list, { supportsStructuredOutput: true })
    expect(planned.request.responseFormat?.schema).toMatchObject({ type: 'object', required: ['answer'] })
    const events = [text('{"answer": ["a"'), text(', "b"]}'), stop('end-turn')]
    expect(mapped(planned, events)).toEqual([text(' ["a"'), text(', "b"]'), stop('end-turn')])
  })

  test('as the input of a tool', () => {
    const planned = plan(list)
    expect(planned.request.tools?.[0]?.inputSchema).toMatchObject({ type: 'object', required: ['answer'] })
    const events = [
      delta('1', 'answer', '{"answer":["a"'),
      use('1', 'answer', '{"answer":["a"]}'),
      stop('tool-use'),
    ]
    expect(mapped(planned, events)).toEqual([text('["a"'), text(']'), stop('end-turn')])
  })

  test('not in words', () => {
    const { request } = plan(list, { supportsTools: false })
    expect(request.messages[0]?.content).toContain('{"type":"array","items":{"type":"string"}}')
  })
})

describe('the way of words', () => {
  const lacks = { supportsTools: false }

  test('a system message says what is wanted', () => {
    const { request } = plan({}, lacks)
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(request.messages[0]?.content).toMatch(
      /^Answer with JSON .*\n\{"type":"object","properties":\{"name"/,
    )
  })

  test.each<[string, CompletionRequest['messages'][number]['content'], unknown]>([
    ['text', 'Be kind.', expect.stringMatching(/^Be kind\.\n\nAnswer with JSON /)],
    [
      'parts',
      [{ type: 'text', text: 'Be kind.' }],
      [
        { type: 'text', text: 'Be kind.' },
        { type: 'text', text: expect.stringMatching(/^Answer with JSON /) },
      ],
    ],
  ])('there is one system message, of %s', (_name, content, said) => {
    const system = { role: 'system' as const, content, cache: true }
    const { request } = plan({ messages: [system, { role: 'user', content: 'Hi.' }] }, lacks)
    expect(request.messages).toEqual([
      { role: 'system', content: said, cache: true },
      { role: 'user', content: 'Hi.' },
    ])
  })

  test('a fence is dropped', () => {
    const events = [text('```js'), text('on\n{"name":'), text('"red"}\n`'), text('``'), stop('end-turn')]
    expect(mapped(plan({}, lacks), events)).toEqual([text('{"name":'), text('"red"}'), stop('end-turn')])
  })
})
