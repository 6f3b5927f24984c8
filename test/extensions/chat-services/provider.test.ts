import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { offer } from '../openai-compatible/context.ts'
import { serviceOf, services } from './services.ts'

const ask = requestOf([user('Hi')])

describe.each(services)('$id', ({ id, provider, service, variable }) => {
  test('extension.json: reaches the service only, keeps the key to the host, and names this provider', () => {
    const folder = join(repoRoot, 'extensions', id)
    const file = join(folder, 'extension.json')
    const manifest = parseManifest(readFileSync(file, 'utf8'), file)
    expect(manifest.permissions).toMatchObject({
      network: [new URL(service.apiUrl ?? '').origin],
      env: service.keyVariables,
      plainEnv: [],
      credentials: 'use',
      browser: [],
    })
    const { name, icon = '' } = provider
    expect(manifest.providers).toEqual([{ id, name, icon }])
    expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
  })

  test('request: its own address, the key from signing in or the environment', () => {
    for (const offered of [{ credential: 'secret' }, { env: { [variable]: ' secret\n' } }]) {
      expect(provider.request(ask, 'm', offer(offered))).toMatchObject({
        url: `${service.apiUrl}/chat/completions`,
        headers: { authorization: 'Bearer secret' },
      })
      expect(provider.isAuthenticated?.(offer(offered))).toBe(true)
    }
    expect(provider.isAuthenticated?.(offer({}))).toBe(false)
  })

  test('request: without a key it says what to do; a server of one’s own is asked without', () => {
    expect(() => provider.request(ask, 'm', offer({}))).toThrow(
      expect.objectContaining({
        kind: 'authentication',
        message: expect.stringMatching(new RegExp(`airlock login ${id}.*${variable}`)),
      }),
    )
    expect(provider.request(ask, 'm', offer({ apiUrl: 'http://127.0.0.1:1' }))).toMatchObject({
      url: 'http://127.0.0.1:1/v1/chat/completions',
      headers: { authorization: undefined },
    })
  })

  test('models: without a key, or where the list cannot be had, the table', () => {
    const ids = service.models?.map(model => model.id)
    const idle = offer({})
    const models = provider.models(idle)
    expect(models.map(model => model.id)).toEqual(ids)
    expect(idle.sent).toEqual([])
    expect(models.filter(({ isDefault }) => isDefault)).toHaveLength(1)
    expect(models.filter(({ isDefaultFast }) => isDefaultFast)).toHaveLength(1)
    for (const model of models) {
      expect(model.maxTokenCount).toBeGreaterThan(100_000)
      expect(model.pricing?.output).toBeGreaterThan(0)
    }
    const context = offer({ credential: 'secret', models: 'oops', status: 500 })
    expect(provider.models(context).map(model => model.id)).toEqual(ids)
    expect(context.warnings).toEqual([expect.stringContaining('only those of the extension are known')])
  })

  test('models: a key that is refused is an error', () => {
    const refusal = { error: { message: 'Invalid API key', code: 'invalid_api_key' } }
    expect(() => provider.models(offer({ credential: 'secret', models: refusal, status: 401 }))).toThrow(
      expect.objectContaining({ kind: 'authentication' }),
    )
  })

  test('models: the list over the table, the settings over both', () => {
    const [first] = service.models ?? []
    const list = { data: [{ id: first?.id, context_window: 7 }, { id: 'new' }] }
    const availableModels = [{ name: 'mine', displayName: 'Mine', maxTokens: 9, maxOutputTokens: 3 }]
    const models = provider.models(offer({ credential: 'secret', models: list, availableModels }))
    expect(models.map(model => model.id)).toEqual(['mine', first?.id, 'new'])
    expect(models[0]).toMatchObject({ name: 'Mine', maxTokenCount: 9, maxOutputTokens: 3 })
    expect(models[1]).toMatchObject({ maxTokenCount: 7, name: first?.name, pricing: first?.pricing })
  })

  test('signing in: one key, and a page that tells where it comes from', () => {
    const options = provider.signInOptions?.(offer({}))
    expect(options).toMatchObject([{ id: 'api-key', method: { type: 'form', fields: [{ secret: true }] } }])
    expect(provider.settingsMarkdown?.(offer({}))).toContain(variable)
  })
})

test('mistral: what it lists of its models, of which some are for other uses', () => {
  const { provider } = serviceOf('mistral')
  const can = { completion_chat: true, function_calling: true, vision: false, reasoning: false }
  const list = {
    object: 'list',
    data: [
      {
        id: 'mistral-small-latest',
        max_context_length: 99,
        capabilities: { ...can, vision: true },
        type: 'base',
      },
      { id: 'mistral-embed', max_context_length: 8192, capabilities: { ...can, completion_chat: false } },
    ],
  }
  const models = provider.models(offer({ credential: 'k', models: list }))
  // The service takes the dated id of an alias as well.
  expect(models.map(({ id }) => id)).toEqual(['mistral-small-latest', 'mistral-small-2603'])
  expect(models[0]).toMatchObject({
    maxTokenCount: 99,
    pricing: { input: 0.15 },
    capabilities: { supportsImages: true, supportsThinking: false },
  })
  expect(models[1]?.isDefaultFast).toBe(true)
})

test('groq: models for speech and for judging prompts are left out', () => {
  const { provider } = serviceOf('groq')
  const list = {
    data: [
      { id: 'whisper-large-v3', active: true, context_window: 448 },
      { id: 'openai/gpt-oss-20b', active: true, context_window: 131_072, max_completion_tokens: 65_536 },
      { id: 'old', active: false },
    ],
  }
  expect(provider.models(offer({ credential: 'k', models: list })).map(({ id }) => id)).toEqual([
    'openai/gpt-oss-20b',
  ])
})

test('xai: the list with inputs and prices', () => {
  const { provider } = serviceOf('xai')
  const context = offer({
    credential: 'k',
    models: {
      models: [
        {
          id: 'grok-9',
          input_modalities: ['text', 'image'],
          output_modalities: ['text'],
          prompt_text_token_price: 20_000,
          cached_prompt_text_token_price: 5_000,
          completion_text_token_price: 60_000,
        },
      ],
    },
  })
  expect(provider.models(context)).toMatchObject([
    {
      id: 'grok-9',
      pricing: { input: 2, output: 6, cacheRead: 0.5 },
      capabilities: { supportsImages: true, supportsFiles: false },
    },
  ])
  expect(context.sent.map(({ url }) => url)).toEqual(['https://api.x.ai/v1/language-models'])
})
