import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import extension from '../../../extensions/openrouter/provider.ts'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { type Airlock, createAirlock } from '../../../host/runtime/airlock.ts'
import type { LogEntry } from '../../../host/runtime/log.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { startOpenRouter } from './service.ts'

vi.setConfig({ testTimeout: 60_000 })

const folder = join(repoRoot, 'extensions/openrouter')
const owner = { extension: 'openrouter', provider: 'openrouter' }

async function load(apiUrl: string, credentials = createMemoryStore()) {
  const home = await createTestHome({ extensions: [] })
  const log: LogEntry[] = []
  const airlock: Airlock = await createAirlock({
    home: home.folder,
    env: {},
    credentials,
    settings: { providers: { openrouter: { apiUrl } } },
    limits: { computeMs: 30_000 },
    log: entry => log.push(entry),
  })
  onTestFinished(async () => {
    await airlock.close()
    await home[Symbol.asyncDispose]()
  })
  await airlock.load(folder)
  return { airlock, credentials, log }
}

test('extension.json: one origin to reach, one to open, and an icon', () => {
  const file = join(folder, 'extension.json')
  const manifest = parseManifest(readFileSync(file, 'utf8'), file)
  expect(manifest.permissions).toMatchObject({
    network: ['https://openrouter.ai'],
    env: ['OPENROUTER_API_KEY'],
    credentials: 'use',
    browser: ['https://openrouter.ai'],
  })
  const [provider] = extension.providers
  expect(manifest.providers).toEqual([{ id: 'openrouter', name: 'OpenRouter', icon: provider?.icon }])
  expect(readFileSync(join(folder, provider?.icon ?? ''), 'utf8')).toMatch(/^<svg /)
})

test('signs in with the browser: PKCE, the state in the callback, a key for the code; then it chats', async () => {
  const service = await startOpenRouter()
  const { airlock, credentials, log } = await load(service.apiUrl)
  const opened: URL[] = []
  const { models } = await airlock.signIn('openrouter', {
    option: 'browser',
    ui: {
      async openBrowser(url) {
        opened.push(new URL(url))
        expect((await service.visit(url)).status).toBe(200)
      },
    },
  })
  const query = opened[0]?.searchParams
  expect(query?.get('code_challenge_method')).toBe('S256')
  expect(query?.get('callback_url')).toMatch(/^http:\/\/localhost:\d+\/callback\?state=[\w-]{43}$/)
  expect(await credentials.get(owner)).toBe(service.key)
  expect(models).toMatchObject([
    { reference: 'openrouter/openrouter/auto', isDefault: true, maxTokenCount: 2_000_000 },
    {
      reference: 'openrouter/acme/large',
      family: 'acme',
      maxTokenCount: 128_000,
      maxOutputTokens: 8_192,
      pricing: { input: 2.5, output: 10, cacheRead: 0.25 },
      capabilities: { supportsImages: false, supportsThinking: true, supportsStructuredOutput: true },
    },
  ])
  expect(models[0]).not.toHaveProperty('pricing')

  const answer = airlock.complete({
    model: 'openrouter/acme/large',
    messages: [{ role: 'user', content: 'hi' }],
    reasoningEffort: 'max',
  })
  expect((await answer.result()).text).toBe('hello')
  const sent = service.server.requests.at(-1)
  expect(sent?.headers).toMatchObject({ 'x-title': 'Airlock' })
  expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({
    model: 'acme/large',
    reasoning: { effort: 'xhigh' },
  })
  expect(JSON.stringify(log)).not.toContain(service.key)
})

test('a callback with another state is not used; a code that the service refuses ends the sign-in', async () => {
  const service = await startOpenRouter()
  const { airlock, credentials } = await load(service.apiUrl)
  const ignored: string[] = []
  const failed = airlock.signIn('openrouter', {
    option: 'browser',
    ui: {
      async openBrowser(url) {
        const callback = new URL(new URL(url).searchParams.get('callback_url') ?? '')
        callback.searchParams.set('code', 'stolen')
        const forged = new URL(callback)
        forged.searchParams.set('state', 'another')
        expect((await service.visit(forged.href)).status).toBe(400)
        await service.visit(callback.href)
      },
      progress(event) {
        if (event.type === 'ignored') ignored.push(event.reason)
      },
    },
  })
  await expect(failed).rejects.toMatchObject({
    name: 'ProviderError',
    message: 'Cannot exchange the code for a key: Invalid code',
  })
  expect(ignored).toEqual(['wrong-state'])
  expect(await credentials.get(owner)).toBeUndefined()
})

test('signs in with a key; without one it says what to do', async () => {
  const service = await startOpenRouter()
  const { airlock } = await load(service.apiUrl)
  const ask = { model: 'openrouter/acme/large', messages: [{ role: 'user' as const, content: 'hi' }] }
  await expect(airlock.complete(ask).result()).rejects.toMatchObject({
    kind: 'authentication',
    message: expect.stringContaining('airlock login openrouter'),
  })
  await airlock.signIn('openrouter', {
    option: 'api-key',
    ui: { form: async () => ({ apiKey: service.key }) },
  })
  expect((await airlock.complete(ask).result()).text).toBe('hello')
})
