import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signRequest } from '../../../guest-sdk/dialects/bedrock-converse/index.ts'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { createAirlock } from '../../../host/index.ts'
import { converseRequest } from '../../guest-sdk/dialects/bedrock-converse/api-schema.ts'
import { event, exception } from '../../guest-sdk/dialects/bedrock-converse/event-stream-bytes.ts'
import { type Answer, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

const json = { 'content-type': 'application/json' }
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-of-some-length' }
const MODEL = 'anthropic.claude-haiku-4-5-20251001-v1:0'

const stream = (...messages: Buffer[]): Answer => ({
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  body: messages,
})
const delta = (index: number, fields: object) =>
  event('contentBlockDelta', { contentBlockIndex: index, delta: fields })
const stop = (index: number) => event('contentBlockStop', { contentBlockIndex: index })
const counts = event('metadata', { usage: { inputTokens: 9, outputTokens: 7, totalTokens: 16 } })

const firstAnswer = stream(
  delta(0, { reasoningContent: { text: 'Hm.' } }),
  delta(0, { reasoningContent: { signature: 'sig==' } }),
  stop(0),
  event('contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 't1', name: 'look' } } }),
  delta(1, { toolUse: { input: '{"id": 12345678901234567890}' } }),
  stop(1),
  event('messageStop', { stopReason: 'tool_use' }),
  counts,
)
const secondAnswer = stream(
  delta(0, { text: 'Done 好.' }),
  stop(0),
  event('messageStop', { stopReason: 'end_turn' }),
  counts,
)

test('two turns with thinking and a tool, the list, and errors, signed inside the sandbox', async () => {
  await using server = await startScriptedServer(({ path, body }) => {
    const sent = body.toString()
    if (path.startsWith('/foundation-models')) {
      return { headers: json, body: [JSON.stringify({ modelSummaries: [{ modelId: MODEL }] })] }
    }
    if (path.startsWith('/inference-profiles'))
      return { headers: json, body: ['{"inferenceProfileSummaries":[]}'] }
    if (sent.includes('be slow')) {
      const headers = { ...json, 'x-amzn-errortype': 'AccessDeniedException' }
      return { status: 403, headers, body: ['{"message":"no access to the model"}'] }
    }
    if (sent.includes('break'))
      return stream(delta(0, { text: 'So' }), exception('modelStreamErrorException', 'It broke'))
    return sent.includes('toolResult') ? secondAnswer : firstAnswer
  })
  const settings = { providers: { 'amazon-bedrock': { apiUrl: server.url } } }
  const extensions = [join(repoRoot, 'extensions/amazon-bedrock')]
  await using home = await createTestHome({ extensions, settings })
  const owner = { extension: 'amazon-bedrock', provider: 'amazon-bedrock' }
  const credentials = createMemoryStore([[owner, JSON.stringify({ ...keys, region: 'eu-west-1' })]])
  await using airlock = await createAirlock({ home: home.folder, env: {}, credentials })

  const ask = { role: 'user' as const, content: 'Go' }
  const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }]
  const request = { model: `amazon-bedrock/${MODEL}`, messages: [ask], tools }
  const first = await airlock.complete(request).result()
  expect(first).toMatchObject({
    stopReason: 'tool-use',
    usage: { inputTokens: 9, outputTokens: 7, totalTokens: 16 },
    parts: [
      { type: 'thinking', text: 'Hm.', signature: 'sig==' },
      { type: 'tool-use', id: 't1', name: 'look', input: '{"id": 12345678901234567890}' },
    ],
  })
  const result = { type: 'tool-result' as const, toolUseId: 't1', toolName: 'look', content: 'a cat' }
  const messages = [
    ask,
    { role: 'assistant' as const, content: first.parts },
    { role: 'user' as const, content: [result] },
  ]
  const second = await airlock.complete({ ...request, messages }).result()
  expect([second.text, second.stopReason]).toEqual(['Done 好.', 'end-turn'])

  const { models, failures } = await airlock.models({ provider: 'amazon-bedrock' })
  expect(failures).toEqual([])
  expect(models).toMatchObject([{ id: MODEL, maxTokenCount: 200_000 }])

  // Each request as it arrived, signed once more with the same keys, has the signature that it came with.
  for (const { method, path, headers, body } of server.requests) {
    const time = String(headers['x-amz-date'])
    const iso = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
    const type = headers['content-type']
    const signed = signRequest({
      method,
      url: `http://${headers.host}${path}`,
      headers: type === undefined ? {} : { 'content-type': type },
      body,
      region: 'eu-west-1',
      service: 'bedrock',
      credentials: keys,
      now: Date.parse(iso),
    })
    expect(headers.authorization).toBe(signed.authorization)
    if (method !== 'POST') continue
    expect(path).toBe(`/model/${encodeURIComponent(MODEL)}/converse-stream`)
    expect(converseRequest.safeParse(JSON.parse(body.toString())).error?.issues).toBeUndefined()
  }
  const last = server.requests.findLast(({ method }) => method === 'POST')?.body.toString()
  expect(last).toContain('{"reasoningText":{"text":"Hm.","signature":"sig=="}}')
  expect(last).toContain('"input":{"id": 12345678901234567890}')

  const failed = airlock.complete({ ...request, messages: [{ role: 'user', content: 'break' }] })
  await expect(failed.result()).rejects.toMatchObject({ message: expect.stringContaining('It broke') })
  expect(failed.partial).toContainEqual(expect.objectContaining({ type: 'text', text: 'So' }))
  const refused = airlock.complete({ ...request, messages: [{ role: 'user', content: 'be slow' }] })
  await expect(refused.result()).rejects.toMatchObject({ kind: 'permission', status: 403 })
}, 240_000)
