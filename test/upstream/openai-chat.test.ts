import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../host/contract/events.ts'
import { ProviderError } from '../../host/errors.ts'
import { type Airlock, createAirlock } from '../../host/index.ts'
import { cutAt, cutPositions, oneByOne } from '../servers/cuts.ts'
import { modelList } from '../servers/model-list.ts'
import { type RecordedRequest, type Script, startScriptedServer } from '../servers/scripted.ts'
import { streams } from '../streams/expected.ts'
import { airlock as cli } from '../support/cli.ts'
import { createTestHome } from '../support/home.ts'
import { repoRoot } from '../support/repo-root.ts'
import { bodyOf, reasoningDetailsOf } from './body-of.ts'
import type { Expectation } from './expectation.ts'
import { expectOutcome, type Outcome } from './outcome.ts'
import { recordings, recordingsFolder } from './recordings.ts'

/** Above this many bytes a sample of the cuts is taken. */
const LARGE_BODY_BYTES = 16 * 1024
const SAMPLE = 500

/** Enough to keep both threads busy. */
const CONCURRENT_STREAMS = 32

const streamsFolder = join(repoRoot, 'test/streams')

/** How the server is to cut the body: the test says so in the prompt. */
type Cutting = 'whole' | 'one by one' | { at: number }

const bodies = new Map<string, Buffer>()

let airlock: Airlock
let env: NodeJS.ProcessEnv
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  for (const file of Object.keys(streams)) bodies.set(file, bodyOf(streamsFolder, file))
  for (const file of Object.keys(recordings)) {
    if (existsSync(join(recordingsFolder, file))) bodies.set(file, bodyOf(recordingsFolder, file))
  }
  const server = resources.use(await startScriptedServer(serve))
  const home = resources.use(await createTestHome({ serviceUrl: server.url, models: [...bodies.keys()] }))
  env = home.env
  airlock = resources.use(await createAirlock({ home: home.folder, env: {} }))
})

afterAll(() => resources.disposeAsync())

function serve(request: RecordedRequest): Script {
  if (request.method === 'GET') return modelList()
  const { model, messages } = JSON.parse(request.body.toString()) as {
    model: string
    messages: { content: string }[]
  }
  const body = bodies.get(model) ?? Buffer.alloc(0)
  const cutting = JSON.parse(messages[0]?.content ?? '') as Cutting
  if (cutting === 'whole') return { body: [body] }
  return { body: cutting === 'one by one' ? oneByOne(body) : cutAt(body, cutting.at) }
}

async function replay(file: string, cutting: Cutting): Promise<Outcome> {
  const events: CompletionEvent[] = []
  const completion = airlock.complete({
    model: `openai-compatible/${file}`,
    messages: [{ role: 'user', content: JSON.stringify(cutting) }],
  })
  try {
    for await (const event of completion) events.push(event)
    return { events }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const { kind, code, message, status } = error
    return { events, error: { kind, code, message, ...(status !== undefined && { status }) } }
  }
}

async function replayThroughCli(file: string): Promise<Outcome> {
  const { lines } = await cli(
    ['complete', '--json', '-m', `openai-compatible/${file}`, JSON.stringify('whole' satisfies Cutting)],
    { env },
  )
  const printed = lines.map(
    line => JSON.parse(line) as CompletionEvent | { type: 'error'; error: NonNullable<Outcome['error']> },
  )
  const last = printed.at(-1)
  const events = printed.filter(event => event.type !== 'error')
  return last?.type === 'error' ? { events, error: last.error } : { events }
}

function defineTests(table: Record<string, Expectation>, folder: string): void {
  for (const [file, expected] of Object.entries(table)) {
    describe(file, () => {
      if (!existsSync(join(folder, file))) {
        test('comes out as it was recorded', ({ skip }) => skip(`there is no ${folder} on this machine`))
        return
      }

      test('comes out right, in the library and in the command', async () => {
        const details = expected.reasoningDetails && reasoningDetailsOf(bodies.get(file) ?? Buffer.alloc(0))
        const [library, command] = await Promise.all([replay(file, 'whole'), replayThroughCli(file)])
        expectOutcome(library, expected, details)
        expect(command).toEqual(library)
      })

      test('comes out the same wherever it is cut in two', { timeout: 120_000 }, async () => {
        const whole = await replay(file, 'whole')
        const length = bodies.get(file)?.length ?? 0
        const sample = length > LARGE_BODY_BYTES ? SAMPLE : Number.POSITIVE_INFINITY
        const different: { at: number; outcome: Outcome }[] = []
        await eachOf(cutPositions(length, sample), async at => {
          const outcome = await replay(file, { at })
          if (JSON.stringify(outcome) !== JSON.stringify(whole)) different.push({ at, outcome })
        })
        // One is enough to read; all of them would be the body many times over.
        expect(different[0]?.outcome, `cut at ${different.map(one => one.at)}`).toEqual(
          different[0] ? whole : undefined,
        )
      })

      test('comes out the same byte for byte', { timeout: 120_000 }, async () => {
        expect(await replay(file, 'one by one')).toEqual(await replay(file, 'whole'))
      })
    })
  }
}

/** Runs `work` for each item, a bounded number at once. */
async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const runner = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: CONCURRENT_STREAMS }, runner))
}

describe('streams of our own', () => defineTests(streams, streamsFolder))
describe('recordings of real services', () => defineTests(recordings, recordingsFolder))

test('a result holds what its events held', async () => {
  const completion = airlock.complete({
    model: 'openai-compatible/parallel-interleaved-calls.sse',
    messages: [{ role: 'user', content: JSON.stringify('whole' satisfies Cutting) }],
  })
  const result = await completion.result()
  const expected = streams['parallel-interleaved-calls.sse']
  expect(result).toMatchObject({
    text: '',
    toolUses: expected?.toolUses,
    usage: expected?.usage,
    stopReason: 'tool-use',
    id: expected?.id,
    model: expected?.model,
  })
  expect(result.parts.map(part => part.type)).toEqual(['tool-use', 'tool-use', 'tool-use'])
})
