import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { responsesRequest } from '../../guest-sdk/dialects/openai-responses/api-schema.ts'
import { modelList } from '../../servers/model-list.ts'
import { type Answer, type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

const KEY = 'sk-end-to-end'
const extension = join(repoRoot, 'extensions/openai')
const resources = new AsyncDisposableStack()
let airlock: Airlock
let server: ScriptedServer

const event = (value: { type: string; [field: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA=' }
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'look',
  arguments: '{"id": 12345678901234567890}',
  status: 'completed',
}
const ended = (type: string, fields: object = {}) =>
  event({
    type,
    response: {
      id: 'resp_1',
      status: type.slice(9),
      usage: { input_tokens: 9, output_tokens: 7 },
      ...fields,
    },
  })

/** Thinks, calls a tool with a number that no float holds, and stops. */
const firstAnswer: Answer = {
  body: [
    event({ type: 'response.created', response: { id: 'resp_1', model: 'gpt-6.2-sol' } }),
    event({ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' }),
    event({ type: 'response.output_item.done', output_index: 0, item: reasoning }),
    event({ type: 'response.output_item.done', output_index: 1, item: call }),
    ended('response.completed'),
  ],
}
const secondAnswer: Answer = {
  body: [
    event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Done.' }),
    ended('response.completed'),
  ],
}
const failure: Answer = {
  body: [
    event({ type: 'response.created', response: { id: 'resp_1', model: 'gpt-6.2-sol' } }),
    ended('response.failed', { error: { code: 'invalid_prompt', message: 'Not that one.' } }),
  ],
}

beforeAll(async () => {
  server = resources.use(
    await startScriptedServer(({ method, body }) => {
      if (method === 'GET') return modelList('gpt-6.2-sol', 'gpt-6-luna')
      const sent = body.toString()
      if (sent.includes('please fail')) return failure
      return sent.includes('function_call_output') ? secondAnswer : firstAnswer
    }),
  )
  const settings = { providers: { openai: { apiUrl: server.url } } }
  const home = resources.use(await createTestHome({ extensions: [extension], settings }))
  const credentials = createMemoryStore([[{ extension: 'openai', provider: 'openai' }, KEY]])
  airlock = resources.use(await createAirlock({ home: home.folder, env: {}, credentials }))
}, 120_000)

afterAll(() => resources.disposeAsync())

const ask = { role: 'user' as const, content: 'Go' }
const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }]
const model = 'openai/gpt-6.2-sol'

test('two turns with reasoning and a tool, through the sandbox', async () => {
  const request = { model, messages: [ask], tools, reasoningEffort: 'low' as const }
  const first = await airlock.complete(request).result()
  expect(first).toMatchObject({
    stopReason: 'tool-use',
    id: 'resp_1',
    usage: { inputTokens: 9, outputTokens: 7 },
    parts: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'reasoning-details' },
      { type: 'tool-use', id: 'call_1', name: 'look', input: '{"id": 12345678901234567890}' },
    ],
  })
  const result = { type: 'tool-result' as const, toolUseId: 'call_1', toolName: 'look', content: 'a cat' }
  const second = await airlock
    .complete({
      ...request,
      messages: [ask, { role: 'assistant', content: first.parts }, { role: 'user', content: [result] }],
    })
    .result()
  expect([second.text, second.stopReason]).toEqual(['Done.', 'end-turn'])

  const sent = server.requests.filter(({ method }) => method === 'POST')
  for (const { path, headers, body } of sent) {
    expect(path).toBe('/v1/responses')
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}` })
    expect(responsesRequest.safeParse(JSON.parse(body.toString())).error?.issues).toBeUndefined()
  }
  const last = sent.at(-1)?.body.toString()
  expect(last).toContain(JSON.stringify(reasoning))
  expect(last).toContain(JSON.stringify(call.arguments))
})

test('the list of the server', async () => {
  const { models } = await airlock.models({ provider: 'openai' })
  expect(models.map(({ id }) => id)).toEqual(['gpt-6.2-sol', 'gpt-6-luna'])
})

test('a response that failed under HTTP 200, by kind and code', async () => {
  const request = { model, messages: [{ role: 'user' as const, content: 'please fail' }] }
  await expect(airlock.complete(request).result()).rejects.toMatchObject({
    kind: 'invalid-request',
    code: 'invalid_prompt',
    message: expect.stringContaining('Not that one.'),
  })
})
