import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { type Script, type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'

const COMPLETIONS = 10_000
const AT_ONCE = 64
const MAX_GROWTH_BYTES = 30 * 1024 * 1024
const model = 'openai-compatible/m'
const messages = [{ role: 'user' as const, content: 'Hi.' }]

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const resources = new AsyncDisposableStack()
let server: ScriptedServer
let airlock: Airlock

beforeAll(async () => {
  server = resources.use(await startScriptedServer((_, index) => answer(index)))
  const home = resources.use(await createTestHome({ serviceUrl: server.url }))
  airlock = resources.use(
    await createAirlock({ home: home.folder, env: {}, limits: { openCompletions: 2 * AT_ONCE } }),
  )
})
afterAll(() => resources.disposeAsync())

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const spoken = ['An airlock ', 'is a room ', 'with two doors.']
const frames = [
  ...spoken.map(content => frame({ id: 'a', model: 'm', choices: [{ index: 0, delta: { content } }] })),
  frame({ id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  'data: [DONE]\n\n',
]

/** Most are answered; some are refused and some break off, of which the host tries again what it may. */
function answer(index: number): Script {
  const headers = { 'retry-after-ms': '1', 'content-type': 'application/json' }
  if (index % 50 === 7) return { status: 429, headers, body: ['{"error":{"message":"Slow down"}}'] }
  if (index % 50 === 13) return { body: frames.slice(0, 2), ending: 'destroy' }
  return { body: frames }
}

/** Numbers from 0 to 1, the same in each run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Runs `count` tasks, as many at once as `AT_ONCE`. */
async function runMany(count: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Heap after everything that nobody holds is gone. */
async function heapBytes(): Promise<number> {
  // What the test itself records is no leak of what it tests.
  server.requests.length = 0
  for (let round = 0; round < 3; round++) {
    await new Promise(resolve => setTimeout(resolve, 50))
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}

/** Waits until what was given back has arrived there; fails with what is still held. */
async function expectReleased(): Promise<void> {
  await expect
    .poll(() => airlock.stats().extensions.map(({ openCompletions }) => openCompletions), { timeout: 5_000 })
    .toEqual([0])
}

async function completeAll(count: number, random: () => number): Promise<Record<string, number>> {
  const ends = { whole: 0, failed: 0, aborted: 0 }
  await runMany(count, async index => {
    const controller = new AbortController()
    const isAborted = index % 10 === 0
    const moment = random()
    const completion = airlock.complete({ model, messages }, { signal: controller.signal })
    const abort = () => controller.abort(new Error('enough'))
    // At once, between two events, or some time: also where nothing waits for it any more.
    if (isAborted && moment < 0.1) abort()
    else if (isAborted && moment < 0.7) setTimeout(abort, moment * 20)
    let events = 0
    try {
      for await (const _ of completion) if (isAborted && moment >= 0.7 && ++events === 2) abort()
      ends.whole++
    } catch (error) {
      if ((error as Error).message === 'enough') ends.aborted++
      else ends.failed++
    }
    if (getEventListeners(controller.signal, 'abort').length > 0) throw new Error('a listener is left behind')
  })
  return ends
}

test('10,000 completions, a tenth of them aborted, leave nothing behind', { timeout: 180_000 }, async () => {
  const random = createRandom(20_261_130)
  await completeAll(500, random)
  await expectReleased()
  const before = await heapBytes()

  const ends = await completeAll(COMPLETIONS, random)
  expect(ends.aborted).toBeGreaterThan(COMPLETIONS / 20)
  expect(ends.whole).toBeGreaterThan(COMPLETIONS / 2)
  await expectReleased()
  expect((await heapBytes()) - before).toBeLessThan(MAX_GROWTH_BYTES)
  // Those that wait for the next request.
  expect(await server.connections()).toBeLessThanOrEqual(AT_ONCE)
})

test('one signal for 1,000 requests has no listener of them left', { timeout: 60_000 }, async () => {
  const { signal } = new AbortController()
  signal.addEventListener('abort', () => {})
  await runMany(1_000, async () => {
    const completion = airlock.complete({ model, messages }, { signal, retry: { maxAttempts: 3 } })
    await completion.result().catch(() => {})
  })
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await expectReleased()
})

test('a closed airlock has no connection left', async () => {
  await airlock.close()
  await expect.poll(() => server.connections(), { timeout: 5_000 }).toBe(0)
})
