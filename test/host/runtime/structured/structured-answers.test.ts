import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  type Airlock,
  type CompletionEvent,
  type CompletionRequest,
  createAirlock,
  InvalidAnswerError,
} from '../../../../host/index.ts'
import { type Answer, type ScriptedServer, startScriptedServer } from '../../../servers/scripted.ts'
import { createTestHome } from '../../../support/home.ts'

const resources = new AsyncDisposableStack()
let server: ScriptedServer
let airlock: Airlock
/** What the service says next, by model; the last of a model's again and again. */
let script: Record<string, Answer['body'] | Answer>

const MODELS = [
  { id: 'native', supported_parameters: ['tools', 'structured_outputs'] },
  { id: 'tool', supported_parameters: ['tools'] },
  { id: 'words', supported_parameters: [] },
]

beforeAll(async () => {
  server = resources.use(
    await startScriptedServer((request): Answer => {
      if (request.path === '/v1/models')
        return { headers: { 'content-type': 'application/json' }, body: [JSON.stringify({ data: MODELS })] }
      const answer = script[sent(request.body).model] ?? []
      return Symbol.iterator in answer || Symbol.asyncIterator in answer ? { body: answer } : answer
    }),
  )
  const home = resources.use(
    await createTestHome({ serviceUrl: server.url, models: MODELS.map(({ id }) => id) }),
  )
  airlock = resources.use(await createAirlock({ home: home.folder, env: {}, retry: false }))
})
afterAll(() => resources.disposeAsync())
beforeEach(() => {
  server.requests.length = 0
})

interface Sent {
  model: string
  messages: { role: string; content: string }[]
  tools?: { function: { name: string; parameters: unknown } }[]
  tool_choice?: unknown
  response_format?: { json_schema: { name: string; schema: unknown; strict: boolean } }
}

const sent = (body: Buffer): Sent => JSON.parse(body.toString())
/** What the service was asked for answers, in order. */
const asked = (): Sent[] =>
  server.requests.filter(({ path }) => path !== '/v1/models').map(({ body }) => sent(body))

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const end = (finish = 'stop') => [chunk({}, finish), 'data: [DONE]\n\n']
const saying = (...texts: string[]) => texts.map(content => chunk({ content }))
const calling = (name: string, ...pieces: string[]) =>
  pieces.map((text, at) =>
    chunk({
      tool_calls: [
        {
          index: 0,
          ...(at === 0 && { id: 'c1', type: 'function' }),
          function: { ...(at === 0 && { name }), arguments: text },
        },
      ],
    }),
  )

const messages: CompletionRequest['messages'] = [{ role: 'user', content: 'Who wrote it?' }]
const author = z.object({
  name: z.string(),
  born: z.iso.date().transform(date => new Date(date).getUTCFullYear()),
})
const ADA = ['{"name":"Ada ', 'Lovelace","born":', '"1815-12-10"}']
const ask = (model: string, more: Partial<CompletionRequest> = {}) => ({
  model: `openai-compatible/${model}`,
  messages,
  ...more,
})

describe('the answer is the same, whichever way the model is asked', () => {
  test.each([
    ['native', [...saying(...ADA), ...end()]],
    ['tool', [...saying('Well: '), ...calling('answer', ...ADA), ...end('tool_calls')]],
    ['words', [...saying('```json\n', ...ADA, '\n```'), ...end()]],
  ])('%s', async (model, body) => {
    script = { [model]: body }
    const completion = airlock.complete({ ...ask(model), responseFormat: { schema: author } })
    // Events and objects are read at once.
    const events: CompletionEvent[] = []
    const reading = (async () => {
      for await (const event of completion) events.push(event)
    })()
    const parts = Array.fromAsync(completion.partialObjects())
    expect(await completion.object()).toEqual({ name: 'Ada Lovelace', born: 1815 })
    expect(await completion.object()).toBe(await completion.object())
    await reading
    expect(await parts).toEqual([
      { name: 'Ada ' },
      { name: 'Ada Lovelace' },
      { name: 'Ada Lovelace', born: '1815-12-10' },
    ])
    const result = await completion.result()
    expect(result).toMatchObject({
      text: ADA.join(''),
      toolUses: [],
      brokenToolUses: [],
      stopReason: 'end-turn',
    })
    expect(result.parts).toEqual([{ type: 'text', text: ADA.join('') }])
    expect(events.map(({ type }) => type)).toEqual([
      'started',
      'response-metadata',
      ...ADA.map(() => 'text'),
      'stop',
    ])
    const schema = expect.objectContaining({ type: 'object', required: ['name', 'born'] })
    const [{ messages, tools, tool_choice, response_format }] = asked() as [Sent]
    expect({ messages, tools, tool_choice, response_format }).toEqual({
      messages: [
        ...(model === 'words' ? [{ role: 'system', content: expect.stringContaining('"born"') }] : []),
        { role: 'user', content: 'Who wrote it?' },
      ],
      tools:
        model === 'tool'
          ? [{ type: 'function', function: expect.objectContaining({ name: 'answer', parameters: schema }) }]
          : undefined,
      tool_choice: model === 'tool' ? { type: 'function', function: { name: 'answer' } } : undefined,
      response_format:
        model === 'native'
          ? { type: 'json_schema', json_schema: expect.objectContaining({ name: 'answer', schema }) }
          : undefined,
    })
  })

  test.each([
    ['native', [...saying('{"answer":["red', '","blue"]}'), ...end()]],
    ['tool', [...calling('answer', '{"answer":["red', '","blue"]}'), ...end('tool_calls')]],
    ['words', [...saying('The colours: ["red', '","blue"]. Good?'), ...end()]],
  ])('%s, of a list', async (model, body) => {
    script = { [model]: body }
    const responseFormat = { schema: z.array(z.enum(['red', 'blue'])) }
    const completion = airlock.complete({ ...ask(model), responseFormat })
    expect(await Array.fromAsync(completion.partialObjects())).toEqual([['red'], ['red', 'blue']])
    expect(await completion.object()).toEqual(['red', 'blue'])
  })

  test.each(['native', 'tool', 'words'])('%s, by JSON Schema', async model => {
    const answer = '{"name":"Ada","more":[1]}'
    script = {
      [model]:
        model === 'tool'
          ? [...calling('person', answer), ...end('tool_calls')]
          : [...saying(answer), ...end()],
    }
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required: ['name'] }
    const completion = airlock.complete({ ...ask(model), responseFormat: { name: 'person', schema } })
    expect(await completion.object()).toEqual({ name: 'Ada', more: [1] })
  })
})

test('the next model of the list is asked in its own way', async () => {
  script = {
    native: {
      status: 503,
      headers: { 'content-type': 'application/json' },
      body: ['{"error":{"message":"Busy"}}'],
    },
    tool: [...calling('answer', ...ADA), ...end('tool_calls')],
  }
  const model = ['openai-compatible/native', 'openai-compatible/tool']
  const completion = airlock.complete({ model, messages, responseFormat: { schema: author } })
  expect(await completion.object()).toEqual({ name: 'Ada Lovelace', born: 1815 })
  expect((await completion.result()).reference).toBe('openai-compatible/tool')
  expect(asked().map(({ model, response_format, tools }) => [model, !!response_format, !!tools])).toEqual([
    ['native', true, false],
    ['tool', false, true],
  ])
})

test("the caller's tools are used first, then the answer is given", async () => {
  const tools = [{ name: 'answer', description: 'Answers the telephone.', inputSchema: { type: 'object' } }]
  const request = { ...ask('tool', { tools }), responseFormat: { schema: author } }
  script = { tool: [...saying('I call.'), ...calling('answer', '{}'), ...end('tool_calls')] }
  const first = airlock.complete(request)
  await expect(first.object()).rejects.toThrow('There is no answer yet: the model called "answer" first')
  const { parts, toolUses, stopReason } = await first.result()
  expect([toolUses, stopReason]).toEqual([[{ id: 'c1', name: 'answer', input: '{}' }], 'tool-use'])

  script = { tool: [...calling('answer_2', ...ADA), ...end('tool_calls')] }
  const second = airlock.complete({
    ...request,
    messages: [
      ...messages,
      { role: 'assistant', content: parts },
      {
        role: 'user',
        content: [{ type: 'tool-result', toolUseId: 'c1', toolName: 'answer', content: 'Ada.' }],
      },
    ],
  })
  expect(await second.object()).toEqual({ name: 'Ada Lovelace', born: 1815 })
  expect((await second.result()).toolUses).toEqual([])
  for (const { tools, tool_choice } of asked()) {
    expect(tools?.map(tool => tool.function.name)).toEqual(['answer', 'answer_2'])
    expect(tool_choice).toBe('required')
  }
})

describe('object() is refused', () => {
  test.each<[string, string, string[], Partial<InvalidAnswerError>]>([
    [
      'what does not fit',
      'native',
      [...saying('{"name":"Ada","born":1815}'), ...end()],
      { path: 'born', message: 'The answer does not fit its schema: born must be a string, not 1815' },
    ],
    [
      'what was cut off',
      'native',
      [...saying('{"name":"Ada'), ...end('length')],
      { path: '', stopReason: 'max-tokens', message: expect.stringContaining('was cut off') },
    ],
    [
      'what was cut off in a call',
      'tool',
      [...calling('answer', '{"name":', '"Ada'), ...end('length')],
      { text: '{"name":"Ada', stopReason: 'max-tokens', message: expect.stringContaining('was cut off') },
    ],
    [
      'a refusal',
      'native',
      [chunk({ refusal: 'I will not.' }), ...end()],
      { stopReason: 'refusal', message: expect.stringContaining('refused') },
    ],
    [
      'what was filtered',
      'words',
      [...saying('{"na'), ...end('content_filter')],
      { stopReason: 'content-filter', message: expect.stringContaining('filtered') },
    ],
    [
      'prose',
      'tool',
      [...saying('Nobody knows.'), ...end()],
      { text: 'Nobody knows.', message: expect.stringContaining('no JSON') },
    ],
  ])('%s', async (_name, model, body, error) => {
    script = { [model]: body }
    const completion = airlock.complete({ ...ask(model), responseFormat: { schema: author } })
    const refused = await completion.object().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidAnswerError)
    expect(refused).toMatchObject({
      code: 'invalid-answer',
      text: (await completion.result()).text,
      ...error,
    })
    // The parts that came are no failure.
    await Array.fromAsync(completion.partialObjects())
  })

  test('where the request says nothing of its answer', async () => {
    script = { native: [...saying('{}'), ...end()] }
    const completion = airlock.complete(ask('native'))
    const error = {
      code: 'invalid-request',
      path: 'responseFormat',
      message: expect.stringContaining('Add one'),
    }
    await expect(completion.object()).rejects.toMatchObject(error)
    await expect(Array.fromAsync(completion.partialObjects())).rejects.toMatchObject(error)
    expect((await completion.result()).text).toBe('{}')
  })

  test.each<[string, object, string, string]>([
    ['a schema that is none', { schema: { type: 'strng' } }, 'responseFormat.schema', 'type must be one of'],
    ['a name that is none', { name: '', schema: {} }, 'responseFormat.name', 'responseFormat.name'],
    ['no schema', {}, 'responseFormat.schema', 'responseFormat.schema is missing'],
  ])('%s, before anything is sent', async (_name, responseFormat, path, message) => {
    const request = { ...ask('native'), responseFormat } as CompletionRequest
    const error = { code: 'invalid-request', path, message: expect.stringContaining(message) }
    await expect(airlock.complete(request).object()).rejects.toMatchObject(error)
    await expect(Array.fromAsync(airlock.complete(request).partialObjects())).rejects.toMatchObject(error)
    expect(asked()).toEqual([])
  })

  test('with the failure of the answer', async () => {
    script = { native: { body: saying('{"name":'), ending: 'destroy' } }
    const completion = airlock.complete({ ...ask('native'), responseFormat: { schema: author } })
    const failure = { name: 'ProviderError', kind: 'network' }
    await expect(completion.object()).rejects.toMatchObject(failure)
    await expect(Array.fromAsync(completion.partialObjects())).rejects.toMatchObject(failure)
  })

  test('with the reason of an abort', async () => {
    script = { native: { body: saying('{"name":'), ending: 'hang' } }
    const completion = airlock.complete({ ...ask('native'), responseFormat: { schema: author } })
    for await (const part of completion.partialObjects()) {
      expect(part).toEqual({})
      break
    }
    await expect(completion.object()).rejects.toMatchObject({ name: 'AbortError' })
  })
})
