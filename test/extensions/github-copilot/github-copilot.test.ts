import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import extension from '../../../extensions/github-copilot/provider.ts'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { createAirlock } from '../../../host/runtime/airlock.ts'
import type { LogEntry } from '../../../host/runtime/log.ts'
import type { RecordedRequest, Script } from '../../servers/scripted.ts'
import { startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

vi.setConfig({ testTimeout: 60_000 })

const folder = join(repoRoot, 'extensions/github-copilot')
const owner = { extension: 'github-copilot', provider: 'github-copilot' }
const GITHUB_TOKEN = 'gho_0123456789abcdefghijklmnop'
const COPILOT_TOKEN = 'tid=1;exp=2;sku=plus:0a1b2c3d4e5f'
const ask = { model: 'github-copilot/m', messages: [{ role: 'user' as const, content: 'hi' }] }

const json = (value: unknown, status = 200): Script => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: [JSON.stringify(value)],
})

const MODELS = [
  model('old', { policy: { state: 'unconfigured' } }),
  model('hidden', { model_picker_enabled: false }),
  model('other-dialect', { supported_endpoints: ['/responses'] }),
  model('embedding', { capabilities: { type: 'embeddings' } }),
  model('n', { policy: { state: 'enabled' }, supported_endpoints: ['/chat/completions', '/responses'] }),
  model('m', { is_chat_default: true }),
  { 'some-unknown-field': 1 },
]

function model(id: string, more: object = {}) {
  const limits = { max_context_window_tokens: 200_000, max_prompt_tokens: 90_000, max_output_tokens: 16_384 }
  const supports = { streaming: true, tool_calls: true, parallel_tool_calls: true, vision: true }
  const capabilities = { family: 'f', type: 'chat', limits, supports }
  return { id, name: id.toUpperCase(), model_picker_enabled: true, capabilities, ...more }
}

/** GitHub and Copilot at one address; each path answers as the test says, else well. */
async function start(more: Record<string, (request: RecordedRequest) => Script> = {}) {
  let polls = 0
  let issued = 0
  const server = await startScriptedServer((request): Script => {
    const own = more[request.path]
    if (own) return own(request)
    switch (request.path) {
      case '/login/device/code':
        return json({
          device_code: 'device',
          user_code: 'ABCD-1234',
          verification_uri: `${server.url}/login/device`,
          expires_in: 900,
          interval: 1,
        })
      case '/login/oauth/access_token':
        // With status 200, as GitHub does.
        return json(
          polls++ === 0
            ? { error: 'authorization_pending' }
            : { access_token: GITHUB_TOKEN, scope: 'read:user' },
        )
      case '/copilot_internal/v2/token':
        if (request.headers.authorization !== `token ${GITHUB_TOKEN}`)
          return json({ message: 'Bad credentials' }, 401)
        return json({
          token: `${COPILOT_TOKEN}${++issued}`,
          expires_at: Math.floor(Date.now() / 1000) + 1_800,
          refresh_in: 1_500,
          endpoints: { api: `${server.url}/copilot` },
        })
      case '/copilot/models':
        return json({ data: MODELS })
      case '/copilot/chat/completions':
        return request.headers.authorization === `Bearer ${COPILOT_TOKEN}${issued}`
          ? {
              body: [
                'data: {"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\n',
                'data: [DONE]\n\n',
              ],
            }
          : json({ message: 'unauthorized: token expired' }, 401)
      default:
        return json({ message: 'Not Found' }, 404)
    }
  })
  onTestFinished(() => server.close())
  const home = await createTestHome({ extensions: [] })
  const credentials = createMemoryStore()
  const log: LogEntry[] = []
  const airlock = await createAirlock({
    home: home.folder,
    env: {},
    credentials,
    settings: { providers: { 'github-copilot': { apiUrl: server.url } } },
    limits: { computeMs: 30_000 },
    log: entry => log.push(entry),
  })
  onTestFinished(async () => {
    await airlock.close()
    await home[Symbol.asyncDispose]()
  })
  await airlock.load(folder)
  const paths = () => server.requests.map(({ path }) => path)
  return { server, airlock, credentials, log, paths, issued: () => issued }
}

test('extension.json: GitHub and Copilot, and an icon', () => {
  const file = join(folder, 'extension.json')
  const manifest = parseManifest(readFileSync(file, 'utf8'), file)
  expect(manifest.permissions).toMatchObject({
    network: ['https://github.com', 'https://api.github.com', 'https://*.githubcopilot.com'],
    credentials: 'use',
    browser: ['https://github.com'],
  })
  const [provider] = extension.providers
  expect(manifest.providers).toEqual([{ id: 'github-copilot', name: 'GitHub Copilot', icon: provider?.icon }])
  expect(readFileSync(join(folder, provider?.icon ?? ''), 'utf8')).toMatch(/^<svg /)
})

test('signs in with a code, lists what the account may chat with, chats, and renews its token', async () => {
  const { server, airlock, credentials, log, paths, issued } = await start()
  const codes: string[] = []
  const result = await airlock.signIn('github-copilot', {
    ui: { showDeviceCode: ({ userCode, verificationUrl }) => void codes.push(userCode, verificationUrl) },
  })
  expect(codes).toEqual(['ABCD-1234', `${server.url}/login/device`])
  expect(new URLSearchParams(server.requests[0]?.body.toString()).get('scope')).toBe('read:user')
  expect(result.models).toMatchObject([
    { id: 'm', name: 'M', isDefault: true, maxTokenCount: 90_000, maxOutputTokens: 16_384 },
    { id: 'n', capabilities: { supportsImages: true, supportsTools: true } },
  ])
  expect(JSON.parse((await credentials.get(owner)) ?? '')).toMatchObject({
    githubToken: GITHUB_TOKEN,
    accessToken: `${COPILOT_TOKEN}1`,
    public: { apiUrl: `${server.url}/copilot` },
  })
  expect(await credentials.describe(owner)).toMatchObject({ option: 'github', expiresAt: expect.any(Number) })

  expect((await airlock.complete(ask).result()).text).toBe('hello')
  expect(server.requests.at(-1)?.headers).toMatchObject({
    'copilot-integration-id': 'vscode-chat',
    'editor-version': expect.stringMatching(/^Airlock\//),
    'x-initiator': 'user',
  })

  await credentials.update(owner, now => now && { ...now, expiresAt: Date.now() })
  expect((await airlock.complete(ask).result()).text).toBe('hello')
  expect(paths().slice(-2)).toEqual(['/copilot_internal/v2/token', '/copilot/chat/completions'])
  expect(issued()).toBe(2)
  // GitHub's own token was a stand-in in the guest, and is itself again in the store.
  expect(JSON.parse((await credentials.get(owner)) ?? '')).toMatchObject({
    githubToken: GITHUB_TOKEN,
    accessToken: `${COPILOT_TOKEN}2`,
  })
  const told = JSON.stringify(log)
  expect(told).not.toContain(GITHUB_TOKEN)
  expect(told).not.toContain(COPILOT_TOKEN)
})

test('says that a request comes from an agent, and that it holds an image', async () => {
  const { server, airlock } = await start()
  await airlock.signIn('github-copilot', { ui: {} })
  const source =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const look = { type: 'image' as const, source, mediaType: 'image/png' }
  await airlock
    .complete({
      model: 'github-copilot/m',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look' }, look] },
        { role: 'assistant', content: [{ type: 'tool-use', id: 'a', name: 'f', input: '{}' }] },
        { role: 'user', content: [{ type: 'tool-result', toolUseId: 'a', toolName: 'f', content: 'x' }] },
      ],
      tools: [{ name: 'f', description: 'f', inputSchema: { type: 'object' } }],
    })
    .result()
  expect(server.requests.at(-1)?.headers).toMatchObject({
    'x-initiator': 'agent',
    'copilot-vision-request': 'true',
  })
})

test.each([
  ['denied', { '/login/oauth/access_token': () => json({ error: 'access_denied' }) }, 'declined'],
  [
    'an account without Copilot',
    { '/copilot_internal/v2/token': () => json({ message: 'No access to GitHub Copilot found.' }, 403) },
    'may not use Copilot: No access to GitHub Copilot found.',
  ],
])('%s: the sign-in ends with that, and nothing is stored', async (_, more, message) => {
  const { airlock, credentials } = await start(more)
  await expect(airlock.signIn('github-copilot', { ui: {} })).rejects.toThrow(message)
  expect(await credentials.get(owner)).toBeUndefined()
})

test('a sign-in that GitHub takes no more is over, and says what to do', async () => {
  const { airlock, credentials } = await start()
  const value = {
    githubToken: 'gho_revoked',
    accessToken: 'old',
    expiresAt: 1,
    public: { apiUrl: 'https://x' },
  }
  await credentials.set(owner, JSON.stringify(value), { expiresAt: 1 })
  await expect(airlock.complete(ask).result()).rejects.toMatchObject({
    code: 'sign-in-needed',
    message: expect.stringContaining('airlock login github-copilot'),
  })
  expect(await credentials.get(owner)).toBeUndefined()
})
