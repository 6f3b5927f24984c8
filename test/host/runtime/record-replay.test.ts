import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type AirlockOptions,
  type CompletionEvent,
  createAirlock,
  createMemoryStore,
} from '../../../host/index.ts'
import { type Script, startScriptedServer } from '../../servers/scripted.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { buildTestExtension } from '../../support/test-extension.ts'
import { signInExtension } from './sign-in-extension.ts'

vi.setConfig({ testTimeout: 60_000 })

const KEY = 'sk-very-secret-key-0123456789'
const messages = [{ role: 'user' as const, content: 'hi' }]
let home: string
let folder: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-tape-home-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'airlock-tape-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
})

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, ...more }] })}\n\n`
const chatAnswer: Script = {
  body: [
    chunk({ content: 'Hel' }),
    chunk({ content: `lo, your key is ${KEY}` }),
    chunk({}, { finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ],
}
const anthropicAnswer: Script = {
  body: [
    [
      'message_start',
      { message: { id: 'a1', model: 'claude', usage: { input_tokens: 3, output_tokens: 1 } } },
    ],
    ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }],
    ['message_stop', {}],
  ].map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...(data as object) })}\n\n`),
}
const geminiAnswer: Script = {
  body: [
    `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } })}\n\n`,
  ],
}
const ollamaAnswer: Script = {
  headers: { 'content-type': 'application/x-ndjson' },
  body: [
    `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: 'Hello' }, done: false })}\n`,
    `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', eval_count: 1, prompt_eval_count: 1 })}\n`,
  ],
}

interface Subject {
  extension: string
  provider: string
  apiPath: string
  answer: Script
}

const subjects: Subject[] = [
  { extension: 'openai-compatible', provider: 'openai-compatible', apiPath: '/v1', answer: chatAnswer },
  { extension: 'anthropic', provider: 'anthropic', apiPath: '/v1', answer: anthropicAnswer },
  { extension: 'google-ai', provider: 'google-ai', apiPath: '/v1beta', answer: geminiAnswer },
  { extension: 'ollama', provider: 'ollama', apiPath: '', answer: ollamaAnswer },
]

async function open({ extension, provider, apiPath }: Subject, url: string, options: AirlockOptions) {
  const airlock = await createAirlock({
    home,
    env: {},
    settings: { providers: { [provider]: { apiUrl: url + apiPath } } },
    retry: { maxWaitMs: 1_000 },
    ...options,
  })
  await airlock.load(join(repoRoot, 'extensions', extension))
  return airlock
}

const signedIn = ({ extension, provider }: Subject) => createMemoryStore([[{ extension, provider }, KEY]])

async function read(airlock: Awaited<ReturnType<typeof open>>, model: string, content = 'hi') {
  const events: CompletionEvent[] = []
  for await (const event of airlock.complete({ model, messages: [{ role: 'user', content }] }))
    events.push(event)
  return events
}

/** Answers the question; lists of models are not there. */
const answering =
  (answer: Script) =>
  (request: { method: string; path: string }): Script =>
    request.method === 'POST' && !request.path.includes('show') ? answer : { status: 404, body: ['{}'] }

async function allText(of: string): Promise<string> {
  const names = await readdir(of, { recursive: true, withFileTypes: true })
  const files = names.filter(name => name.isFile()).map(name => join(name.parentPath, name.name))
  return (await Promise.all(files.map(file => readFile(file, 'latin1')))).join('\n')
}

describe.each(subjects)('$extension', subject => {
  const model = `${subject.provider}/m`

  test('answers from the recording as the service did: without network, key or sign-in, and no secret is in it', async () => {
    const server = await startScriptedServer(answering(subject.answer))
    const tape = join(folder, 'tape')
    const recording = await open(subject, server.url, { record: tape, credentials: signedIn(subject) })
    const recorded = await read(recording, model)
    await recording.close()
    await server.close()
    expect(recorded.at(-1)?.type).toBe('stop')

    const kept = await allText(tape)
    expect(kept).toContain(subject.apiPath)
    expect(kept).not.toContain(KEY)
    expect(kept).not.toMatch(/airlock_[0-9A-Za-z]{40}/)

    await using replaying = await open(subject, server.url, { replay: tape })
    expect(await read(replaying, model)).toEqual(recorded)
    // And again: the last answer is there for as long as it is asked for.
    expect(await read(replaying, model)).toEqual(recorded)
  })
})

describe('replay', () => {
  const subject = subjects[0]!
  const model = 'openai-compatible/m'

  async function record(
    script: Script | Script[],
    run: (airlock: Awaited<ReturnType<typeof open>>) => Promise<unknown>,
  ) {
    const scripts = Array.isArray(script) ? [...script] : undefined
    await using server = await startScriptedServer(request =>
      answering(scripts ? (scripts.length > 1 ? scripts.shift()! : scripts[0]!) : (script as Script))(
        request,
      ),
    )
    const tape = join(folder, 'tape')
    const airlock = await open(subject, server.url, { record: tape, credentials: signedIn(subject) })
    await run(airlock)
    await airlock.close()
    return { tape, url: server.url }
  }

  test('a refusal is tried again as it was, in the order of the answers', async () => {
    const busy: Script = {
      status: 429,
      headers: { 'retry-after-ms': '10' },
      body: ['{"error":{"message":"busy"}}'],
    }
    const { tape, url } = await record([busy, chatAnswer], airlock => read(airlock, model))
    await using airlock = await open(subject, url, { replay: tape })
    const retries: number[] = []
    const completion = airlock.complete(
      { model, messages },
      { onRetry: ({ attempt }) => retries.push(attempt) },
    )
    expect((await completion.result()).text).toContain('Hello, your key is')
    expect(retries).toEqual([1])
  })

  test('a wait that the service asked for is not waited in replay', async () => {
    const busy: Script = {
      status: 429,
      headers: { 'retry-after': '30' },
      body: ['{"error":{"message":"busy"}}'],
    }
    const { tape, url } = await record([busy, chatAnswer], async airlock => {
      await read(airlock, model).catch(() => {})
      await read(airlock, model)
    })
    await using airlock = await open(subject, url, { replay: tape, retry: { maxWaitMs: 60_000 } })
    const waits: number[] = []
    const how = { onRetry: ({ waitMs }: { waitMs: number }) => waits.push(waitMs) }
    await airlock.complete({ model, messages }, how).result()
    expect(waits).toEqual([10])
  })

  test('an answer that broke off breaks off again, after what had come', async () => {
    const broken: Script = { body: [chunk({ content: 'Half' })], ending: 'destroy' }
    const { tape, url } = await record(broken, airlock => read(airlock, model).catch(() => {}))
    await using airlock = await open(subject, url, { replay: tape })
    await expect(airlock.complete({ model, messages }).result()).rejects.toMatchObject({
      kind: 'network',
      partial: expect.arrayContaining([{ type: 'text', text: 'Half' }]),
    })
  })

  test('a caller who leaves in the middle leaves what had come', async () => {
    const { tape, url } = await record(
      { body: [chunk({ content: 'Half' })], ending: 'hang' },
      async airlock => {
        for await (const event of airlock.complete({ model, messages })) if (event.type === 'text') break
      },
    )
    await using airlock = await open(subject, url, { replay: tape })
    await expect(airlock.complete({ model, messages }, { retry: false }).result()).rejects.toMatchObject({
      partial: expect.arrayContaining([{ type: 'text', text: 'Half' }]),
    })
  })

  test('a request that was not recorded says what differs, and is not tried again', async () => {
    const { tape, url } = await record(chatAnswer, airlock => read(airlock, model))
    await using airlock = await open(subject, url, { replay: tape })
    await expect(read(airlock, model, 'something else')).rejects.toMatchObject({
      attempts: 1,
      message: expect.stringMatching(
        /Cannot replay POST .*chat-completions\.json differs in body\.messages\[0\]/s,
      ),
    })
    await using empty = await open(subject, url, { replay: join(folder, 'nothing') })
    await expect(read(empty, model)).rejects.toThrow(/nothing is recorded in .*nothing/)
  })

  test('the files can be read by a person, and are of their owner alone', async () => {
    const { tape } = await record(chatAnswer, airlock => read(airlock, model))
    const names = (await readdir(join(tape, 'openai-compatible'))).sort()
    expect(names).toContain('0001-post-v1-chat-completions.json')
    const file = JSON.parse(
      await readFile(join(tape, 'openai-compatible', '0001-post-v1-chat-completions.json'), 'utf8'),
    )
    expect(file.request.body.json.messages).toEqual([{ role: 'user', content: 'hi' }])
    expect(file.request.headers).toContainEqual([
      'authorization',
      expect.stringMatching(/^Bearer airlock-secret-credential-/),
    ])
    expect(file.response.status).toBe(200)
    expect(file.response.chunks.join('')).toContain('[redacted]')
  })

  test('record and replay together are refused', async () => {
    await expect(
      createAirlock({ home: folder, env: {}, record: folder, replay: folder }),
    ).rejects.toMatchObject({
      code: 'invalid-option',
    })
  })
})

describe('an extension that signs in', () => {
  const ask = { model: 'acme/m', messages }
  const json = (value: unknown, status = 200): Script => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: [JSON.stringify(value)],
  })

  test('a token that is refused is exchanged again as it was, each time for another; settings come along', async () => {
    let good = 'access-token-x2'
    await using server = await startScriptedServer(({ path, headers }) => {
      if (path === '/token')
        return json({ access_token: good, refresh_token: `refresh-for-${good}`, expires_in: 3600 })
      return headers.authorization === `Bearer ${good}`
        ? { body: ['data: hello\n\n'] }
        : json({ error: { message: 'not right' } }, 401)
    })
    const options = { home, env: {}, retry: false as const }
    const value = JSON.stringify({ accessToken: 'access-token-x1', refreshToken: 'refresh-token-x1' })
    const recording = await createAirlock({
      ...options,
      settings: { providers: { acme: { apiUrl: server.url } } },
      credentials: createMemoryStore([[{ extension: 'acme', provider: 'acme' }, value]]),
      record: folder,
    })
    await recording.load(await signInExtension())
    expect(await recording.complete(ask).result()).toMatchObject({ text: 'hello' })
    good = 'access-token-x3'
    expect(await recording.complete(ask).result()).toMatchObject({ text: 'hello' })
    await recording.signOut('acme')
    await recording.isAuthenticated('acme')
    await recording.close()
    expect(await allText(folder)).not.toMatch(/(access|refresh)-(token|for)-\S*x[123]/)

    await using replaying = await createAirlock({ ...options, replay: folder })
    await replaying.load(await signInExtension())
    expect(await replaying.complete(ask).result()).toMatchObject({ text: 'hello' })
    expect(await replaying.complete(ask).result()).toMatchObject({ text: 'hello' })
  })
})

describe('an extension with plain variables', () => {
  const plain = () =>
    buildTestExtension({
      'extension.json': JSON.stringify({
        id: 'plain',
        name: 'Plain',
        version: '0.1.0',
        contract: 'airlock:llm@0.1.0',
        component: 'dist/plain.wasm',
        providers: [{ id: 'plain', name: 'Plain' }],
        tools: [],
        permissions: {
          network: [],
          env: [],
          plainEnv: ['PLAIN_REGION'],
          credentials: 'use',
          browser: [],
          memoryMiB: 64,
        },
      }),
      'provider.ts': `
import { defineProvider, ProviderError } from '@airlock/guest-sdk'
export default defineProvider({
  id: 'plain',
  name: 'Plain',
  models: () => [{ id: 'm', maxTokenCount: 1000 }],
  request(request, model, context) {
    const region = context.env('PLAIN_REGION')
    if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new ProviderError({ kind: 'other', message: 'region ' + region })
    if (model === 'far') return { url: 'https://far.example.com/', body: {} }
    const login = context.fetch(context.settings().apiUrl + '/' + region + '/login').json()
    context.storeCredential(login.deep.session)
    return { url: context.settings().apiUrl + '/' + region + '/chat', body: { region } }
  },
  decode: () => ({
    frame: (event, emit) => emit({ type: 'text', text: event.data }),
    end: emit => emit({ type: 'stop', reason: 'end-turn' }),
  }),
})
`,
    })
  const options = { home: '', settings: { allowedEnv: { plain: ['PLAIN_REGION'] } } }
  const SESSION = 'nested-session-0123456789'

  async function record(model: string, signal?: AbortSignal) {
    await using server = await startScriptedServer(({ path }) => {
      if (path !== '/us-east-17/login' && path !== '/us-east-17/chat') return { status: 404 }
      if (path.endsWith('chat'))
        return model === 'hung' ? 'never' : { body: ['data: one\n\n', 'data: two\n\n'] }
      const text = JSON.stringify({ deep: { session: SESSION } })
      return { headers: { 'content-type': 'application/json' }, body: [text.slice(0, 30), text.slice(30)] }
    })
    const recording = await createAirlock({
      ...options,
      home,
      env: { PLAIN_REGION: 'us-east-17' },
      settings: { ...options.settings, providers: { plain: { apiUrl: server.url } } },
      credentials: createMemoryStore(),
      record: folder,
    })
    await recording.load(await plain())
    const completion = recording.complete({ model: `plain/${model}`, messages }, signal ? { signal } : {})
    const result = completion.result().catch((error: unknown) => error)
    if (model === 'hung') {
      while (!server.requests.some(({ path }) => path.endsWith('chat'))) await server.nextRequest()
      completion.cancel(new Error('enough'))
    }
    const got = await result
    await recording.close()
    return got
  }

  async function replay() {
    const airlock = await createAirlock({ ...options, home, env: {}, replay: folder })
    onTestFinished(() => airlock.close())
    await airlock.load(await plain())
    return airlock
  }

  test('a value that it may read has a name that fits a URL; a secret that it stores later is in no file', async () => {
    expect(await record('m')).toMatchObject({ text: 'onetwo' })
    const kept = await allText(folder)
    expect(kept).toContain('/airlock-env-plain-region/chat')
    expect(kept).not.toContain('us-east-17')
    const files = (await readdir(join(folder, 'plain'))).filter(name => name.includes('login'))
    const { response } = JSON.parse(await readFile(join(folder, 'plain', files[0]!), 'utf8'))
    const login = JSON.parse(response.chunks.join(''))
    expect(login.deep.session).toMatch(/^airlock-secret-credential-/)
    expect(kept).not.toContain(SESSION)
    const airlock = await replay()
    const completion = airlock.complete({ model: 'plain/m', messages })
    expect(await completion.result()).toMatchObject({ text: 'onetwo' })
  })

  test('what policy refused is refused again, and not tried again', async () => {
    const refused = await record('far')
    expect(refused).toMatchObject({ code: 'permission-denied' })
    const airlock = await replay()
    const again = await airlock
      .complete({ model: 'plain/far', messages })
      .result()
      .catch((error: unknown) => error)
    const { message, permission } = refused as { message: string; permission: string }
    expect(again).toMatchObject({ code: 'permission-denied', message, permission })
  })

  test('a caller who left before the head and leaves again gets its own reason', async () => {
    await record('hung')
    const airlock = await replay()
    const stop = new AbortController()
    const reason = new Error('enough again')
    const completion = airlock.complete({ model: 'plain/hung', messages }, { signal: stop.signal })
    setTimeout(() => stop.abort(reason), 300)
    await expect(completion.result()).rejects.toBe(reason)
  })
})
