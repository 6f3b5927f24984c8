import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import extension from '../../../extensions/openai/provider.ts'
import { OPENAI_MODELS, OPENAI_MODELS_AS_OF } from '../../../guest-sdk/dialects/openai-responses/index.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { events, replay } from '../../guest-sdk/dialects/replay.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { offer } from '../openai-compatible/context.ts'

const [provider] = extension.providers
if (!provider?.request || !provider.countTokens || !provider.decode) throw new Error('no provider that asks')
const { models, request, countTokens, decode } = provider
const ask = requestOf([user('Hi')])
const key = { credential: 'sk' }
const chatUrl = 'https://api.openai.com/v1/chat/completions'

test('extension.json: reaches the service only, keeps the key to the host, and names this provider', () => {
  const folder = join(repoRoot, 'extensions/openai')
  const file = join(folder, 'extension.json')
  const manifest = parseManifest(readFileSync(file, 'utf8'), file)
  expect(manifest.permissions).toMatchObject({
    network: ['https://api.openai.com'],
    env: ['OPENAI_API_KEY'],
    credentials: 'use',
    browser: [],
  })
  const { id, name, icon = '' } = provider
  expect(manifest.providers).toMatchObject([{ id, name, icon }])
  expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
})

describe('request', () => {
  test('the Responses API, with the key in a header', () => {
    const { url, headers, body } = request(ask, 'gpt-6.2-sol', offer(key))
    expect(url).toBe('https://api.openai.com/v1/responses')
    expect(headers).toMatchObject({ authorization: 'Bearer sk', 'content-type': 'application/json' })
    expect(JSON.parse(String(body))).toMatchObject({
      model: 'gpt-6.2-sol',
      store: false,
      include: ['reasoning.encrypted_content'],
    })
  })
  test('the chat API where apiUrl ends with it, or the model has no other', () => {
    const set = request({ ...ask, maxTokens: 9 }, 'gpt-6-luna', offer({ ...key, apiUrl: chatUrl }))
    expect(set).toMatchObject({ url: chatUrl, body: { messages: [{}], max_completion_tokens: 9 } })
    expect(request(ask, 'gpt-5-search-api', offer(key))).toMatchObject({ url: chatUrl })
    expect(request(ask, 'gpt-5-search-api', offer({ ...key, apiUrl: 'https://h/responses' })).url).toBe(
      'https://h/responses',
    )
  })
  test("the key from the environment, none for a server of one's own, else the command to sign in", () => {
    const env = { OPENAI_API_KEY: ' sk\n' }
    expect(request(ask, 'm', offer({ env })).headers).toMatchObject({ authorization: 'Bearer sk' })
    const own = request(ask, 'm', offer({ apiUrl: 'http://127.0.0.1:8080' }))
    expect(own).toMatchObject({
      url: 'http://127.0.0.1:8080/v1/responses',
      headers: { authorization: undefined },
    })
    expect(() => request(ask, 'm', offer({}))).toThrow(
      expect.objectContaining({
        kind: 'authentication',
        message: expect.stringContaining('airlock login openai'),
      }),
    )
  })
  test('each model by its rules, and what the user set for it', () => {
    expect(() => request({ ...ask, temperature: 0 }, 'gpt-6.2-sol', offer(key))).toThrow(
      expect.objectContaining({ kind: 'unsupported' }),
    )
    expect(JSON.parse(String(request({ ...ask, temperature: 0 }, 'gpt-4.1', offer(key)).body))).toMatchObject(
      {
        temperature: 0,
      },
    )
    const context = offer({ ...key, availableModels: [{ name: 'mine', maxTokens: 9, thinkingBudget: 5 }] })
    request(ask, 'mine', context)
    expect(context.warnings).toEqual([expect.stringContaining('thinkingBudget')])
  })
})

test('decode: the dialect of the API that was asked', () => {
  const start = (model: string) => ({ request: ask, model, context: offer(key) })
  const chat = events({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] })
  expect(replay(decode(start('gpt-5-search-api')) as never, chat).result.text).toBe('Hi')
  const answer = events({ type: 'response.output_text.delta', delta: 'Ho' })
  expect(replay(decode(start('gpt-6-luna')) as never, answer).result.text).toBe('Ho')
})

describe('models', () => {
  const young = OPENAI_MODELS_AS_OF / 1000 + 1
  const data = [
    { id: 'gpt-5.4-mini-2026-03-17', created: 1, owned_by: 'system' },
    { id: 'gpt-6-luna', created: 1, owned_by: 'system' },
    { id: 'text-embedding-3-large', created: 1, owned_by: 'system' },
    { id: 'ft:gpt-4.1-mini:acme::x', created: 1, owned_by: 'acme' },
    { id: 'gpt-9', created: young, owned_by: 'system' },
  ]
  test('the list of the service with what is known; no others but what is younger or fine-tuned', () => {
    const context = offer({ ...key, models: { data } })
    const found = models(context)
    expect(context.sent.map(({ url }) => url)).toEqual(['https://api.openai.com/v1/models'])
    expect(found.map(({ id }) => id)).toEqual([
      'gpt-5.4-mini-2026-03-17',
      'gpt-6-luna',
      'ft:gpt-4.1-mini:acme::x',
      'gpt-9',
    ])
    expect(found[0]).toMatchObject({ name: 'gpt-5.4-mini-2026-03-17', pricing: { input: 0.75 } })
    expect(found[1]).toMatchObject({
      name: 'GPT-6 Luna',
      family: 'gpt-luna',
      maxTokenCount: 922_000,
      maxOutputTokens: 128_000,
      pricing: { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
      capabilities: { supportsThinking: true, supportsTools: true, maxTools: 128 },
      isDefaultFast: true,
    })
  })
  test('without a key, or where the list cannot be had: the table', () => {
    const ids = OPENAI_MODELS.map(({ id }) => id)
    expect(models(offer({})).map(({ id }) => id)).toEqual(ids)
    const context = offer({ ...key, models: 'oops', status: 500 })
    expect(models(context).map(({ id }) => id)).toEqual(ids)
    expect(context.warnings).toHaveLength(1)
    expect(models(offer({})).filter(({ isDefault }) => isDefault)).toHaveLength(1)
    expect(models(offer({})).filter(({ isDefaultFast }) => isDefaultFast)).toHaveLength(1)
  })
  test('a key that is refused is an error', () => {
    const body = { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }
    expect(() => models(offer({ ...key, models: body, status: 401 }))).toThrow(
      expect.objectContaining({ kind: 'authentication' }),
    )
  })
  test('another server: all that it lists; and those of the settings', () => {
    const availableModels = [{ name: 'mine', displayName: 'Mine', maxTokens: 7, maxOutputTokens: 3 }]
    const served = { data: [{ id: 'local', max_model_len: 4096 }, { id: 'gpt-4o' }] }
    const found = models(offer({ apiUrl: 'http://127.0.0.1:1/v1', availableModels, models: served }))
    expect(found).toMatchObject([
      { id: 'local', maxTokenCount: 4096 },
      { id: 'gpt-4o', maxTokenCount: 128_000, pricing: { input: 2.5 } },
      { id: 'mine', name: 'Mine', maxTokenCount: 7, maxOutputTokens: 3 },
    ])
  })
})

test('countTokens: asks the service, through the Responses API only', () => {
  const context = offer({ ...key, models: { object: 'response.input_tokens', input_tokens: 12 } })
  expect(countTokens(ask, 'gpt-6-luna', context)).toBe(12)
  expect(context.sent[0]?.url).toBe('https://api.openai.com/v1/responses/input_tokens')
  expect(() => countTokens(ask, 'gpt-5-search-api', context)).toThrow(
    expect.objectContaining({ kind: 'unsupported' }),
  )
})

test('cacheConfiguration: for models that take breakpoints', () => {
  expect(provider.cacheConfiguration?.('gpt-6-luna')).toEqual({
    maxCacheAnchors: 3,
    shouldCacheToolDefinitions: false,
    minTotalTokenCount: 1_024,
  })
  expect(provider.cacheConfiguration?.('gpt-4.1')).toBeUndefined()
})
