import { expect, onTestFinished, test } from 'vitest'
import { createAirlock, createMemoryStore } from '../../../host/index.ts'
import { modelList } from '../../servers/model-list.ts'
import { type Script, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const answer: Script = {
  body: [
    frame({ id: 'a', model: 'm', choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] }),
    frame({ id: 'a', choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
    'data: [DONE]\n\n',
  ],
}
const ask = { model: 'openai-compatible/m', messages: [{ role: 'user' as const, content: 'hi' }] }

/** A service that answers, and does with its list of models what the test says. */
async function open(list: Script) {
  const server = await startScriptedServer(({ method }) => (method === 'GET' ? list : answer))
  onTestFinished(() => server.close())
  const home = await createTestHome({
    settings: { providers: { 'openai-compatible': { apiUrl: `${server.url}/v1` } } },
  })
  onTestFinished(() => home[Symbol.asyncDispose]())
  const airlock = await createAirlock({
    home: home.folder,
    env: {},
    credentials: createMemoryStore(),
    retry: false,
  })
  onTestFinished(() => airlock.close())
  return { airlock, listings: () => server.requests.filter(({ method }) => method === 'GET').length }
}

test.each<[string, Script]>([
  ['never comes', 'never'],
  ['is refused', { status: 500, body: ['{}'] }],
  ['is no list', { headers: { 'content-type': 'application/json' }, body: ['[]'] }],
  ['does not have the model', modelList('other')],
])('an answer comes without a price, and not as an error, where the list of models %s', async (_, list) => {
  const { airlock } = await open(list)
  const { text, usage } = await airlock.complete(ask).result()
  expect(text).toBe('Hi.')
  expect(usage).toMatchObject({ inputTokens: 1, outputTokens: 2 })
  expect(usage).not.toHaveProperty('cost')
})

test('twenty completions at once, and another, ask for one list', async () => {
  const { airlock, listings } = await open(modelList('m'))
  await Promise.all(Array.from({ length: 20 }, () => airlock.complete(ask).result()))
  await airlock.complete(ask).result()
  expect(listings()).toBe(1)
})

test('a service that refuses its list is not asked for it by every completion', async () => {
  const { airlock, listings } = await open({ status: 500, body: ['{}'] })
  for (let turn = 0; turn < 5; turn++) await airlock.complete(ask).result()
  expect(listings()).toBe(1)
})
