import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import extension from '../../../extensions/azure-openai/provider.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { offer } from '../openai-compatible/context.ts'

const [provider] = extension.providers
if (!provider?.request) throw new Error('the extension has no provider that sends requests')
const { models, request } = provider
const ask = requestOf([user('Hi')])
const resource = 'https://acme.openai.azure.com'
const set = { apiUrl: resource, credential: 'key' }

test('extension.json: reaches nothing but what the user sets, and names this provider', () => {
  const folder = join(repoRoot, 'extensions/azure-openai')
  const file = join(folder, 'extension.json')
  const manifest = parseManifest(readFileSync(file, 'utf8'), file)
  expect(manifest.permissions).toMatchObject({
    network: [],
    env: ['AZURE_OPENAI_API_KEY'],
    credentials: 'use',
    browser: [],
  })
  const { id, name, icon = '' } = provider
  expect(manifest.providers).toMatchObject([{ id, name, icon }])
  expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
})

describe('request', () => {
  test.each([
    [resource, `${resource}/openai/v1/responses`],
    [`${resource}/`, `${resource}/openai/v1/responses`],
    [`${resource}/openai`, `${resource}/openai/v1/responses`],
    [`${resource}/openai/v1/`, `${resource}/openai/v1/responses`],
    [`${resource}/openai/v1?api-version=preview`, `${resource}/openai/v1/responses?api-version=preview`],
    [`${resource}/openai/v1/chat/completions`, `${resource}/openai/v1/chat/completions`],
    [
      `${resource}/openai/deployments/d/chat/completions?api-version=2024-10-21`,
      `${resource}/openai/deployments/d/chat/completions?api-version=2024-10-21`,
    ],
  ])('apiUrl %s: %s (N6)', (apiUrl, url) => {
    const sent = request(ask, 'my-deployment', offer({ ...set, apiUrl }))
    expect(sent.url).toBe(url)
    expect(sent.headers).toMatchObject({ 'api-key': 'key' })
    const body = typeof sent.body === 'string' ? (JSON.parse(sent.body) as object) : sent.body
    expect(body).toMatchObject({ model: 'my-deployment', stream: true })
  })
  test('without apiUrl or key: what to do', () => {
    expect(() => request(ask, 'm', offer({ credential: 'key' }))).toThrow(
      expect.objectContaining({
        kind: 'invalid-request',
        message: expect.stringContaining('airlock settings set providers.azure-openai.apiUrl'),
      }),
    )
    expect(() => request(ask, 'm', offer({ apiUrl: resource }))).toThrow(
      expect.objectContaining({
        kind: 'authentication',
        message: expect.stringContaining('airlock login azure-openai'),
      }),
    )
    const env = { AZURE_OPENAI_API_KEY: 'key' }
    expect(request(ask, 'm', offer({ apiUrl: resource, env })).headers).toMatchObject({ 'api-key': 'key' })
  })
  test.each([['gpt-6.2-sol'], ['GPT-6.2 Sol']])(
    'a deployment is asked as the model that displayName says: %s',
    displayName => {
      const availableModels = [{ name: 'prod', displayName, maxTokens: 9 }]
      const calm = { ...ask, temperature: 0 }
      expect(() => request(calm, 'prod', offer({ ...set, availableModels }))).toThrow(
        expect.objectContaining({ kind: 'unsupported' }),
      )
      expect(request(calm, 'prod', offer(set)).url).toContain('/responses')
    },
  )
})

describe('models', () => {
  const data = [
    { id: 'prod', model: 'gpt-6-luna', status: 'succeeded' },
    { id: 'soon', model: 'gpt-6-luna', status: 'running' },
  ]
  test('the deployments of the settings first, then the others of the resource, without prices', () => {
    const availableModels = [{ name: 'mine', displayName: 'Mine', maxTokens: 9 }]
    const context = offer({ ...set, availableModels, models: { data } })
    const found = models(context)
    expect(context.sent).toMatchObject([
      {
        url: `${resource}/openai/deployments?api-version=2023-03-15-preview`,
        options: { headers: { 'api-key': 'key' } },
      },
    ])
    expect(found).toMatchObject([
      { id: 'mine', name: 'Mine', maxTokenCount: 9 },
      { id: 'prod', name: 'prod', family: 'gpt-luna', maxTokenCount: 922_000 },
    ])
    expect(found[1]?.pricing).toBeUndefined()
  })
  test('a resource that lists none: no error while the settings name some, else what to do', () => {
    const availableModels = [{ name: 'gpt-6-luna', maxTokens: 9 }]
    const none = { ...set, models: { error: { code: '404', message: 'Resource not found' } }, status: 404 }
    const context = offer({ ...none, availableModels })
    expect(models(context)).toMatchObject([{ id: 'gpt-6-luna', maxTokenCount: 9, maxOutputTokens: 128_000 }])
    expect(context.warnings).toHaveLength(1)
    expect(() => models(offer(none))).toThrow(
      expect.objectContaining({ message: expect.stringContaining('providers.azure-openai.availableModels') }),
    )
  })
})
