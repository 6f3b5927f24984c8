import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { generateContentRequest } from '../../guest-sdk/dialects/gemini/api-schema.ts'
import { type Answer, type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

const KEY = 'AIza-end-to-end'
const extension = join(repoRoot, 'extensions/google-ai')
const resources = new AsyncDisposableStack()
let airlock: Airlock
let server: ScriptedServer

const chunk = (parts: object[], finishReason?: string) =>
  `data: ${JSON.stringify({
    candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }), index: 0 }],
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 4,
      totalTokenCount: 16,
    },
    modelVersion: 'gemini-3.8-flash',
    responseId: 'r1',
  })}\r\n\r\n`

/** A service with CRLF, thoughts, and a signed call. */
const firstAnswer: Answer = {
  body: [
    chunk([{ text: 'Hm.', thought: true }]),
    chunk([{ functionCall: { name: 'look', args: { city: 'Oslo' } }, thoughtSignature: 'sig==' }]),
    chunk([{ text: '' }], 'STOP'),
  ],
}
const secondAnswer: Answer = { body: [chunk([{ text: 'Sunny.' }], 'STOP')] }
const limited: Answer = {
  status: 429,
  headers: { 'content-type': 'application/json' },
  body: [
    JSON.stringify({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota exceeded for today.',
        details: [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }] }],
      },
    }),
  ],
}
const models: Answer = {
  headers: { 'content-type': 'application/json' },
  body: ['{"models":[{"name":"models/gemini-3.8-flash","supportedGenerationMethods":["generateContent"]}]}'],
}

beforeAll(async () => {
  server = resources.use(
    await startScriptedServer(({ method, body }) => {
      if (method === 'GET') return models
      const sent = body.toString()
      if (sent.includes('be limited')) return limited
      return sent.includes('functionResponse') ? secondAnswer : firstAnswer
    }),
  )
  const settings = { providers: { 'google-ai': { apiUrl: server.url } } }
  const home = resources.use(await createTestHome({ extensions: [extension], settings }))
  const credentials = createMemoryStore([[{ extension: 'google-ai', provider: 'google-ai' }, KEY]])
  airlock = resources.use(await createAirlock({ home: home.folder, env: {}, credentials }))
}, 120_000)

afterAll(() => resources.disposeAsync())

const ask = { role: 'user' as const, content: 'Weather?' }
const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }]
const model = 'google-ai/gemini-3.8-flash'

test('two turns with thoughts and a signed call, through the sandbox', async () => {
  const first = await airlock.complete({ model, messages: [ask], tools }).result()
  expect(first).toMatchObject({
    stopReason: 'tool-use',
    usage: { inputTokens: 9, outputTokens: 7, reasoningTokens: 4, totalTokens: 16 },
    parts: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'tool-use', name: 'look', input: '{"city":"Oslo"}', thoughtSignature: 'sig==' },
    ],
  })
  const [call] = first.toolUses
  const result = {
    type: 'tool-result' as const,
    toolUseId: call?.id ?? '',
    toolName: 'look',
    content: 'sunny',
  }
  const second = await airlock
    .complete({
      model,
      tools,
      messages: [ask, { role: 'assistant', content: first.parts }, { role: 'user', content: [result] }],
    })
    .result()
  expect([second.text, second.stopReason]).toEqual(['Sunny.', 'end-turn'])

  const sent = server.requests.filter(({ method }) => method === 'POST')
  for (const { path, headers, body } of sent) {
    expect(path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse')
    expect(headers['x-goog-api-key']).toBe(KEY)
    expect(generateContentRequest.safeParse(JSON.parse(body.toString())).error?.issues).toBeUndefined()
  }
  expect(JSON.parse(sent.at(-1)?.body.toString() ?? '')).toMatchObject({
    contents: [
      { role: 'user' },
      { role: 'model', parts: [{ functionCall: { name: 'look' }, thoughtSignature: 'sig==' }] },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: { result: 'sunny' } } }] },
    ],
  })
})

test('the list of the service', async () => {
  const { models } = await airlock.models({ provider: 'google-ai' })
  expect(models).toHaveLength(1)
})

test('an error of the service, by kind', async () => {
  const request = { model, messages: [{ role: 'user' as const, content: 'be limited' }] }
  await expect(airlock.complete(request).result()).rejects.toMatchObject({ kind: 'quota-exhausted' })
})
