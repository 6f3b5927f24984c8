import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { type Answer, type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

/** What sets each service's answer and each request apart from the others. */
const services: {
  id: string
  model: string
  thinking: object
  /** The body of the second request holds it. */
  echo: RegExp
}[] = [
  {
    id: 'mistral',
    model: 'mistral-small-2603',
    thinking: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] },
    echo: /"thinking":\[\{"type":"text","text":"Hm\."\}\]/,
  },
  {
    id: 'deepseek',
    model: 'deepseek-flash',
    thinking: { reasoning_content: 'Hm.' },
    echo: /"reasoning_content":"Hm\."/,
  },
  { id: 'xai', model: 'grok-4.5', thinking: { reasoning_content: 'Hm.' }, echo: /"tool_call_id"/ },
  {
    id: 'groq',
    model: 'openai/gpt-oss-120b',
    thinking: { reasoning: 'Hm.' },
    echo: /"max_completion_tokens":50/,
  },
]

const json = { 'content-type': 'application/json' }
const KEY = 'sk-chat-services-end-to-end'
const resources = new AsyncDisposableStack()
let airlock: Airlock
let server: ScriptedServer

const chunk = (fields: object) => `data: ${JSON.stringify({ id: 'c1', model: 'served', ...fields })}\n\n`
const delta = (fields: object, finish: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })

function answerOf(id: string, body: string): Answer {
  const service = services.find(each => each.id === id)
  if (body.includes('be overloaded')) {
    return {
      status: 503,
      headers: json,
      body: ['{"error":{"message":"Overloaded","type":"service_unavailable"}}'],
    }
  }
  const call = { id: 'aB3dE5gH7', type: 'function', index: 0 }
  const args = '{"id": 12345678901234567890}'
  const usage = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 }
  const steps = body.includes('tool_call_id')
    ? [delta({ role: 'assistant', content: 'Done 好.' }), delta({}, 'stop')]
    : [
        delta({ role: 'assistant', content: '' }),
        delta(service?.thinking ?? {}),
        delta({ tool_calls: [{ ...call, function: { name: 'look', arguments: args } }] }),
        delta({}, 'tool_calls'),
      ]
  const last = id === 'groq' ? chunk({ choices: [], x_groq: { usage } }) : chunk({ choices: [], usage })
  return { body: [...steps, last, 'data: [DONE]\n\n'] }
}

beforeAll(async () => {
  server = resources.use(
    await startScriptedServer(({ method, path, body }) => {
      const [, id = ''] = path.split('/')
      const list = { data: [{ id: 'live', context_window: 4096 }] }
      if (method === 'GET') return { headers: json, body: [JSON.stringify(list)] }
      return answerOf(id, body.toString())
    }),
  )
  const providers = Object.fromEntries(services.map(({ id }) => [id, { apiUrl: `${server.url}/${id}/v1` }]))
  const extensions = services.map(({ id }) => join(repoRoot, 'extensions', id))
  const home = resources.use(await createTestHome({ extensions, settings: { providers } }))
  const credentials = createMemoryStore(services.map(({ id }) => [{ extension: id, provider: id }, KEY]))
  airlock = resources.use(await createAirlock({ home: home.folder, env: {}, credentials }))
}, 240_000)

afterAll(() => resources.disposeAsync())

describe.each(services)('$id', ({ id, model, echo }) => {
  const reference = `${id}/${model}`
  const ask = { role: 'user' as const, content: 'Go' }
  const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }]

  test('two turns with thinking and a tool, through the sandbox', async () => {
    const request = { model: reference, messages: [ask], tools, maxTokens: 50 }
    const first = await airlock.complete(request).result()
    expect(first).toMatchObject({
      stopReason: 'tool-use',
      id: 'c1',
      model: 'served',
      usage: { inputTokens: 9, outputTokens: 7, totalTokens: 16 },
      parts: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'tool-use', id: 'aB3dE5gH7', name: 'look', input: '{"id": 12345678901234567890}' },
      ],
    })
    const result = {
      type: 'tool-result' as const,
      toolUseId: 'aB3dE5gH7',
      toolName: 'look',
      content: 'a cat',
    }
    const second = await airlock
      .complete({
        ...request,
        messages: [ask, { role: 'assistant', content: first.parts }, { role: 'user', content: [result] }],
      })
      .result()
    expect([second.text, second.stopReason]).toEqual(['Done 好.', 'end-turn'])
    const last = server.requests.findLast(({ path }) => path.startsWith(`/${id}/`))
    expect(last?.path).toBe(`/${id}/v1/chat/completions`)
    expect(last?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(last?.body.toString()).toMatch(echo)
    expect(last?.body.toString()).toContain('"arguments":"{\\"id\\": 12345678901234567890}"')
  })

  test('the list of the service', async () => {
    const { models, failures } = await airlock.models({ provider: id })
    expect(failures).toEqual([])
    expect(models).toMatchObject([{ id: 'live', maxTokenCount: 4096 }])
  })

  test('an error of the service, by kind', async () => {
    const request = { model: reference, messages: [{ role: 'user' as const, content: 'be overloaded' }] }
    await expect(airlock.complete(request).result()).rejects.toMatchObject({
      kind: 'overloaded',
      message: expect.stringContaining('Overloaded'),
    })
  })
})
