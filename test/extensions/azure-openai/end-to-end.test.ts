import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { createAirlock } from '../../../host/index.ts'
import { responsesRequest } from '../../guest-sdk/dialects/openai-responses/api-schema.ts'
import { startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

const KEY = 'azure-end-to-end'
const json = { 'content-type': 'application/json' }
const event = (value: { type: string; [field: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

test('a deployment of the resource, a refusal of its filter, and its list, through the sandbox', async () => {
  await using server = await startScriptedServer(({ method, body }) => {
    if (method === 'GET') {
      return { headers: json, body: ['{"data":[{"id":"prod","model":"gpt-6-luna","status":"succeeded"}]}'] }
    }
    if (body.toString().includes('forbidden')) {
      const error = { code: 'content_filter', message: 'The prompt was filtered', status: 400 }
      return { status: 400, headers: json, body: [JSON.stringify({ error })] }
    }
    return {
      body: [
        event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hello' }),
        event({
          type: 'response.completed',
          response: { status: 'completed', usage: { input_tokens: 3, output_tokens: 1 } },
        }),
      ],
    }
  })
  const extension = join(repoRoot, 'extensions/azure-openai')
  const settings = { providers: { 'azure-openai': { apiUrl: server.url } } }
  await using home = await createTestHome({ extensions: [extension], settings })
  const credentials = createMemoryStore([[{ extension: 'azure-openai', provider: 'azure-openai' }, KEY]])
  await using airlock = await createAirlock({ home: home.folder, env: {}, credentials })

  const { models } = await airlock.models({ provider: 'azure-openai' })
  expect(models.map(({ id }) => id)).toEqual(['prod'])
  const ask = (content: string) =>
    airlock.complete({ model: 'azure-openai/prod', messages: [{ role: 'user', content }] }).result()
  expect(await ask('Hi')).toMatchObject({ text: 'Hello', stopReason: 'end-turn', usage: { inputTokens: 3 } })
  const sent = server.requests.at(-1)
  expect(sent?.path).toBe('/openai/v1/responses')
  expect(sent?.headers).toMatchObject({ 'api-key': KEY })
  const body = JSON.parse(sent?.body.toString() ?? '') as unknown
  expect(responsesRequest.safeParse(body).error?.issues).toBeUndefined()
  await expect(ask('forbidden')).rejects.toMatchObject({ kind: 'content-filtered', code: 'content_filter' })
}, 120_000)
