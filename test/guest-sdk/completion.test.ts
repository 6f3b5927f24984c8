import { readFile } from 'node:fs/promises'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { CompletionEvent } from '../../guest-sdk/index.ts'
import { type RunningComponent, request, runComponent } from './run-component.ts'

// Building and transpiling take seconds each on a machine that does other things.
vi.setConfig({ hookTimeout: 120_000 })

const provider = `
import { defineProvider, defineProviders, ProviderError } from '@airlock/guest-sdk'

const events = defineProvider({
  id: 'events', name: 'Events', models: () => [],
  request: () => ({ url: new URL('https://acme.test/v1'), method: 'post', headers: { 'x-a': '1', 'x-none': undefined }, body: 'text é', maxRedirects: 0 }),
  decode: () => ({
    frame(frame, emit) {
      if (frame.data === 'throw') {
        throw new Error('thrown on purpose') // line 10
      }
      if (frame.data === 'recurse') { const deeper = (n: number): number => deeper(n + 1) + 1; deeper(0) }
      if (frame.data === 'frame') { emit({ type: 'text', text: JSON.stringify(frame) + ('event' in frame && frame.event === undefined) }); return }
      for (const event of JSON.parse(frame.data)) emit(event)
    },
    end(emit) { emit({ type: 'stop', reason: 'end-turn' }) },
  }),
})
const framed = (id: 'lines' | 'whole' | 'bytes') => defineProvider({
  id, name: id, models: () => [],
  request: () => ({ url: 'https://acme.test/v1', framing: id, headers: [['a', '1'], ['a', '2']], body: new Uint8Array([1, 2]) }),
  decode: () => ({ frame(frame, emit) { emit({ type: 'text', text: 'bytes' in frame ? [...frame.bytes].join() : frame.text }) } }),
})
const computed = defineProvider({
  id: 'computed', name: 'Computed', models: () => [],
  *respond(request, model, context) {
    const count = Number(model)
    for (let index = 0; index < count; index++) {
      if (context.env('WAIT') === String(index)) context.fetch('https://acme.test/wait')
      if (context.env('THROW') === String(index)) throw new ProviderError({ kind: 'overloaded', message: 'too much' })
      yield { type: 'text', text: String(index) }
    }
  },
})
const asynchronous = defineProvider({
  id: 'asynchronous', name: 'Async', models: () => [],
  // @ts-expect-error: on purpose
  async *respond() { yield { type: 'text', text: 'never' } },
})
const fetching = defineProvider({
  id: 'fetching', name: 'Fetching',
  models(context) {
    const settings = context.settings()
    const response = context.fetch('https://acme.test/models', { headers: { authorization: 'Bearer ' + context.credential() } })
    const body = response.json() as { names: string[] }
    return body.names.map(id => ({ id, name: [response.status, response.ok, response.header('X-Id'), settings?.availableModels[0]?.name, context.now()].join(), maxTokenCount: 5 }))
  },
  respond: () => [],
  signIn(option, form, context) {
    const { callbackUrl } = context.browserSignIn({ authUrl: 'https://acme.test/auth?port={port}', callbackPath: '/cb' })
    context.storeCredential(new URL(callbackUrl).searchParams.get('code')!)
    context.openBrowser('https://acme.test/')
  },
})
export default defineProviders([events, framed('lines'), framed('whole'), framed('bytes'), computed, asynchronous, fetching])
`

const ids = ['events', 'lines', 'whole', 'bytes', 'computed', 'asynchronous', 'fetching']
let component: RunningComponent
const env: Record<string, string> = {}
const sent: { method: string; url: string; headers: [string, string][] }[] = []
let answer = { status: 200, headers: [['x-id', '7']] as [string, string][], body: '{"names":["ä"]}' }
const credentials = new Map([['fetching', 'key']])

beforeAll(async () => {
  component = await runComponent(
    {
      'provider.ts': provider,
      'extension.json': JSON.stringify({
        id: 'acme',
        name: 'Acme',
        contract: 'airlock:llm@0.1.0',
        component: 'dist/acme.wasm',
        providers: ids.map(id => ({ id })),
      }),
    },
    {
      env,
      credentials,
      settings: { availableModels: [{ name: 'custom', maxTokens: 5n }] },
      fetch(request) {
        sent.push(request)
        return { ...answer, body: Buffer.from(answer.body) }
      },
    },
  )
})
afterAll(() => component[Symbol.asyncDispose]())

const start = (id: string, model = 'm') => component.provider.startCompletion(id, model, request())

async function emitted(...groups: unknown[][]) {
  const { completion } = await start('events')
  const events = []
  for (const group of groups) {
    events.push(...(await completion.decode([{ tag: 'event', val: { data: JSON.stringify(group) } }])))
  }
  return [...events, ...(await completion.finish())]
}

const STOP = { tag: 'stop', val: 'end-turn' }

test('every event reaches the host, absent fields absent', async () => {
  const cases: [CompletionEvent, object][] = [
    [{ type: 'started' }, { tag: 'started' }],
    [
      { type: 'response-metadata', id: 'i' },
      { tag: 'response-metadata', val: { id: 'i', model: undefined } },
    ],
    [
      { type: 'text', text: 'é😀' },
      { tag: 'text', val: 'é😀' },
    ],
    [
      { type: 'thinking', text: 't' },
      { tag: 'thinking', val: { text: 't', signature: undefined } },
    ],
    [
      { type: 'thinking', text: '', signature: 's' },
      { tag: 'thinking', val: { text: '', signature: 's' } },
    ],
    [
      { type: 'redacted-thinking', data: 'r' },
      { tag: 'redacted-thinking', val: 'r' },
    ],
    [
      { type: 'tool-input-delta', id: 'a', name: 'f', delta: '{' },
      { tag: 'tool-input-delta', val: { toolUseId: 'a', toolName: 'f', delta: '{' } },
    ],
    [
      { type: 'tool-use', id: 'a', name: 'f', input: '{}' },
      {
        tag: 'tool-use',
        val: { id: 'a', name: 'f', input: '{}', isInputComplete: true, thoughtSignature: undefined },
      },
    ],
    [
      { type: 'tool-use', id: 'a', name: 'f', input: '{', isInputComplete: false, thoughtSignature: 's' },
      {
        tag: 'tool-use',
        val: { id: 'a', name: 'f', input: '{', isInputComplete: false, thoughtSignature: 's' },
      },
    ],
    [
      { type: 'tool-use-json-parse-error', id: 'a', name: 'f', rawInput: '{', error: 'e' },
      { tag: 'tool-use-json-parse-error', val: { id: 'a', toolName: 'f', rawInput: '{', error: 'e' } },
    ],
    [
      { type: 'image', source: 'aGk=', mediaType: 'image/png', width: 1 },
      { tag: 'image', val: { source: 'aGk=', mediaType: 'image/png', width: 1, height: undefined } },
    ],
    [
      { type: 'citation', url: 'u' },
      { tag: 'citation', val: { url: 'u', title: undefined, text: undefined } },
    ],
    [
      { type: 'reasoning-details', data: '[]' },
      { tag: 'reasoning-details', val: '[]' },
    ],
    [
      { type: 'provider-content', data: '{}' },
      { tag: 'provider-content', val: '{}' },
    ],
    [
      { type: 'usage', inputTokens: 1, outputTokens: 2.9, totalTokens: 2 ** 40 },
      {
        tag: 'usage',
        val: {
          inputTokens: 1n,
          outputTokens: 2n,
          cacheCreationInputTokens: undefined,
          cacheReadInputTokens: undefined,
          reasoningTokens: undefined,
          totalTokens: 2n ** 40n,
        },
      },
    ],
    [
      { type: 'stop', reason: 'content-filter' },
      { tag: 'stop', val: 'content-filter' },
    ],
  ]
  const events = await emitted(cases.map(([event]) => event))
  expect(events).toEqual([...cases.map(([, expected]) => expected), STOP])
})

test('an event that the contract does not know is refused by name, and the instance lives', async () => {
  const cases: [unknown, string][] = [
    [{ type: 'txt' }, 'Cannot emit an event of type "txt"'],
    [{ type: 'text' }, 'text of a "text" event must be a string: it is undefined'],
    [{ type: 'text', text: null }, 'text of a "text" event must be a string: it is null'],
    [{ type: 'stop', reason: 'length' }, 'reason of a "stop" event must be one of end-turn'],
    [
      { type: 'usage', inputTokens: -1, outputTokens: 0 },
      'inputTokens of a "usage" event must be a number from 0: it is -1',
    ],
    [{ type: 'tool-use', id: 'a', name: 'f', input: {} }, 'input of a "tool-use" event must be a string'],
    [
      { type: 'image', source: 'x', width: 2 ** 33 },
      'width of an "image" event must be a number from 0 to 4294967295',
    ],
    [null, ''],
  ]
  for (const [event, message] of cases) {
    await expect(emitted([event])).rejects.toMatchObject({
      kind: 'other',
      message: expect.stringContaining(message),
    })
  }
})

test('half a surrogate pair waits for its other half, in each channel of its own', async () => {
  const thinking = (text: string) => ({ type: 'thinking', text })
  const delta = (id: string, delta: string) => ({ type: 'tool-input-delta', id, name: 'f', delta })
  const text = (text: string) => ({ type: 'text', text })
  expect(
    await emitted(
      [text('a\ud83d'), thinking('\ud83d'), delta('x', '1\ud83d')],
      [delta('y', '2'), text('\ude00b')],
      [delta('x', '\ude01'), thinking('\ude02'), text('c')],
    ),
  ).toEqual([
    { tag: 'text', val: 'a' },
    { tag: 'tool-input-delta', val: { toolUseId: 'x', toolName: 'f', delta: '1' } },
    { tag: 'tool-input-delta', val: { toolUseId: 'y', toolName: 'f', delta: '2' } },
    { tag: 'text', val: '😀b' },
    { tag: 'tool-input-delta', val: { toolUseId: 'x', toolName: 'f', delta: '😁' } },
    { tag: 'thinking', val: { text: '😂', signature: undefined } },
    { tag: 'text', val: 'c' },
    STOP,
  ])
  expect(await emitted([text('a\ud83d'), text('b'), text('\ude00'), text('\ud83d')])).toEqual([
    { tag: 'text', val: 'a' },
    { tag: 'text', val: '\ufffdb' },
    { tag: 'text', val: '\ufffd' },
    { tag: 'text', val: '\ufffd' },
    STOP,
  ])
  expect(await emitted([{ type: 'redacted-thinking', data: '\ud83d' }])).toEqual([
    { tag: 'redacted-thinking', val: '\ufffd' },
    STOP,
  ])
})

test('requests and frames have the shape that their framing has', async () => {
  const events = await start('events')
  expect(events.request).toEqual({
    method: 'post',
    url: 'https://acme.test/v1',
    headers: [['x-a', '1']],
    body: new Uint8Array(Buffer.from('text é')),
    redirectPolicy: { tag: 'no-follow', val: undefined },
  })
  const decoded = await events.completion.decode([
    { tag: 'event', val: { data: 'frame' } },
    { tag: 'event', val: { event: 'ping', data: 'frame' } },
  ])
  expect(decoded).toEqual([
    { tag: 'text', val: '{"data":"frame"}true' },
    { tag: 'text', val: '{"event":"ping","data":"frame"}false' },
  ])
  for (const id of ['lines', 'whole', 'bytes']) {
    const started = await start(id)
    expect(started.framing).toBe(id)
    expect(started.request).toMatchObject({
      headers: [
        ['a', '1'],
        ['a', '2'],
      ],
      body: new Uint8Array([1, 2]),
    })
    const frame =
      id === 'bytes'
        ? ({ tag: 'bytes', val: new Uint8Array([7, 8]) } as const)
        : ({ tag: 'text', val: 'l' } as const)
    expect(await started.completion.decode([frame])).toEqual([
      { tag: 'text', val: id === 'bytes' ? '7,8' : 'l' },
    ])
    expect(await started.completion.finish()).toEqual([])
  }
})

test('respond answers without a request: the first event at once, then groups that grow, then a stop', async () => {
  env.WAIT = env.THROW = ''
  const { request, framing, completion } = await start('computed', '100')
  expect([request, framing]).toEqual([undefined, 'none'])
  const sizes: number[] = []
  const events = []
  while (events.at(-1)?.tag !== 'stop') {
    const group = await completion.decode([])
    sizes.push(group.length)
    events.push(...group)
  }
  expect(sizes).toEqual([1, 2, 4, 8, 16, 32, 38])
  expect(events.slice(0, -1)).toEqual(
    Array.from({ length: 100 }, (_, index) => ({ tag: 'text', val: String(index) })),
  )
  expect(await completion.decode([])).toEqual([])
  expect(await completion.finish()).toEqual([])
})

test('respond that waits hands over what it has; what it throws comes after it', async () => {
  env.WAIT = '4'
  env.THROW = '5'
  const { completion } = await start('computed', '100')
  expect(await completion.decode([])).toHaveLength(1)
  expect(await completion.decode([])).toHaveLength(2)
  expect(await completion.decode([])).toEqual([
    { tag: 'text', val: '3' },
    { tag: 'text', val: '4' },
  ])
  await expect(completion.decode([])).rejects.toMatchObject({ kind: 'overloaded', message: 'too much' })
  await expect(start('asynchronous')).rejects.toMatchObject({
    message:
      'respond() of provider asynchronous returned an async iterator; provider functions are synchronous: call context.fetch(), which blocks',
  })
})

test('what frame throws comes after the events of the same group', async () => {
  const { completion } = await start('events')
  const text = { tag: 'event', val: { data: JSON.stringify([{ type: 'text', text: 'kept' }]) } } as const
  expect(await completion.decode([text, { tag: 'event', val: { data: 'throw' } }])).toMatchObject([
    { tag: 'text', val: 'kept' },
    { tag: 'failed', val: { kind: 'other', message: 'thrown on purpose' } },
  ])
})

test('context.fetch blocks and gives the whole answer', async () => {
  answer = { status: 200, headers: [['x-id', '7']], body: '{"names":["ä"]}' }
  sent.length = 0
  expect(await component.provider.models('fetching')).toMatchObject([
    { id: 'ä', name: '200,true,7,custom,1700000000000' },
  ])
  expect(sent).toMatchObject([
    { method: 'get', url: 'https://acme.test/models', headers: [['authorization', 'Bearer key']] },
  ])
  answer = { status: 502, headers: [], body: '<html><title>Bad</title></html>' }
  await expect(component.provider.models('fetching')).rejects.toEqual({
    kind: 'other',
    status: 502,
    code: undefined,
    retryAfterMs: undefined,
    message: 'Cannot read the answer as JSON (status 502): it begins with "<html><title>Bad</title></html>"',
  })
  await expect(component.provider.signIn('fetching', 'x', undefined)).rejects.toMatchObject({
    kind: 'other',
    message: 'Cannot open the browser: not available in this test',
  })
  expect(credentials.get('fetching')).toBe('1')
})

test("the stack in the log leads through the source map to the author's file and line", async () => {
  component.log.length = 0
  const { completion } = await start('events')
  await expect(completion.decode([{ tag: 'event', val: { data: 'throw' } }])).rejects.toMatchObject({
    message: 'thrown on purpose',
  })
  const [entry] = component.log
  const position = /at frame \(componentize-qjs:user\.js:(\d+):(\d+)\)/.exec(entry!.message)
  const map = new TraceMap(await readFile(`${component.componentFile}.map`, 'utf8'))
  // QuickJS counts columns from 1, source maps from 0.
  const origin = originalPositionFor(map, { line: Number(position![1]), column: Number(position![2]) - 1 })
  expect(origin.source).toBe('../provider.ts')
  expect(origin.line).toBe(provider.split('\n').findIndex(line => line.includes('// line 10')) + 1)
  expect(
    map.sources.filter(source => !/^(airlock-sdk|npm):\/\/\/[^.]|^\.\.\/provider\.ts$/.test(source!)),
  ).toEqual([])
})
