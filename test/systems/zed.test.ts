// What the provider extensions of the Zed editor can say and ask, each row once, through a sandboxed extension.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Airlock,
  type CompletionEvent,
  type CompletionRequest,
  createAirlock,
  createMemoryStore,
  type DeviceFlowPrompt,
} from '../../host/index.ts'
import { mirrorExtension } from './mirror-extension.ts'

let home: string
let airlock: Airlock
const custom = {
  name: 'own',
  displayName: 'My own',
  maxTokens: 4096,
  maxOutputTokens: 512,
  thinkingBudget: 99,
}
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-zed-'))
  airlock = await createAirlock({
    home,
    env: { MIRROR_MOOD: 'calm', MIRROR_SECRET: 'hidden' },
    credentials: createMemoryStore(),
    settings: {
      providers: { mirror: { apiUrl: 'http://127.0.0.1:9/v1', availableModels: [custom] } },
      allowedEnv: { mirror: ['MIRROR_MOOD', 'MIRROR_SECRET'] },
    },
  })
  await airlock.load(await mirrorExtension())
}, 60_000)
afterAll(async () => {
  await airlock?.close()
  await rm(home, { recursive: true, force: true })
})

interface Told {
  request: Record<string, unknown> & { messages: { role: string; content: unknown[]; cache: boolean }[] }
  model: string
  settings: unknown
  credential: unknown
  mood: unknown
}

/** What reached the extension of a request. */
async function told(request: Partial<CompletionRequest>): Promise<Told> {
  const messages = [{ role: 'user' as const, content: 'hi' }]
  const { text } = await airlock.complete({ model: 'mirror/large', messages, ...request }).result()
  return JSON.parse(text)
}

/** What reaches the caller of these events of the extension. */
async function seen(events: unknown[], fail?: unknown): Promise<CompletionEvent[]> {
  const messages = [{ role: 'user' as const, content: 'hi' }]
  const providerOptions = { events, ...(fail !== undefined && { fail }) }
  const completion = airlock.complete({ model: 'mirror/large', messages, providerOptions })
  const got: CompletionEvent[] = []
  for await (const event of completion) got.push(event)
  return got
}

const stop = { type: 'stop', reason: 'end-turn' }

test('provider-info: id, name, and an icon that can be read', async () => {
  const [provider] = await airlock.providers()
  expect(provider).toMatchObject({ id: 'mirror', name: 'Mirror', reference: 'mirror', extension: 'mirror' })
  expect(await readFile(provider!.icon!, 'utf8')).toContain('<svg')
})

test('model-info: names, limits, capabilities, the default and the fast default', async () => {
  const { models } = await airlock.models({ provider: 'mirror' })
  const [large, small] = models
  expect(large).toMatchObject({
    id: 'large',
    name: 'Large',
    maxTokenCount: 100_000,
    maxOutputTokens: 4_000,
    isDefault: true,
    isDefaultFast: false,
  })
  expect(large!.capabilities).toMatchObject({
    supportsImages: true,
    supportsTools: true,
    supportsToolChoiceAuto: true,
    supportsToolChoiceAny: true,
    supportsToolChoiceNone: false,
    supportsThinking: true,
    toolInputFormat: 'json-schema',
  })
  expect(small).toMatchObject({ id: 'small', isDefault: false, isDefaultFast: true })
  expect(small).not.toHaveProperty('maxOutputTokens')
})

test('request-message: roles, text, images, tool uses, tool results, thinking, redacted thinking and the cache flag', async () => {
  const { request } = await told({
    messages: [
      { role: 'system', content: 'Be brief.', cache: true },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: 'iVBORw0=', mediaType: 'image/png', width: 3, height: 2 },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'hm', signature: 'sig==' },
          { type: 'redacted-thinking', data: 'opaque==' },
          { type: 'tool-use', id: 'a1', name: 'look', input: '{"at":1}', thoughtSignature: 'ts==' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool-result', toolUseId: 'a1', toolName: 'look', isError: true, content: 'nothing there' },
        ],
      },
    ],
  })
  expect(request.messages).toEqual([
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }], cache: true },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: 'iVBORw0=', mediaType: 'image/png', width: 3, height: 2 },
      ],
      cache: false,
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm', signature: 'sig==' },
        { type: 'redacted-thinking', data: 'opaque==' },
        {
          type: 'tool-use',
          id: 'a1',
          name: 'look',
          input: '{"at":1}',
          isInputComplete: true,
          thoughtSignature: 'ts==',
        },
      ],
      cache: false,
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool-result',
          toolUseId: 'a1',
          toolName: 'look',
          isError: true,
          content: [{ type: 'text', text: 'nothing there' }],
        },
      ],
      cache: false,
    },
  ])
})

test('tool-use: a call that is not complete says so', async () => {
  const { request } = await told({
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [{ type: 'tool-use', id: 'a1', name: 'look', input: '{"a', isInputComplete: false }],
      },
    ],
  })
  expect(request.messages[1]!.content[0]).toMatchObject({ isInputComplete: false, input: '{"a' })
})

test('tool-result-content: an image, and several parts of both kinds', async () => {
  const content = [
    { type: 'text' as const, text: 'a cat' },
    { type: 'image' as const, source: 'iVBORw0=', mediaType: 'image/png' },
  ]
  const { request } = await told({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool-use', id: 'a1', name: 'look', input: '{}' }] },
      { role: 'user', content: [{ type: 'tool-result', toolUseId: 'a1', toolName: 'look', content }] },
    ],
  })
  expect(request.messages[2]!.content[0]).toMatchObject({ isError: false, content })
})

test('completion-request: tools, tool choice, stop sequences, temperature, thinking and the limit of tokens', async () => {
  const inputSchema = { type: 'object', properties: { at: { type: 'integer' } } }
  const { request, model } = await told({
    tools: [{ name: 'look', description: 'Looks.', inputSchema }],
    toolChoice: 'any',
    stopSequences: ['END'],
    temperature: 0,
    thinkingAllowed: false,
    maxTokens: 7,
  })
  expect(model).toBe('large')
  expect(request).toMatchObject({
    tools: [{ name: 'look', description: 'Looks.', inputSchema }],
    toolChoice: 'any',
    stopSequences: ['END'],
    temperature: 0,
    thinkingAllowed: false,
    maxTokens: 7,
  })
})

test('completion-request: what the caller leaves out is absent, and thinking is allowed', async () => {
  const { request } = await told({})
  expect(Object.keys(request).sort()).toEqual([
    'messages',
    'providerOptions',
    'stopSequences',
    'thinkingAllowed',
    'tools',
  ])
  expect(request).toMatchObject({ tools: [], stopSequences: [], thinkingAllowed: true })
})

test.each(['auto', 'any', 'none'] as const)('tool-choice: %s', async toolChoice => {
  const tools = [{ name: 'look', inputSchema: { type: 'object' } }]
  expect((await told({ tools, toolChoice })).request.toolChoice).toBe(toolChoice)
})

test('tool-input-format: one schema in the form of each model, from whichever the caller has', async () => {
  const inputSchema = {
    type: 'object',
    properties: { size: { type: ['integer', 'null'], exclusiveMinimum: 0 } },
    required: ['size'],
    additionalProperties: false,
  }
  const schemaFor = async (model: string) => {
    const { request } = await told({ model, tools: [{ name: 'look', inputSchema }] })
    return (request.tools as { inputSchema: Record<string, unknown> }[])[0]!.inputSchema
  }
  expect(await schemaFor('mirror/large')).toEqual(inputSchema)
  expect(await schemaFor('mirror/google')).toEqual({
    type: 'object',
    properties: { size: { type: 'integer', nullable: true, minimum: 1 } },
    required: ['size'],
  })
  const simplified = await schemaFor('mirror/small')
  expect(simplified).toMatchObject({ type: 'object', required: ['size'] })
  expect(JSON.stringify(simplified)).not.toContain('exclusiveMinimum')
})

test('completion-event: every kind reaches the caller, in order, with started first and usage before stop', async () => {
  const events = [
    { type: 'thinking', text: 'hm', signature: 'sig==' },
    { type: 'redacted-thinking', data: 'opaque==' },
    { type: 'text', text: 'Hello' },
    { type: 'usage', inputTokens: 3, outputTokens: 1, cacheCreationInputTokens: 2, cacheReadInputTokens: 0 },
    { type: 'reasoning-details', data: '{"a":1}' },
    { type: 'tool-use', id: 'a1', name: 'look', input: '{"at":1}', thoughtSignature: 'ts==' },
    { type: 'stop', reason: 'tool-use' },
  ]
  const got = await seen(events)
  expect(got[0]).toEqual({ type: 'started' })
  expect(got.slice(1, -2)).toEqual(events.filter(({ type }) => type !== 'usage' && type !== 'stop'))
  expect(got.at(-2)).toMatchObject(events[3]!)
  expect(got.at(-1)).toEqual(events.at(-1))
})

test('tool-use: half a call as it streams, and the whole call at the end', async () => {
  const got = await seen([
    { type: 'tool-input-delta', id: 'a1', name: 'look', delta: '{"at"' },
    { type: 'tool-input-delta', id: 'a1', name: 'look', delta: ':1}' },
    { type: 'tool-use', id: 'a1', name: 'look', input: '{"at":1}' },
    { type: 'stop', reason: 'tool-use' },
  ])
  expect(got.slice(1, 4)).toEqual([
    { type: 'tool-input-delta', id: 'a1', name: 'look', delta: '{"at"' },
    { type: 'tool-input-delta', id: 'a1', name: 'look', delta: ':1}' },
    { type: 'tool-use', id: 'a1', name: 'look', input: '{"at":1}' },
  ])
})

test('tool-use-json-parse-error: the call is told apart, keeps what the model wrote, and stays in the history', async () => {
  const broken = { type: 'tool-use', id: 'a1', name: 'look', input: '{"at": nope}' }
  const messages = [{ role: 'user' as const, content: 'hi' }]
  const events = [broken, { type: 'stop', reason: 'tool-use' }]
  const result = await airlock
    .complete({ model: 'mirror/large', messages, providerOptions: { events } })
    .result()
  expect(result.toolUses).toEqual([])
  expect(result.brokenToolUses).toEqual([
    { id: 'a1', name: 'look', rawInput: '{"at": nope}', error: expect.any(String) },
  ])
  expect(result.parts).toEqual([{ type: 'tool-use', id: 'a1', name: 'look', input: '{}' }])
})

test.each(['end-turn', 'max-tokens', 'tool-use', 'refusal'])('stop-reason: %s', async reason => {
  expect((await seen([{ type: 'stop', reason }])).at(-1)).toEqual({ type: 'stop', reason })
})

test('token-usage: running totals are merged field by field, and 0 is not absent', async () => {
  const got = await seen([
    { type: 'usage', inputTokens: 10, outputTokens: 0, cacheReadInputTokens: 0 },
    { type: 'usage', inputTokens: 10, outputTokens: 4 },
    stop,
  ])
  const usage = got.find(event => event.type === 'usage')
  expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 4, cacheReadInputTokens: 0 })
  expect(usage).not.toHaveProperty('cacheCreationInputTokens')
})

test('provider-error: more than a text, and what came before it is kept', async () => {
  const fail = { kind: 'overloaded', message: 'Try later', code: 'busy', retryAfterMs: 120_000 }
  await expect(seen([{ type: 'text', text: 'Half' }], fail)).rejects.toMatchObject({
    name: 'ProviderError',
    kind: 'overloaded',
    message: expect.stringContaining('Try later'),
    code: 'busy',
    retryAfterMs: 120_000,
    provider: 'mirror',
    model: 'large',
    partial: [{ type: 'started' }, { type: 'text', text: 'Half' }],
  })
})

test('cache-configuration: how a model caches, and none where anchors mean nothing', async () => {
  expect(await airlock.cacheConfiguration('mirror/large')).toEqual({
    maxCacheAnchors: 2,
    shouldCacheToolDefinitions: true,
    minTotalTokenCount: 5,
  })
  expect(await airlock.cacheConfiguration('mirror/small')).toBeUndefined()
})

test('provider-settings: the address and every field of the models that the user named', async () => {
  expect((await told({})).settings).toEqual({ apiUrl: 'http://127.0.0.1:9/v1', availableModels: [custom] })
  const { models } = await airlock.models({ provider: 'mirror' })
  expect(models.find(({ id }) => id === 'own')).toMatchObject({
    reference: 'mirror/own',
    name: 'My own',
    maxTokenCount: 4096,
    maxOutputTokens: 512,
    capabilities: { supportsThinking: true },
  })
})

test('get-env-var: what manifest and user both name, and nothing else', async () => {
  expect((await told({})).mood).toBe('calm')
  const { extensions } = airlock.stats()
  expect(extensions.map(({ id }) => id)).toEqual(['mirror'])
})

test('get-, store- and delete-credential: kept by the host, and what the guest gets is a stand-in', async () => {
  await airlock.signIn('mirror', { option: 'key', ui: { form: async () => ({ key: 'mk-secret-1' }) } })
  const { credential } = await told({})
  expect(credential).toEqual(expect.any(String))
  expect(credential).not.toContain('mk-secret-1')
  expect(await airlock.isAuthenticated('mirror')).toBe(true)
  await airlock.signOut('mirror')
  expect((await told({})).credential).toBeUndefined()
  expect(await airlock.isAuthenticated('mirror')).toBe(false)
})

test('device-flow-prompt-info: every text reaches the person who signs in', async () => {
  const prompts: DeviceFlowPrompt[] = []
  await airlock.signIn('mirror', { option: 'device', ui: { showDeviceCode: prompt => prompts.push(prompt) } })
  expect(prompts).toMatchObject([
    {
      userCode: 'ABC-123',
      verificationUrl: 'https://mirror.example/device',
      headline: 'Use Mirror',
      description: 'An account is needed.',
      connectButtonLabel: 'Connect',
      successHeadline: 'Done',
      successMessage: 'You can close this.',
    },
  ])
  await airlock.signOut('mirror')
})

test('settings page: Markdown of the extension', async () => {
  expect(await airlock.settingsMarkdown('mirror')).toBe('# Mirror')
})
