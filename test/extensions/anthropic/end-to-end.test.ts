import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { messagesRequest } from '../../guest-sdk/dialects/anthropic-messages/api-schema.ts'
import { type Answer, type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

const KEY = 'sk-ant-end-to-end'
const extension = join(repoRoot, 'extensions/anthropic')
const resources = new AsyncDisposableStack()
let airlock: Airlock
let server: ScriptedServer

const event = (value: { type: string; [field: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

/** Thinks, calls a tool with a number that no float holds, and stops. */
const firstAnswer: Answer = {
  body: [
    event({
      type: 'message_start',
      message: { id: 'msg_1', model: 'claude-sonnet-4-5', usage: { input_tokens: 9, output_tokens: 1 } },
    }),
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig==' } }),
    event({ type: 'content_block_stop', index: 0 }),
    event({
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    }),
    event({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"id": 12345678901234567890}' },
    }),
    event({ type: 'content_block_stop', index: 1 }),
    event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } }),
    event({ type: 'message_stop' }),
  ],
}
const secondAnswer: Answer = {
  body: [
    event({
      type: 'message_start',
      message: { id: 'msg_2', model: 'claude-sonnet-4-5', usage: { input_tokens: 20, output_tokens: 1 } },
    }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } }),
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
    event({ type: 'message_stop' }),
  ],
}
const overloaded: Answer = {
  status: 529,
  headers: { 'content-type': 'application/json' },
  body: ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
}
const models: Answer = {
  headers: { 'content-type': 'application/json' },
  body: [
    '{"data":[{"id":"claude-sonnet-4-5-20250929","display_name":"Claude Sonnet 4.5"}],"has_more":false}',
  ],
}

beforeAll(async () => {
  server = resources.use(
    await startScriptedServer(({ method, body }) => {
      if (method === 'GET') return models
      const sent = body.toString()
      if (sent.includes('be overloaded')) return overloaded
      return sent.includes('tool_result') ? secondAnswer : firstAnswer
    }),
  )
  const settings = { providers: { anthropic: { apiUrl: server.url } } }
  const home = resources.use(await createTestHome({ extensions: [extension], settings }))
  const credentials = createMemoryStore([[{ extension: 'anthropic', provider: 'anthropic' }, KEY]])
  airlock = resources.use(await createAirlock({ home: home.folder, env: {}, credentials }))
}, 120_000)

afterAll(() => resources.disposeAsync())

const ask = { role: 'user' as const, content: 'Go' }
const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }]
const model = 'anthropic/claude-sonnet-4-5'

test('two turns with thinking and a tool, through the sandbox', async () => {
  const request = { model, messages: [ask], tools, reasoningEffort: 'low' as const }
  const first = await airlock.complete(request).result()
  expect(first).toMatchObject({
    stopReason: 'tool-use',
    id: 'msg_1',
    usage: { inputTokens: 9, outputTokens: 7 },
    parts: [
      { type: 'thinking', text: 'Hm.', signature: 'sig==' },
      { type: 'tool-use', id: 'toolu_1', name: 'look', input: '{"id": 12345678901234567890}' },
    ],
  })
  const result = { type: 'tool-result' as const, toolUseId: 'toolu_1', toolName: 'look', content: 'a cat' }
  const second = await airlock
    .complete({
      ...request,
      messages: [ask, { role: 'assistant', content: first.parts }, { role: 'user', content: [result] }],
    })
    .result()
  expect([second.text, second.stopReason]).toEqual(['Done.', 'end-turn'])

  const sent = server.requests.filter(({ method }) => method === 'POST')
  for (const { path, headers, body } of sent) {
    expect(path).toBe('/v1/messages')
    expect(headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' })
    expect(messagesRequest.safeParse(JSON.parse(body.toString())).error?.issues).toBeUndefined()
  }
  const last = sent.at(-1)?.body.toString()
  expect(last).toContain('{"type":"thinking","thinking":"Hm.","signature":"sig=="}')
  expect(last).toContain('"input":{"id": 12345678901234567890}')
})

test('the list of the service', async () => {
  const { models } = await airlock.models({ provider: 'anthropic' })
  expect(models.map(({ id }) => id)).toEqual(
    expect.arrayContaining([expect.stringContaining('claude-sonnet-4-5')]),
  )
})

test('an error of the service, by kind', async () => {
  const request = { model, messages: [{ role: 'user' as const, content: 'be overloaded' }] }
  await expect(airlock.complete(request).result()).rejects.toMatchObject({
    kind: 'overloaded',
    message: expect.stringContaining('Overloaded'),
  })
})
