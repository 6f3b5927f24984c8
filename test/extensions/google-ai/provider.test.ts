import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KNOWN_MODELS } from '../../../extensions/google-ai/models.ts'
import extension from '../../../extensions/google-ai/provider.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { offer } from '../openai-compatible/context.ts'

const [provider] = extension.providers
if (!provider?.request || !provider.countTokens) throw new Error('the extension has no provider that asks')
const { models, request, countTokens } = provider
const ask = requestOf([user('Hi')])
const service = 'https://generativelanguage.googleapis.com/v1beta'

test('extension.json: reaches the service only, keeps the key to the host, and names this provider', () => {
  const folder = join(repoRoot, 'extensions/google-ai')
  const file = join(folder, 'extension.json')
  const manifest = parseManifest(readFileSync(file, 'utf8'), file)
  expect(manifest.permissions).toMatchObject({
    network: ['https://generativelanguage.googleapis.com'],
    env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    credentials: 'use',
    browser: [],
  })
  const { id, name, icon = '' } = provider
  expect(manifest.providers).toEqual([{ id, name, icon }])
  expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
})

describe('request', () => {
  test('a stream of events, the key in a header and never in the URL (A24, M9)', () => {
    const sent = request(ask, 'gemini-3.8-flash', offer({ credential: 'AIza' }))
    expect(sent).toMatchObject({
      url: `${service}/models/gemini-3.8-flash:streamGenerateContent?alt=sse`,
      headers: { 'content-type': 'application/json', 'x-goog-api-key': 'AIza' },
    })
    expect(String(sent.url)).not.toContain('AIza')
  })
  test.each([
    ['tunedModels/mine-1', `${service}/tunedModels/mine-1:streamGenerateContent?alt=sse`],
    ['models/x', `${service}/models/x:streamGenerateContent?alt=sse`],
    ['../evil?x', `${service}/models/..%2Fevil%3Fx:streamGenerateContent?alt=sse`],
  ])('model %s', (model, url) => {
    expect(request(ask, model, offer({ credential: 'k' })).url).toBe(url)
  })
  test('apiUrl with a query keeps it (N6)', () => {
    const { url } = request(ask, 'm', offer({ apiUrl: 'https://proxy.example/gemini/?a=1' }))
    expect(url).toBe('https://proxy.example/gemini/v1beta/models/m:streamGenerateContent?a=1&alt=sse')
  })
  test('keys of the environment, and what to do without one', () => {
    const env = { GOOGLE_API_KEY: ' k2 ' }
    expect(request(ask, 'm', offer({ env })).headers).toMatchObject({ 'x-goog-api-key': 'k2' })
    expect(() => request(ask, 'm', offer({}))).toThrow(
      expect.objectContaining({
        kind: 'authentication',
        message: expect.stringContaining('airlock login google-ai'),
      }),
    )
  })
  test('rules come from the table and the settings', () => {
    const off = { ...ask, thinkingAllowed: false }
    const { body } = request(off, 'gemini-2.5-flash', offer({ credential: 'k' }))
    expect(JSON.parse(String(body))).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
    })
    const availableModels = [{ name: 'gemini-2.5-flash', maxTokens: 9, thinkingBudget: 99 }]
    const set = request(ask, 'gemini-2.5-flash', offer({ credential: 'k', availableModels }))
    expect(String(set.body)).toContain('"thinkingBudget":99')
  })
})

describe('models', () => {
  const page = {
    models: [
      {
        name: 'models/gemini-2.5-pro',
        displayName: 'Gemini 2.5 Pro',
        inputTokenLimit: 5,
        outputTokenLimit: 6,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
        thinking: true,
      },
      { name: 'models/gemma-9', supportedGenerationMethods: ['generateContent'], thinking: false },
      { name: 'models/embedding-9', supportedGenerationMethods: ['embedContent'] },
    ],
  }
  test('those that generate content, with what is known of them', () => {
    const context = offer({ credential: 'k', models: page })
    const found = models(context)
    expect(context.sent[0]?.url).toBe(`${service}/models?pageSize=1000`)
    expect(found.map(({ id }) => id)).toEqual(['gemini-2.5-pro', 'gemma-9'])
    expect(found[0]).toMatchObject({
      maxTokenCount: 5,
      maxOutputTokens: 6,
      pricing: { input: 1.25 },
      capabilities: { supportsThinking: true, toolInputFormat: 'json-schema-subset' },
    })
    expect(found[1]?.capabilities).toMatchObject({ supportsThinking: false })
  })
  test('without a key, or where the list cannot be had: the table', () => {
    const ids = KNOWN_MODELS.map(({ id }) => id)
    expect(models(offer({})).map(({ id }) => id)).toEqual(ids)
    const context = offer({ credential: 'k', models: 'oops', status: 500 })
    expect(models(context).map(({ id }) => id)).toEqual(ids)
    expect(context.warnings).toHaveLength(1)
  })
  test('a key that is refused is an error', () => {
    const error = { code: 400, message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] }
    expect(() => models(offer({ credential: 'k', models: { error }, status: 400 }))).toThrow(
      expect.objectContaining({ kind: 'authentication' }),
    )
  })
})

test('countTokens: asks the service', () => {
  const context = offer({ credential: 'k', models: { totalTokens: 12 } })
  expect(countTokens(ask, 'gemini-2.5-pro', context)).toBe(12)
  expect(context.sent[0]?.url).toBe(`${service}/models/gemini-2.5-pro:countTokens`)
})
