import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningComponent, request, runComponent } from './run-component.ts'

// Building and transpiling take seconds each on a machine that does other things.
vi.setConfig({ hookTimeout: 120_000 })

const kindAndMessage = (kind: string, message: string | RegExp) =>
  expect.objectContaining({
    kind,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })

describe('a provider with nothing but what is needed', () => {
  let component: RunningComponent
  const credentials = new Map<string, string>()
  beforeAll(async () => {
    component = await runComponent(
      {
        'provider.ts': `
          import { defineProvider } from '@airlock/guest-sdk'
          export default defineProvider({
            id: 'acme',
            name: 'Acme',
            models: () => [{ id: 'm', maxTokenCount: 1000 }],
            request: (request, model) => ({ url: 'https://acme.test/v1', body: { model, request } }),
            decode: () => ({ frame(frame, emit) { emit({ type: 'text', text: frame.data }) } }),
          })`,
      },
      { credentials },
    )
  })
  afterAll(() => component[Symbol.asyncDispose]())

  test('lists itself and its models, everything filled in', async () => {
    expect(await component.provider.providers()).toEqual([{ id: 'acme', name: 'Acme', icon: undefined }])
    expect(await component.provider.models('acme')).toEqual([
      {
        id: 'm',
        name: 'm',
        family: undefined,
        maxTokenCount: 1000n,
        maxOutputTokens: undefined,
        pricing: undefined,
        isDefault: false,
        isDefaultFast: false,
        capabilities: {
          supportsImages: false,
          supportsFiles: false,
          supportsTools: false,
          supportsToolChoiceAuto: false,
          supportsToolChoiceAny: false,
          supportsToolChoiceNone: false,
          supportsToolChoiceTool: false,
          supportsParallelToolCalls: false,
          supportsThinking: false,
          supportsStructuredOutput: false,
          supportsStreaming: true,
          toolInputFormat: 'json-schema',
          maxTools: undefined,
        },
      },
    ])
  })

  test('has a default for every other export', async () => {
    const { provider } = component
    expect(await provider.getCacheConfiguration('acme', 'm')).toBeUndefined()
    expect(await provider.signInOptions('acme')).toEqual([])
    expect(await provider.settingsMarkdown('acme')).toBeUndefined()
    expect(await provider.isAuthenticated('acme')).toBe(true)
    expect(await provider.refreshCredential('acme')).toBe(false)
    await expect(provider.countTokens('acme', 'm', request())).rejects.toEqual(
      kindAndMessage('unsupported', 'Acme counts no tokens'),
    )
    await expect(provider.startDeviceFlow('acme', 'x')).rejects.toEqual(
      kindAndMessage('unsupported', /device flow/),
    )
    await expect(provider.pollDeviceFlow('acme', 'x')).rejects.toEqual(
      kindAndMessage('unsupported', /device flow/),
    )
    await expect(provider.signIn('acme', 'x', undefined)).rejects.toEqual(
      kindAndMessage('unsupported', /sign in/),
    )
    await provider.signIn('acme', 'key', '{"key":"s3cret"}')
    expect(credentials.get('acme')).toBe('s3cret')
    await provider.signIn('acme', 'keys', '{"id":"a","secret":"b"}')
    expect(credentials.get('acme')).toBe('{"id":"a","secret":"b"}')
    await provider.signOut('acme')
    expect(credentials.size).toBe(0)
  })

  test('gives the whole request to its author and the HTTP request to the host', async () => {
    const started = await component.provider.startCompletion('acme', 'm', {
      messages: [
        { role: 'system', content: [{ tag: 'text', val: 'brief' }], cache: true },
        {
          role: 'user',
          content: [
            { tag: 'image', val: { source: 'aGk=', mediaType: 'image/png', width: 2 } },
            { tag: 'file', val: { source: 'aGk=', mediaType: 'application/pdf', name: 'a.pdf' } },
          ],
          cache: false,
        },
        {
          role: 'assistant',
          content: [
            { tag: 'thinking', val: { text: 'hm', signature: 'sig' } },
            { tag: 'redacted-thinking', val: 'opaque' },
            { tag: 'reasoning-details', val: '[1]' },
            { tag: 'provider-content', val: '{}' },
            {
              tag: 'tool-use',
              val: { id: 't', name: 'f', input: '{}', isInputComplete: true, thoughtSignature: 'ts' },
            },
          ],
          cache: false,
        },
        {
          role: 'user',
          content: [
            {
              tag: 'tool-result',
              val: {
                toolUseId: 't',
                toolName: 'f',
                isError: false,
                content: [
                  { tag: 'text', val: 'r' },
                  { tag: 'image', val: { source: 'https://x.test/i.png' } },
                ],
              },
            },
          ],
          cache: false,
        },
      ],
      tools: [{ name: 'f', description: 'd', inputSchema: '{"type":"object"}' }],
      toolChoice: { tag: 'tool', val: 'f' },
      parallelToolCalls: false,
      stopSequences: ['END'],
      temperature: 0.7,
      topP: Math.fround(0.9),
      seed: -5n,
      thinkingAllowed: false,
      reasoningEffort: 'high',
      responseFormat: { name: 'r', schema: '{"type":"array"}', strict: true },
      maxTokens: 12n,
      providerOptions: '{"__proto__":{"x":1},"a":true}',
    })
    expect(started.framing).toBe('server-sent-events')
    expect(started.request).toMatchObject({
      method: 'post',
      url: 'https://acme.test/v1',
      headers: [['content-type', 'application/json']],
      redirectPolicy: { tag: 'follow-all' },
    })
    const body: unknown = JSON.parse(Buffer.from(started.request!.body!).toString())
    expect(body).toEqual({
      model: 'm',
      request: {
        messages: [
          { role: 'system', content: [{ type: 'text', text: 'brief' }], cache: true },
          {
            role: 'user',
            content: [
              { type: 'image', source: 'aGk=', mediaType: 'image/png', width: 2 },
              { type: 'file', source: 'aGk=', mediaType: 'application/pdf', name: 'a.pdf' },
            ],
            cache: false,
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', text: 'hm', signature: 'sig' },
              { type: 'redacted-thinking', data: 'opaque' },
              { type: 'reasoning-details', data: '[1]' },
              { type: 'provider-content', data: '{}' },
              {
                type: 'tool-use',
                id: 't',
                name: 'f',
                input: '{}',
                isInputComplete: true,
                thoughtSignature: 'ts',
              },
            ],
            cache: false,
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool-result',
                toolUseId: 't',
                toolName: 'f',
                isError: false,
                content: [
                  { type: 'text', text: 'r' },
                  { type: 'image', source: 'https://x.test/i.png' },
                ],
              },
            ],
            cache: false,
          },
        ],
        tools: [{ name: 'f', description: 'd', inputSchema: { type: 'object' } }],
        toolChoice: { tool: 'f' },
        parallelToolCalls: false,
        stopSequences: ['END'],
        temperature: 0.7,
        topP: 0.9,
        seed: -5,
        thinkingAllowed: false,
        reasoningEffort: 'high',
        responseFormat: { name: 'r', schema: { type: 'array' }, strict: true },
        maxTokens: 12,
        providerOptions: JSON.parse('{"__proto__":{"x":1},"a":true}'),
      },
    })
    expect(Buffer.from(started.request!.body!).toString()).toContain('"__proto__":{"x":1}')
  })

  test('an absent field of the request is absent', async () => {
    const started = await component.provider.startCompletion('acme', 'm', request())
    expect(JSON.parse(Buffer.from(started.request!.body!).toString())).toEqual({
      model: 'm',
      request: {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], cache: false }],
        tools: [],
        stopSequences: [],
        thinkingAllowed: true,
        providerOptions: {},
      },
    })
  })

  test('rejects by status and the text of the error', async () => {
    const { completion } = await component.provider.startCompletion('acme', 'm', request())
    const headers: [string, string][] = [['Retry-After', '2']]
    const body = Buffer.from('{"error":{"message":"slow down","type":"rate_limit_error"}}')
    expect(await completion.reject({ status: 429, headers, body })).toEqual({
      kind: 'rate-limited',
      message: 'slow down',
      status: 429,
      code: 'rate_limit_error',
      retryAfterMs: 2000n,
    })
  })

  test('a provider that is not there is named with those that are', async () => {
    await expect(component.provider.models('other')).rejects.toEqual(
      kindAndMessage('invalid-request', 'This extension has no provider "other"; it has acme'),
    )
    expect(await component.provider.isAuthenticated('other')).toBe(false)
    expect(await component.provider.signInOptions('other')).toEqual([])
  })
})

describe('what authors return and throw', () => {
  let component: RunningComponent
  const env: Record<string, string> = {}
  beforeAll(async () => {
    component = await runComponent(
      {
        'provider.ts': `
          import { defineProvider, ProviderError } from '@airlock/guest-sdk'
          import { misbehave } from './misbehave.ts'
          export default defineProvider({
            id: 'acme', name: 'Acme',
            models: context => misbehave('models', context) ?? [{ id: 'm', maxTokenCount: 1 }],
            request: (request, model, context) => misbehave('request', context) ?? { url: 'https://acme.test/' },
            decode: ({ context }) => misbehave('decode', context) ?? {
              frame(frame, emit) {
                emit({ type: 'text', text: 'before' })
                return misbehave('frame', context)
              },
              end(emit) { return misbehave('end', context) },
            },
            reject: (response, { context }) => misbehave('reject', context) ?? { kind: 'other', message: 'own' },
            countTokens: (request, model, context) => misbehave('countTokens', context) ?? 7,
            cacheConfiguration: model => misbehave(model) ?? { maxCacheAnchors: 4, shouldCacheToolDefinitions: true, minTotalTokenCount: 1024 },
            signInOptions: context => misbehave('signInOptions', context) ?? [
              { id: 'key', label: 'Key', method: { type: 'form', fields: [{ key: 'key', label: 'Key' }] } },
              { id: 'device', label: 'Device', method: { type: 'device-flow' } },
            ],
            isAuthenticated: context => misbehave('isAuthenticated', context) ?? true,
            signIn: (option, form, context) => misbehave('signIn', context),
            signOut: context => misbehave('signOut', context),
            refreshCredential: context => misbehave('refreshCredential', context) ?? true,
            startDeviceFlow: (option, context) => misbehave('startDeviceFlow', context) ?? {
              prompt: { userCode: 'A', verificationUrl: 'https://a.test/', headline: 'h', description: 'd', connectButtonLabel: 'c', successHeadline: 's', successMessage: 'm' },
              state: 'st', pollIntervalSeconds: 5, expiresInSeconds: 900,
            },
            pollDeviceFlow: (state, context) => misbehave('pollDeviceFlow', context) ?? (state === 'slow' ? { slowDownSeconds: 10 } : 'pending'),
            settingsMarkdown: context => misbehave('settingsMarkdown', context) ?? '# Acme',
          })`,
        'misbehave.ts': `
          import { ProviderError } from '@airlock/guest-sdk'
          let mode = ''
          export function misbehave(name: string, context?: { env(name: string): string | undefined }): any {
            const [which, how] = (context?.env('MISBEHAVE') ?? name).split(' ')
            if (which !== name && context !== undefined) return undefined
            switch (how) {
              case 'throw': throw new Error('thrown by ' + name)
              case 'promise': return Promise.resolve()
              case 'thenable': return { then() {} }
              case 'string': throw 'only a string'
              case 'own': throw new ProviderError({ kind: 'quota-exhausted', message: 'no money', code: 'c', retryAfterMs: 1.5 })
              case 'hostile': throw { toString() { throw new Error('again') } }
              case 'number': return 5
              case 'text': return '\\ud83d'
              case 'empty': return {}
              case 'list': return [undefined]
            }
            return undefined
          }`,
      },
      { env },
    )
  })
  afterAll(() => component[Symbol.asyncDispose]())

  type Call = (provider: RunningComponent['provider']) => Promise<unknown>
  const failing: Record<string, Call> = {
    models: provider => provider.models('acme'),
    request: provider => provider.startCompletion('acme', 'm', request()),
    decode: provider => provider.startCompletion('acme', 'm', request()),
    countTokens: provider => provider.countTokens('acme', 'm', request()),
    signIn: provider => provider.signIn('acme', 'key', '{}'),
    signOut: provider => provider.signOut('acme'),
    refreshCredential: provider => provider.refreshCredential('acme'),
    startDeviceFlow: provider => provider.startDeviceFlow('acme', 'device'),
    pollDeviceFlow: provider => provider.pollDeviceFlow('acme', 'st'),
    end: async provider => (await provider.startCompletion('acme', 'm', request())).completion.finish(),
  }
  const infallible: Record<string, [call: Call, fallback: unknown, own: unknown]> = {
    signInOptions: [provider => provider.signInOptions('acme'), [], expect.arrayContaining([])],
    isAuthenticated: [provider => provider.isAuthenticated('acme'), false, true],
    settingsMarkdown: [provider => provider.settingsMarkdown('acme'), undefined, '# Acme'],
  }

  test('everything answers when nothing is wrong', async () => {
    const { provider } = component
    env.MISBEHAVE = ''
    for (const call of Object.values(failing)) await call(provider)
    for (const [call, , own] of Object.values(infallible)) expect(await call(provider)).toEqual(own)
    expect(await provider.getCacheConfiguration('acme', 'm')).toEqual({
      maxCacheAnchors: 4,
      shouldCacheToolDefinitions: true,
      minTotalTokenCount: 1024n,
    })
    expect(await provider.signInOptions('acme')).toEqual([
      {
        id: 'key',
        label: 'Key',
        method: {
          tag: 'form',
          val: [{ key: 'key', label: 'Key', secret: true, required: true, placeholder: undefined }],
        },
      },
      { id: 'device', label: 'Device', method: { tag: 'device-flow', val: undefined } },
    ])
    expect(await provider.pollDeviceFlow('acme', 'slow')).toEqual({ tag: 'slow-down', val: 10 })
    expect(await provider.startDeviceFlow('acme', 'device')).toMatchObject({
      state: 'st',
      expiresInSecs: 900,
    })
  })

  for (const [name, call] of Object.entries(failing)) {
    test(`${name} that throws or returns a promise fails, and the instance lives`, async () => {
      const { provider, log } = component
      log.length = 0
      env.MISBEHAVE = `${name} throw`
      await expect(call(provider)).rejects.toEqual(kindAndMessage('other', `thrown by ${name}`))
      expect(log).toEqual([
        {
          level: 'error',
          message: expect.stringMatching(
            new RegExp(
              `^${name}\\(\\) of provider acme threw Error: thrown by ${name}\\n {4}at misbehave \\(`,
            ),
          ),
        },
      ])
      for (const how of ['promise', 'thenable']) {
        env.MISBEHAVE = `${name} ${how}`
        await expect(call(provider)).rejects.toEqual(
          kindAndMessage(
            'other',
            `${name}() of provider acme returned a promise; provider functions are synchronous: call context.fetch(), which blocks`,
          ),
        )
      }
      env.MISBEHAVE = `${name} own`
      await expect(call(provider)).rejects.toEqual({
        kind: 'quota-exhausted',
        message: 'no money',
        status: undefined,
        code: 'c',
        retryAfterMs: 2n,
      })
      env.MISBEHAVE = `${name} string`
      await expect(call(provider)).rejects.toEqual(kindAndMessage('other', 'only a string'))
      env.MISBEHAVE = `${name} hostile`
      await expect(call(provider)).rejects.toEqual(kindAndMessage('other', /cannot be read/))
    })
  }

  for (const [name, [call, fallback]] of Object.entries(infallible)) {
    test(`${name} that throws or returns a promise is logged, and its default stands in`, async () => {
      for (const how of ['throw', 'promise', 'hostile']) {
        component.log.length = 0
        env.MISBEHAVE = `${name} ${how}`
        expect(await call(component.provider)).toEqual(fallback)
        expect(component.log).toHaveLength(1)
        expect(component.log[0]!.message).toContain(`${name}() of provider acme`)
      }
    })
  }

  test('values that the contract does not know are refused by name', async () => {
    const { provider } = component
    const cases: [string, Call, RegExp][] = [
      ['models number', failing.models!, /result of models\(\) must be an array: it is 5/],
      ['models list', failing.models!, /models\(\)\[0\] must be an object: it is undefined/],
      ['request empty', failing.request!, /url must be an absolute/],
      ['decode number', failing.decode!, /result of decode\(\) must be an object/],
      ['countTokens text', failing.countTokens!, /result of countTokens\(\) must be a number/],
      ['startDeviceFlow empty', failing.startDeviceFlow!, /prompt/],
      ['pollDeviceFlow empty', failing.pollDeviceFlow!, /slowDownSeconds must be a number/],
    ]
    for (const [mode, call, message] of cases) {
      env.MISBEHAVE = mode
      await expect(call(provider)).rejects.toEqual(kindAndMessage('other', message))
    }
    env.MISBEHAVE = 'settingsMarkdown text'
    expect(await provider.settingsMarkdown('acme')).toBe('\ufffd')
    env.MISBEHAVE = 'isAuthenticated number'
    expect(await provider.isAuthenticated('acme')).toBe(false)
  })

  test('frame that throws keeps the events before it', async () => {
    env.MISBEHAVE = 'frame throw'
    const { completion } = await component.provider.startCompletion('acme', 'm', request())
    const frame = { tag: 'event', val: { data: 'x' } } as const
    const failed = (message: string | RegExp) => ({ tag: 'failed', val: kindAndMessage('other', message) })
    expect(await completion.decode([frame, frame])).toEqual([
      { tag: 'text', val: 'before' },
      failed('thrown by frame'),
    ])
    env.MISBEHAVE = 'frame promise'
    const again = (await component.provider.startCompletion('acme', 'm', request())).completion
    expect((await again.decode([frame])).at(-1)).toEqual(
      failed(/^frame\(\) of provider acme returned a promise/),
    )
  })

  test('reject that throws falls back on the error of the response', async () => {
    const { completion } = await component.provider.startCompletion('acme', 'm', request())
    const response = { status: 503, headers: [] as [string, string][], body: new Uint8Array() }
    for (const how of ['throw', 'promise', 'hostile']) {
      env.MISBEHAVE = `reject ${how}`
      expect(await completion.reject(response)).toEqual(kindAndMessage('overloaded', /status 503/))
    }
    env.MISBEHAVE = 'reject empty'
    expect(await completion.reject(response)).toMatchObject({ kind: 'other', status: 503 })
    env.MISBEHAVE = ''
    expect(await completion.reject(response)).toMatchObject({ kind: 'other', message: 'own', status: 503 })
  })
})
