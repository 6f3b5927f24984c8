import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import extension from '../../../extensions/ollama/provider.ts'
import type { Context, FetchOptions } from '../../../guest-sdk/index.ts'
import { createHttpResponse, ProviderError } from '../../../guest-sdk/index.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { type Offered, offer } from '../openai-compatible/context.ts'

const [provider] = extension.providers
if (!provider?.request) throw new Error('the extension has no provider that asks')
const { models, request } = provider
const ask = requestOf([user('Hi')])
const apiUrl = 'http://127.0.0.1:11434'

/** A server that says of each model what `shown` has of it. */
function serve(
  shown: Record<string, object | undefined>,
  offered: Offered = { apiUrl },
): Context & { asked: string[] } {
  const asked: string[] = []
  return {
    ...offer(offered),
    asked,
    fetch(url, { body }: FetchOptions = {}) {
      const path = new URL(String(url)).pathname
      const { model = '' } = (body ?? {}) as { model?: string }
      asked.push(model === '' ? path : `${path} ${model}`)
      const answer =
        path === '/api/tags'
          ? { models: Object.keys(shown).map(name => ({ name, model: name })) }
          : shown[model]
      if (answer === undefined)
        return createHttpResponse({ status: 404, body: '{"error":"model not found"}' })
      return createHttpResponse({ status: 200, body: JSON.stringify(answer) })
    },
  }
}

const qwen = {
  details: { family: 'qwen3' },
  model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
  capabilities: ['completion', 'tools', 'thinking'],
}

test('extension.json: reaches ollama.com, and what the user sets', () => {
  const folder = join(repoRoot, 'extensions/ollama')
  const file = join(folder, 'extension.json')
  const { permissions, providers } = parseManifest(readFileSync(file, 'utf8'), file)
  expect(permissions).toMatchObject({
    network: ['https://ollama.com'],
    env: ['OLLAMA_API_KEY'],
    plainEnv: [],
    credentials: 'use',
  })
  const { id, name, icon = '' } = provider
  expect(providers).toEqual([{ id, name, icon }])
  expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
})

describe('request', () => {
  test.each([
    [{ apiUrl }, 'http://127.0.0.1:11434/api/chat', undefined],
    [{ apiUrl: 'http://127.0.0.1:11434/' }, 'http://127.0.0.1:11434/api/chat', undefined],
    [{ apiUrl: 'http://127.0.0.1:11434/v1' }, 'http://127.0.0.1:11434/api/chat', undefined],
    [
      { apiUrl: 'https://proxy.example/ollama/api?k=1' },
      'https://proxy.example/ollama/api/chat?k=1',
      undefined,
    ],
    [{ credential: 'key' }, 'https://ollama.com/api/chat', 'Bearer key'],
    [{ env: { OLLAMA_API_KEY: ' key ' } }, 'https://ollama.com/api/chat', 'Bearer key'],
  ])('%j', (offered, url, authorization) => {
    expect(request(ask, 'm', offer(offered))).toMatchObject({
      url,
      headers: { authorization, 'content-type': 'application/json' },
      framing: 'lines',
    })
  })

  test('the window of a model that the user named, levels for those that take them', () => {
    const availableModels = [{ name: 'qwen3', maxTokens: 32_768 }]
    const sent = (model: string, fields: object) =>
      JSON.parse(
        String(request({ ...ask, ...fields }, model, offer({ apiUrl, availableModels })).body),
      ) as unknown
    expect(sent('qwen3', {})).toMatchObject({ options: { num_ctx: 32_768 } })
    expect(sent('gpt-oss:20b', { reasoningEffort: 'high' })).toMatchObject({ think: 'high' })
    expect(sent('qwen3', { reasoningEffort: 'high' })).toMatchObject({ think: true })
  })

  test('where nothing is set it says what to do', () => {
    expect(() => request(ask, 'm', offer({}))).toThrow(
      /airlock settings set providers.ollama.apiUrl http:\/\/127.0.0.1:11434/,
    )
    expect(() => request(ask, 'm', offer({ apiUrl: 'nowhere' }))).toThrow(/must be an http or https URL/)
  })
})

describe('models', () => {
  test('what the server has, each asked for what it can; embeddings are left out', () => {
    const context = serve({ qwen3: qwen, embed: { capabilities: ['embedding'] }, gone: undefined })
    const found = models(context)
    expect(context.asked).toEqual(['/api/tags', '/api/show qwen3', '/api/show embed', '/api/show gone'])
    expect(found).toMatchObject([
      {
        id: 'qwen3',
        family: 'qwen3',
        maxTokenCount: 40_960,
        capabilities: {
          supportsImages: false,
          supportsTools: true,
          supportsThinking: true,
          supportsToolChoiceAny: false,
        },
      },
      { id: 'gone', maxTokenCount: 32_768, capabilities: { supportsTools: true } },
    ])
  })

  test('those of the settings first, with their limits', () => {
    const availableModels = [{ name: 'qwen3', displayName: 'Qwen', maxTokens: 8_192, maxOutputTokens: 512 }]
    expect(models(serve({ other: qwen, qwen3: qwen }, { apiUrl, availableModels }))).toMatchObject([
      { id: 'qwen3', name: 'Qwen', maxTokenCount: 8_192, maxOutputTokens: 512, family: 'qwen3' },
      { id: 'other' },
    ])
  })

  test('no server, no question; one that does not answer is an error unless models are named', () => {
    expect(models(offer({}))).toEqual([])
    expect(() => models(offer({ apiUrl }))).toThrow(ProviderError)
    const context = offer({ apiUrl, availableModels: [{ name: 'm', maxTokens: 9 }] })
    expect(models(context).map(({ id }) => id)).toEqual(['m'])
    expect(context.warnings).toHaveLength(1)
  })
})
