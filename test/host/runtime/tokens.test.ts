import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { costOf, splitInput } from '../../../host/contract/usage.ts'
import { type Airlock, createAirlock, createMemoryStore } from '../../../host/index.ts'
import { estimateTextTokens } from '../../../host/runtime/estimate-tokens.ts'
import { startScriptedServer } from '../../servers/scripted.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { mirrorExtension } from '../../systems/mirror-extension.ts'

let home: string
let airlock: Airlock
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-tokens-'))
  airlock = await createAirlock({ home, env: {}, credentials: createMemoryStore() })
  await airlock.load(await mirrorExtension())
}, 60_000)
afterAll(async () => {
  await airlock?.close()
  await rm(home, { recursive: true, force: true })
})

const messages = [{ role: 'user' as const, content: 'hi' }]
const pricing = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }

describe('splitInput and costOf', () => {
  test('a service that counts the cache inside its input', () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadInputTokens: 800, totalTokens: 1_100 }
    expect(splitInput(usage)).toEqual({ total: 1_000, uncached: 200, cacheRead: 800, cacheWrite: 0 })
    const { total, ...parts } = costOf(usage, pricing)
    expect(parts.input).toBeCloseTo(0.0004)
    expect(parts.output).toBeCloseTo(0.001)
    expect(parts.cacheRead).toBeCloseTo(0.00016)
    expect(total).toBeCloseTo(0.00156)
  })

  test('a service that counts it beside its input, with a total or without one', () => {
    const usage = {
      inputTokens: 200,
      outputTokens: 100,
      cacheReadInputTokens: 800,
      cacheCreationInputTokens: 50,
    }
    const expected = { total: 1_050, uncached: 200, cacheRead: 800, cacheWrite: 50 }
    expect(splitInput(usage)).toEqual(expected)
    expect(splitInput({ ...usage, totalTokens: 1_150 })).toEqual(expected)
  })

  test('a price for the cache that is not known is that of other input', () => {
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 1_000_000 }
    expect(costOf(usage, { input: 2, output: 10 })).toEqual({ input: 0, output: 0, cacheRead: 2, total: 2 })
  })
})

describe('usage.cost', () => {
  const answer = (model: string) =>
    airlock.complete({
      model,
      messages,
      providerOptions: {
        events: [
          { type: 'text', text: 'Hello' },
          { type: 'usage', inputTokens: 1_000_000, outputTokens: 100_000 },
          { type: 'stop', reason: 'end-turn' },
        ],
      },
    })

  test('is there with the first answer, in the event, the result and the completion', async () => {
    const completion = answer('mirror/large')
    const { usage } = await completion.result()
    expect(usage).toMatchObject({ inputTokens: 1_000_000, cost: { input: 2, output: 1, total: 3 } })
    expect(completion.usage).toEqual(usage)
    expect(completion.partial.find(({ type }) => type === 'usage')).toMatchObject({ cost: { total: 3 } })
  })

  test('is absent where the price is not known, and not 0', async () => {
    expect((await answer('mirror/small').result()).usage).not.toHaveProperty('cost')
  })
})

describe('airlock.countTokens', () => {
  test("the provider's own count where it has one", async () => {
    const counted = await airlock.countTokens('mirror/large', 'hello')
    expect(counted).toEqual({
      tokens: JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'hello' }], cache: false }])
        .length,
      estimated: false,
    })
  })

  test('else an estimate, which says so: text by a tokenizer, tools and media too', async () => {
    const own = await createAirlock({
      home,
      env: {},
      credentials: createMemoryStore(),
      settings: { providers: { 'openai-compatible': { apiUrl: 'http://127.0.0.1:9/v1' } } },
    })
    onTestFinished(() => own.close())
    await own.load(join(repoRoot, 'extensions/openai-compatible'))
    const count = (what: Parameters<Airlock['countTokens']>[1]) =>
      own.countTokens('openai-compatible/m', what)
    const short = await count('The quick brown fox jumps over the lazy dog.')
    expect(short.estimated).toBe(true)
    expect(short.tokens).toBeGreaterThanOrEqual(10)
    expect(short.tokens).toBeLessThan(25)
    const image = {
      type: 'image' as const,
      source: 'iVBORw0=',
      mediaType: 'image/png',
      width: 1_000,
      height: 750,
    }
    const withImage = await count({ messages: [{ role: 'user', content: [image] }] })
    expect(withImage.tokens).toBeGreaterThanOrEqual(1_000)
    const tools = [{ name: 'look', description: 'word '.repeat(500), inputSchema: { type: 'object' } }]
    expect((await count({ messages, tools })).tokens).toBeGreaterThan(400)
  })

  test.each([
    ['words', 'word '.repeat(400_000), 400_000],
    ['one letter for ever', 'a'.repeat(1_000_000), 125_000],
    ['another script', '\u4f60\u597d'.repeat(200_000), 200_000],
    ['a mark of the tokenizer', '<|endoftext|>', 7],
    ['nothing', '', 0],
  ])('an estimate of %s is near, however long it is', async (_, text, tokens) => {
    const estimated = await estimateTextTokens(text)
    expect(estimated).toBeGreaterThanOrEqual(tokens * 0.85)
    expect(estimated).toBeLessThanOrEqual(tokens * 1.2)
  })
})

describe('a request that cannot fit', () => {
  test('fails before it is sent, and says by how much', async () => {
    await using server = await startScriptedServer({ status: 500, body: ['{}'] })
    const own = await createAirlock({
      home,
      env: {},
      credentials: createMemoryStore(),
      retry: false,
      settings: {
        providers: {
          'openai-compatible': {
            apiUrl: `${server.url}/v1`,
            availableModels: [{ name: 'm', maxTokens: 1_000 }],
          },
        },
      },
    })
    onTestFinished(() => own.close())
    await own.load(join(repoRoot, 'extensions/openai-compatible'))
    const long = {
      model: 'openai-compatible/m',
      messages: [{ role: 'user' as const, content: 'word '.repeat(5_000) }],
    }
    await expect(own.complete(long).result()).rejects.toMatchObject({
      kind: 'context-length-exceeded',
      message: expect.stringMatching(
        /about 50\d\d tokens, about 40\d\d more than the 1000 .*openai-compatible\/m/,
      ),
    })
    expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test("is not refused by an estimate that the provider's own count corrects", async () => {
    // The mirror counts characters: 60,000 fit into 100,000, whatever a tokenizer says.
    const content = '\u{1F9EA}'.repeat(15_000)
    const { text } = await airlock
      .complete({ model: 'mirror/large', messages: [{ role: 'user', content }] })
      .result()
    expect(JSON.parse(text).request.messages).toHaveLength(1)
  })

  test('is not refused for the size of a file, which says little of its tokens', async () => {
    const file = { type: 'file' as const, source: 'A'.repeat(9_000_000), mediaType: 'application/pdf' }
    const own = await createAirlock({
      home,
      env: {},
      credentials: createMemoryStore(),
      retry: false,
      settings: {
        providers: {
          'openai-compatible': {
            apiUrl: 'http://127.0.0.1:9/v1',
            availableModels: [{ name: 'm', maxTokens: 128_000 }],
          },
        },
      },
    })
    onTestFinished(() => own.close())
    await own.load(join(repoRoot, 'extensions/openai-compatible'))
    const completion = own.complete({
      model: 'openai-compatible/m',
      messages: [{ role: 'user', content: [file] }],
    })
    // It was sent, to a service that is not there.
    await expect(completion.result()).rejects.toMatchObject({ kind: 'network' })
  })

  test('has too many tools for its model', async () => {
    const tools = ['a', 'b', 'c'].map(name => ({ name, inputSchema: { type: 'object' } }))
    const answer = (model: string) => airlock.complete({ model, messages, tools }).result()
    await expect(answer('mirror/small')).rejects.toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('3 tools, and mirror/small takes at most 2'),
    })
    expect((await answer('mirror/large')).stopReason).toBe('end-turn')
  })

  test('moves on to a model with a larger window', async () => {
    const completion = airlock.complete({
      model: ['mirror/small', 'mirror/large'],
      messages: [{ role: 'user', content: 'word '.repeat(10_000) }],
    })
    expect((await completion.result()).reference).toBe('mirror/large')
  })
})
