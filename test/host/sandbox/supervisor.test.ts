import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenChannel } from '../../../host/sandbox/channel.ts'
import { ReturnedError } from '../../../host/sandbox/life.ts'
import { DEFAULT_SANDBOX_LIMITS } from '../../../host/sandbox/limits.ts'
import { openProcess } from '../../../host/sandbox/process-channel.ts'
import { createSupervisor, type SupervisorOptions } from '../../../host/sandbox/supervisor.ts'
import { openThread } from '../../../host/sandbox/thread-channel.ts'
import { transpileComponent } from '../../../host/sandbox/transpile.ts'
import { buildRawGuest } from '../../support/raw-guest.ts'

const GUEST = `
import { log, now, randomBytes } from 'airlock:llm/system@0.1.0'
import { getCredential, getEnvVar, storeCredential } from 'airlock:llm/llm-provider@0.1.0'
import { fetch } from 'airlock:llm/http-client@0.1.0'
class Echo extends Completion {
  decode(frames) { return frames.map(frame => ({ tag: 'text', val: frame.val.data })) }
  finish() { return [{ tag: 'stop', val: 'end-turn' }] }
}
const request = { method: 'get', url: 'http://x.example/', headers: [], body: null, redirectPolicy: { tag: 'no-follow' } }
const model = id => ({ id, name: id, family: null, maxTokenCount: 1, maxOutputTokens: null, pricing: null, isDefault: false, isDefaultFast: false,
  capabilities: { supportsImages: false, supportsFiles: false, supportsTools: false, supportsToolChoiceAuto: false, supportsToolChoiceAny: false, supportsToolChoiceNone: false,
  supportsToolChoiceTool: false, supportsParallelToolCalls: false, supportsThinking: false, supportsStructuredOutput: false, supportsStreaming: true, toolInputFormat: 'json-schema', maxTools: null } })
export const provider = { ...minimal, Completion: Echo,
  models(what) {
    switch (what) {
      case 'loop': for (;;) {}
      case 'trap': throw new Error('not of the contract')
      case 'error': throw { kind: 'overloaded', message: 'busy', status: 529, code: 'c', retryAfterMs: 5 }
      case 'bomb': { const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1)) }
      case 'deep': { const down = () => down() + 1; return down() }
      case 'fetch': try { fetch(request) } catch (error) { return [model(String(error.message ?? error))] } return [model('fetched')]
      case 'facts': return [model(getCredential('raw') ?? 'none'), model(getEnvVar('NAME') ?? 'none')]
      case 'flood': for (let i = 0; i < 1000; i++) log('info', 'line ' + i); return []
      case 'random': return [model(String(randomBytes(16).length)), model(typeof now())]
      case 'store': storeCredential('raw', 'new'); return []
      default: return [model(what)]
    }
  },
  startCompletion: () => ({ request: { ...request, method: 'post' }, framing: 'server-sent-events', completion: new Echo() }),
}
`

let component: Uint8Array
let folder: string
beforeAll(async () => {
  component = await buildRawGuest(GUEST)
  folder = await mkdtemp(join(tmpdir(), 'airlock-sandbox-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const channels: [string, () => OpenChannel][] = [
  ['thread', () => openThread(folder)],
  ['process', () => openProcess(folder)],
]

describe.each(channels)('createSupervisor over a %s', (_, channel) => {
  function start(options: Partial<SupervisorOptions> = {}) {
    const lines: string[] = []
    const supervisor = createSupervisor({
      extension: 'raw',
      world: 'provider',
      prepare: () =>
        transpileComponent({
          cacheFolder: folder,
          digest: createHash('sha256').update(component).digest('hex'),
          read: async () => component,
          memoryMiB: 32,
          world: 'provider',
        }),
      open: channel(),
      memoryMiB: 32,
      limits: { ...DEFAULT_SANDBOX_LIMITS, computeMs: 1_000 },
      facts: { credentials: {}, env: {}, settings: {} },
      capability: async name => {
        throw new Error(`refused ${name}`)
      },
      release() {},
      log: line => lines.push(line.message),
      ...options,
    })
    return { supervisor, lines, [Symbol.asyncDispose]: () => supervisor.close() }
  }

  const request = { messages: [], tools: [], stopSequences: [], thinkingAllowed: true }
  const names = (models: unknown) => (models as { name: string }[]).map(model => model.name)
  const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text))

  test('calls exports and gives the guest what it may ask for', async () => {
    await using run = start({
      facts: { credentials: { raw: 'stand-in' }, env: { NAME: 'value' }, settings: {} },
    })
    expect(await run.supervisor.call('providers', [])).toMatchObject([{ id: 'raw', name: 'Raw' }])
    expect(names(await run.supervisor.call('models', ['facts']))).toEqual(['stand-in', 'value'])
    expect(names(await run.supervisor.call('models', ['random']))).toEqual(['16', 'number'])
    run.supervisor.setFacts({ credentials: {}, env: {}, settings: {} })
    expect(names(await run.supervisor.call('models', ['facts']))).toEqual(['none', 'none'])
  })

  test('hands back the error that a guest returns', async () => {
    await using run = start()
    const error = await run.supervisor.call('models', ['error']).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ReturnedError)
    expect((error as ReturnedError).record).toMatchObject({
      kind: 'overloaded',
      message: 'busy',
      status: 529,
      code: 'c',
      retryAfterMs: 5n,
    })
  })

  test.each([
    ['trap', 'extension-trapped'],
    ['bomb', 'extension-trapped'],
    ['deep', 'extension-trapped'],
    ['loop', 'extension-stopped'],
  ])('a guest that does %s fails that call with %s, and the next one works', async (what, code) => {
    await using run = start()
    await expect(run.supervisor.call('models', [what])).rejects.toMatchObject({ code, extension: 'raw' })
    expect(names(await run.supervisor.call('models', ['again']))).toEqual(['again'])
  })

  test('tells a waiting guest what the host answered', async () => {
    await using run = start()
    expect(names(await run.supervisor.call('models', ['fetch']))).toEqual(['refused fetch'])
  })

  test('aborts what a waiting guest waits for', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    await using run = start({
      capability: (_, __, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
          ask()
        }),
    })
    const controller = new AbortController()
    const call = run.supervisor.call('models', ['fetch'], { signal: controller.signal })
    await asked
    controller.abort()
    expect(names(await call)).toEqual(['aborted'])
  })

  test('serves many completions in one instance, and a waiting guest holds none of them up', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    await using run = start({
      capability: async () => {
        ask()
        await gate
        return { ok: true, value: { headers: [], body: new Uint8Array() } }
      },
    })
    const { supervisor } = run
    const open50 = await Promise.all(Array.from({ length: 50 }, () => supervisor.start('raw', 'm', request)))
    expect(supervisor.stats()).toMatchObject({ instances: 1, openCompletions: 50 })
    const waiting = supervisor.call('models', ['fetch'])
    await asked
    expect(supervisor.stats().instances).toBe(2)
    const fed = await Promise.all(
      open50.map((completion, index) =>
        completion.feed(() => ({ bytes: bytes(`data: ${index}\n\n`), end: true })),
      ),
    )
    expect(fed.map(({ events }) => events)).toEqual(
      open50.map((_, index) => [
        { tag: 'text', val: `${index}` },
        { tag: 'stop', val: 'end-turn' },
      ]),
    )
    open()
    await waiting
    for (const completion of open50) completion.drop()
    await supervisor.call('models', ['after'])
    expect(supervisor.stats()).toMatchObject({ instances: 1, openCompletions: 0 })
  })

  test('a killed guest takes its streams along, and they are told at once', async () => {
    await using run = start()
    const completion = await run.supervisor.start('raw', 'm', request)
    const lost = new Promise<Error>(resolve => completion.onLost(resolve))
    await expect(run.supervisor.call('models', ['loop'])).rejects.toThrow(
      'computed for more than 1000 ms in models',
    )
    expect(await lost).toMatchObject({ code: 'extension-stopped', message: 'Extension "raw" was stopped' })
    const { failure } = await completion.feed(() => ({ bytes: bytes('data: x\n\n'), end: false }))
    expect(failure).toMatchObject({ code: 'extension-stopped' })
  })

  test('does not take the silence after the end of a completion for an endless loop', async () => {
    await using run = start({ limits: { ...DEFAULT_SANDBOX_LIMITS, computeMs: 50 } })
    const completion = await run.supervisor.start('raw', 'm', request)
    completion.drop()
    // Longer than the watchdog waits for a sandbox that says nothing on a busy machine.
    await sleep(1_500)
    expect(run.supervisor.stats()).toMatchObject({ state: 'running', deaths: 0, openCompletions: 0 })
  })

  test('holds an extension back that dies again and again, and says for how long', async () => {
    await using run = start({ limits: { ...DEFAULT_SANDBOX_LIMITS, computeMs: 200, deaths: 2 } })
    for (let death = 0; death < 2; death++) await run.supervisor.call('models', ['loop']).catch(() => {})
    await expect(run.supervisor.call('providers', [])).rejects.toMatchObject({
      code: 'extension-held-back',
      message: expect.stringMatching(/failed 2 times within a minute and is held back for another 1 s/),
    })
    expect(run.supervisor.stats()).toMatchObject({ state: 'held-back', deaths: 2 })
  })

  test('bounds the log of a guest', async () => {
    await using run = start()
    await run.supervisor.call('models', ['flood'])
    await run.supervisor.call('models', ['after'])
    expect(run.lines.length).toBeLessThanOrEqual(2 * DEFAULT_SANDBOX_LIMITS.logLinesPerSecond + 1)
    expect(run.lines[0]).toBe('line 0')
  })

  test('refuses everything once closed, and ends what was under way', async () => {
    const run = start({ capability: () => new Promise(() => {}) })
    const waiting = run.supervisor.call('models', ['fetch'])
    const rejected = expect(waiting).rejects.toMatchObject({ code: 'extension-closed' })
    await run.supervisor.close()
    await rejected
    await expect(run.supervisor.call('providers', [])).rejects.toMatchObject({ code: 'extension-closed' })
  })
})
