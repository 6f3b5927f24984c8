import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { createAirlock } from '../../../host/index.ts'
import { ollamaRequest } from '../../guest-sdk/dialects/ollama-chat/api-schema.ts'
import { type Answer, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

const json = { 'content-type': 'application/json' }
const lines = (...texts: string[]): Answer => ({
  headers: { 'content-type': 'application/x-ndjson' },
  body: texts.map((text, at) => (at < texts.length - 1 ? `${text}\n` : text)),
})
const firstAnswer = lines(
  '{"model":"qwen3","message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}',
  '{"model":"qwen3","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"look","arguments":{"id": 12345678901234567890}}}]},"done":false}',
  '{"model":"qwen3","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":7}',
)
const secondAnswer = lines(
  '{"model":"qwen3","message":{"role":"assistant","content":"Fertig 好."},"done":false}',
  '{"model":"qwen3","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":3}',
)
const broken = lines(
  '{"model":"qwen3","message":{"role":"assistant","content":"So"},"done":false}',
  '{"error":"model runner has unexpectedly stopped"}',
)
const shown = '{"capabilities":["completion","tools","thinking"],"model_info":{"qwen3.context_length":40960}}'

test('two turns with thinking and a tool, the list, and errors, through the sandbox', async () => {
  await using server = await startScriptedServer(({ path, body }) => {
    const sent = body.toString()
    if (path === '/api/tags')
      return { headers: json, body: ['{"models":[{"name":"qwen3","model":"qwen3"}]}'] }
    if (path === '/api/show') return { headers: json, body: [shown] }
    if (sent.includes('"model":"gone"')) {
      return {
        status: 404,
        headers: json,
        body: ['{"error":"model \\"gone\\" not found, try pulling it first"}'],
      }
    }
    if (sent.includes('break')) return broken
    return sent.includes('"role":"tool"') ? secondAnswer : firstAnswer
  })
  const settings = {
    providers: { ollama: { apiUrl: server.url, availableModels: [{ name: 'qwen3', maxTokens: 16_384 }] } },
  }
  await using home = await createTestHome({ extensions: [join(repoRoot, 'extensions/ollama')], settings })
  await using airlock = await createAirlock({ home: home.folder, env: {}, credentials: createMemoryStore() })

  const ask = { role: 'user' as const, content: 'Go' }
  const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }]
  const request = { model: 'ollama/qwen3', messages: [ask], tools }
  const first = await airlock.complete(request).result()
  expect(first).toMatchObject({
    stopReason: 'tool-use',
    model: 'qwen3',
    usage: { inputTokens: 9, outputTokens: 7 },
    parts: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'tool-use', id: 'call_1', name: 'look', input: '{"id": 12345678901234567890}' },
    ],
  })
  const result = { type: 'tool-result' as const, toolUseId: 'call_1', toolName: 'look', content: 'a cat' }
  const messages = [
    ask,
    { role: 'assistant' as const, content: first.parts },
    { role: 'user' as const, content: [result] },
  ]
  const second = await airlock.complete({ ...request, messages }).result()
  expect([second.text, second.stopReason]).toEqual(['Fertig 好.', 'end-turn'])

  const chats = server.requests.filter(({ path }) => path === '/api/chat')
  expect(chats).toHaveLength(2)
  for (const { headers, body } of chats) {
    expect(headers.authorization).toBeUndefined()
    expect(ollamaRequest.safeParse(JSON.parse(body.toString())).error?.issues).toBeUndefined()
  }
  const last = chats.at(-1)?.body.toString()
  expect(last).toContain('"thinking":"Hm."')
  expect(last).toContain('"arguments":{"id": 12345678901234567890}')
  expect(last).toContain('"num_ctx":16384')

  const { models } = await airlock.models({ provider: 'ollama' })
  expect(models).toMatchObject([
    { id: 'qwen3', maxTokenCount: 16_384, capabilities: { supportsThinking: true } },
  ])

  const failed = airlock.complete({ model: 'ollama/qwen3', messages: [{ role: 'user', content: 'break' }] })
  await expect(failed.result()).rejects.toMatchObject({
    message: expect.stringContaining('unexpectedly stopped'),
  })
  expect(failed.partial).toContainEqual(expect.objectContaining({ type: 'text', text: 'So' }))
  await expect(airlock.complete({ model: 'ollama/gone', messages: [ask] }).result()).rejects.toMatchObject({
    kind: 'model-not-found',
  })
}, 240_000)
