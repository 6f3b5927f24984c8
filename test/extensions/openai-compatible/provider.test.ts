import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import extension from '../../../extensions/openai-compatible/provider.ts'
import { SERVERS } from '../../../extensions/openai-compatible/servers.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { type Offered, offer } from './context.ts'

const [provider] = extension.providers
if (!provider?.request) throw new Error('the extension has no provider that sends requests')
const { models, request } = provider
const ask = requestOf([user('Hi')])
const apiUrl = 'http://127.0.0.1:8080/v1'

test('extension.json: names every provider, its icon and its key; it reaches what the user sets and nothing else', () => {
  const folder = join(repoRoot, 'extensions/openai-compatible')
  const file = join(folder, 'extension.json')
  const { permissions, providers } = parseManifest(readFileSync(file, 'utf8'), file)
  expect(permissions).toMatchObject({ credentials: 'use', plainEnv: [], browser: [], network: [] })
  expect(permissions.env).toEqual(SERVERS.flatMap(({ keyVariables }) => keyVariables))
  expect(providers).toEqual(SERVERS.map(({ id, name, icon, keyVariables: env }) => ({ id, name, icon, env })))
  for (const { icon = '' } of providers) expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
})

test('request: the server of the settings, the whole request, streaming', () => {
  expect(request(ask, 'm', offer({ apiUrl }))).toEqual({
    url: 'http://127.0.0.1:8080/v1/chat/completions',
    headers: { authorization: undefined },
    body: {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    },
  })
})

test.each<[name: string, offered: Offered, authorization: string | undefined]>([
  ['the credential', { credential: 'key', env: { OPENAI_COMPATIBLE_API_KEY: 'other' } }, 'Bearer key'],
  ['else the environment', { env: { OPENAI_COMPATIBLE_API_KEY: ' key\n' } }, 'Bearer key'],
  ['else none', {}, undefined],
  ['a blank one is none', { env: { OPENAI_COMPATIBLE_API_KEY: ' ' } }, undefined],
  [
    'a blank credential leaves the environment',
    { credential: '', env: { OPENAI_COMPATIBLE_API_KEY: 'key' } },
    'Bearer key',
  ],
])('request: the key: %s', (_, offered, authorization) => {
  const context = offer({ apiUrl, models: [], ...offered })
  expect(request(ask, 'm', context).headers).toEqual({ authorization })
  models(context)
  expect(context.sent[0]?.options.headers).toEqual({ authorization })
})

test.each([undefined, '', ' '])(
  'request, models: apiUrl %j is refused with the command to set it',
  missing => {
    const refusal = expect.objectContaining({
      kind: 'invalid-request',
      message:
        "Cannot tell which server to ask: providers.openai-compatible.apiUrl is not set. Set it to the server's base URL, for example: " +
        'airlock settings set providers.openai-compatible.apiUrl http://127.0.0.1:8080/v1',
    })
    const context = offer(missing === undefined ? {} : { apiUrl: missing })
    expect(() => request(ask, 'm', context)).toThrow(refusal)
    expect(() => models(context)).toThrow(refusal)
  },
)

const mine = { name: 'm', displayName: 'Mine', maxTokens: 1000, maxOutputTokens: 10 }
const served = {
  data: [{ id: 'm', context_length: 9, architecture: { input_modalities: ['text'] } }, { id: 'n' }],
}

test('models: those of the server', () => {
  const context = offer({ apiUrl, models: served })
  expect(models(context).map(model => [model.id, model.maxTokenCount])).toEqual([
    ['m', 9],
    ['n', 128_000],
  ])
  expect(context.sent.map(({ url }) => url)).toEqual(['http://127.0.0.1:8080/v1/models'])
})

test('models: those of the settings first, with what the server knows of them, then the others', () => {
  expect(models(offer({ apiUrl, availableModels: [mine], models: served }))).toMatchObject([
    {
      id: 'm',
      name: 'Mine',
      maxTokenCount: 1000,
      maxOutputTokens: 10,
      capabilities: { supportsImages: false },
    },
    { id: 'n' },
  ])
})

test.each<[name: string, offered: Offered]>([
  ['no answer', {}],
  ['404', { models: { detail: 'Not Found' }, status: 404 }],
  ['no list', { models: { ok: true } }],
])('models: %s from the server is an error, unless the settings name some', (_, offered) => {
  expect(() => models(offer({ apiUrl, ...offered }))).toThrow(
    expect.objectContaining({ name: 'ProviderError' }),
  )
  const context = offer({ apiUrl, availableModels: [mine], ...offered })
  expect(models(context).map(model => model.id)).toEqual(['m'])
  expect(context.warnings).toEqual([expect.stringContaining('only those of the settings are known')])
})
