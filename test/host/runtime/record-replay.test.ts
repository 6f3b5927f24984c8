import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  type AirlockOptions,
  type CompletionEvent,
  createAirlock,
  createMemoryStore,
} from '../../../host/index.ts'
import { type Script, startScriptedServer } from '../../servers/scripted.ts'
import { repoRoot } from '../../support/repo-root.ts'

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
