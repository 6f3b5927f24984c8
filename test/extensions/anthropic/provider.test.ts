import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KNOWN_MODELS } from '../../../extensions/anthropic/models.ts'
import extension from '../../../extensions/anthropic/provider.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { offer } from '../openai-compatible/context.ts'

const [provider] = extension.providers
if (!provider?.request || !provider.countTokens) throw new Error('the extension has no provider that asks')
const { models, request, countTokens } = provider
const ask = requestOf([user('Hi')])

test('extension.json: reaches the service only, keeps the key to the host, and names this provider', () => {
  const folder = join(repoRoot, 'extensions/anthropic')
  const file = join(folder, 'extension.json')
  const manifest = parseManifest(readFileSync(file, 'utf8'), file)
  expect(manifest.permissions).toMatchObject({
    network: ['https://api.anthropic.com'],
    env: ['ANTHROPIC_API_KEY'],
    credentials: 'use',
    browser: [],
  })
  const { id, name, icon = '' } = provider
  expect(manifest.providers).toEqual([{ id, name, icon }])
  expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
})

describe('request', () => {
  test('the key in a header, the version, the betas', () => {
    const given = { ...ask, providerOptions: { betas: ['context-1m-2025-08-07'] } }
    expect(request(given, 'claude-opus-5-5', offer({ credential: 'sk' }))).toMatchObject({
      url: 'https://api.anthropic.com/v1/messages',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'sk',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'context-1m-2025-08-07',
      },
    })
  })
  test.each([
    ['https://proxy.example', 'https://proxy.example/v1/messages'],
    ['https://proxy.example/v1/', 'https://proxy.example/v1/messages'],
    ['http://127.0.0.1:1/anthropic/v1?key=1', 'http://127.0.0.1:1/anthropic/v1/messages?key=1'],
  ])('apiUrl %s (N6)', (apiUrl, url) => {
    expect(request(ask, 'm', offer({ apiUrl })).url).toBe(url)
  })
  test('without a key it says what to do', () => {
    expect(() => request(ask, 'm', offer({}))).toThrow(
      expect.objectContaining({
        kind: 'authentication',
        message: expect.stringContaining('airlock login anthropic'),
      }),
    )
  })
  test('rules come from the table and the settings', () => {
    const availableModels = [
      { name: 'claude-haiku-4-5', maxTokens: 9, maxOutputTokens: 5_000, thinkingBudget: 2_000 },
    ]
    const { body } = request(ask, 'claude-haiku-4-5', offer({ credential: 'sk', availableModels }))
    expect(JSON.parse(String(body))).toMatchObject({
      max_tokens: 5_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    })
    expect(() => request({ ...ask, temperature: 0 }, 'claude-opus-5-5', offer({ credential: 'sk' }))).toThrow(
      expect.objectContaining({ kind: 'unsupported' }),
    )
  })
})

describe('models', () => {
  const page = {
    data: [
      {
        id: 'claude-haiku-4-5-20251001',
        display_name: 'Claude Haiku 4.5',
        line: 'haiku',
        max_input_tokens: 300_000,
        max_tokens: 1_000,
        capabilities: { pdf_input: { supported: false }, thinking: { supported: true, types: {} } },
      },
      { id: 'claude-new-9', display_name: 'New', max_input_tokens: 5, max_tokens: 6, lifecycle: 'active' },
      { id: 'claude-old', lifecycle: 'retired' },
    ],
    has_more: false,
  }
  test('the list of the service over the table, with short ids for dated ones', () => {
    const context = offer({ credential: 'sk', models: page })
    const found = models(context)
    expect(context.sent.map(({ url }) => url)).toEqual(['https://api.anthropic.com/v1/models?limit=1000'])
    expect(found.map(({ id }) => id)).toEqual([
      'claude-haiku-4-5-20251001',
      'claude-new-9',
      'claude-haiku-4-5',
    ])
    expect(found[0]).toMatchObject({
      family: 'claude-haiku',
      maxTokenCount: 300_000,
      maxOutputTokens: 1_000,
      pricing: { input: 1, output: 5 },
      capabilities: { supportsFiles: false, supportsTools: true },
    })
    expect(found[1]).toMatchObject({ name: 'New', maxTokenCount: 5, maxOutputTokens: 6 })
  })
  test('without a key, or where the list cannot be had: the table', () => {
    const ids = KNOWN_MODELS.map(({ id }) => id)
    expect(models(offer({})).map(({ id }) => id)).toEqual(ids)
    const context = offer({ credential: 'sk', models: 'oops', status: 500 })
    expect(models(context).map(({ id }) => id)).toEqual(ids)
    expect(context.warnings).toHaveLength(1)
    expect(models(offer({})).filter(({ isDefault }) => isDefault)).toHaveLength(1)
    expect(models(offer({})).filter(({ isDefaultFast }) => isDefaultFast)).toHaveLength(1)
  })
  test('a key that is refused is an error', () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }
    expect(() => models(offer({ credential: 'sk', models: body, status: 401 }))).toThrow(
      expect.objectContaining({ kind: 'authentication', message: 'invalid x-api-key' }),
    )
  })
  test('those of the settings, too', () => {
    const availableModels = [{ name: 'mine', displayName: 'Mine', maxTokens: 7 }]
    expect(models(offer({ availableModels })).at(-1)).toMatchObject({
      id: 'mine',
      name: 'Mine',
      maxTokenCount: 7,
    })
  })
  test('a model that cannot be forced says so', () => {
    const found = models(offer({})).find(({ id }) => id === 'claude-opus-5-5')
    expect(found?.capabilities).toMatchObject({ supportsToolChoiceAny: false, supportsToolChoiceTool: false })
  })
})

test('countTokens: asks the service', () => {
  const context = offer({ credential: 'sk', models: { input_tokens: 12 } })
  expect(countTokens(ask, 'claude-opus-5-5', context)).toBe(12)
  expect(context.sent[0]?.url).toBe('https://api.anthropic.com/v1/messages/count_tokens')
})

test('cacheConfiguration: four anchors, tools, and the least that each model caches', () => {
  expect(provider.cacheConfiguration?.('claude-haiku-4-5')).toEqual({
    maxCacheAnchors: 4,
    shouldCacheToolDefinitions: true,
    minTotalTokenCount: 4_096,
  })
  expect(provider.cacheConfiguration?.('unheard-of')?.minTotalTokenCount).toBe(1_024)
})
