import { getEventListeners } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAirlockProvider } from '../../../../host/adapters/ai-sdk/index.ts'
import type { ScriptedAnswer } from '../../../conformance/services/service.ts'
import { type Bench, openBench, refuses, says } from './bench.ts'
import { SETTINGS, type SeenPart } from './sdks.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench('openai-compatible')
})
afterAll(() => bench[Symbol.asyncDispose]())

const hello: ScriptedAnswer = { pieces: [{ text: 'Hello there.' }], stop: 'end-turn' }
const prompt = 'Hi.'
/** So that nothing waits: what the SDK waits by is what the service says. */
const soon = { 'retry-after-ms': '1' }

async function read(parts: AsyncIterable<SeenPart>): Promise<SeenPart[]> {
  const all: SeenPart[] = []
  for await (const part of parts) all.push(part)
  return all
}

async function failureOf(promise: PromiseLike<unknown>): Promise<Record<string, unknown>> {
  try {
    await promise
  } catch (error) {
    return error as Record<string, unknown>
  }
  throw new Error('it did not fail')
}

describe.each(SETTINGS)('$title', ({ sdk, specificationVersion }) => {
  const model = () => createAirlockProvider(bench.airlock, { specificationVersion })(bench.model)
  /** Errors are read where they belong; the SDK prints them to the console besides. */
  const stream = (options: Record<string, unknown>) =>
    sdk.streamText({ model: model(), prompt, onError: () => {}, ...options })

  describe.each(['generateText', 'streamText'] as const)('%s', way => {
    const text = async (options: Record<string, unknown> = {}) =>
      way === 'generateText'
        ? (await sdk.generateText({ model: model(), prompt, ...options })).text
        : await stream(options).text

    test('what fails before its first event is tried again by the SDK alone, as long as the service says', async () => {
      const busy = refuses(bench.subject, 429, 'Slow down', soon)
      bench.script(busy, busy, says(bench.subject, hello))
      expect(await text()).toBe('Hello there.')
      expect(bench.requests()).toHaveLength(3)
    })

    test('maxRetries is how often', async () => {
      const busy = refuses(bench.subject, 503, 'Overloaded', soon)
      bench.script(busy, busy, busy, busy)
      const failure = await failureOf(text({ maxRetries: 1 }))
      expect(bench.requests()).toHaveLength(2)
      if (way === 'generateText') {
        expect(sdk.RetryError.isInstance(failure)).toBe(true)
        expect(sdk.APICallError.isInstance(failure.lastError)).toBe(true)
        expect(failure.lastError).toMatchObject({
          statusCode: 503,
          isRetryable: true,
          responseHeaders: { 'retry-after-ms': '1', 'retry-after': '1' },
        })
      }
    })

    test('an error in the place of the first piece counts as one before it', async () => {
      const { dialect } = bench.subject
      const early = says(bench.subject, hello, () => ({ body: [dialect.errorFrame('Overloaded')] }))
      bench.script(early)
      await failureOf(text({ maxRetries: 0 }))
      bench.script(early)
      const error = await failureOf(model().doStream({ prompt: userSays(prompt) }))
      expect(sdk.APICallError.isInstance(error)).toBe(true)
      expect(error).toMatchObject({ isRetryable: true, cause: { kind: 'overloaded' } })
    })

    test.each([
      [400, 'Bad', {}],
      [401, 'Who are you?', {}],
      [429, 'Come back in an hour', { 'retry-after': '3600' }],
    ])('%i "%s" is not tried again', async (status, message, headers) => {
      bench.script(refuses(bench.subject, status, message, headers))
      await failureOf(text())
      expect(bench.requests()).toHaveLength(1)
    })
  })

  test('an error after the first piece comes in the stream, and the stream ends in one finish', async () => {
    const { dialect } = bench.subject
    bench.script(
      says(bench.subject, hello, frames => ({
        body: [...frames.slice(0, 2), dialect.errorFrame('Overloaded')],
      })),
    )
    const parts = await read(stream({}).fullStream)
    const errors = parts.filter(({ type }) => type === 'error')
    expect(errors).toHaveLength(1)
    expect(sdk.APICallError.isInstance(errors[0]?.error)).toBe(true)
    expect(errors[0]?.error).toMatchObject({ cause: { kind: 'overloaded', partial: expect.anything() } })
    expect(parts.filter(({ type }) => type === 'finish')).toMatchObject([{ finishReason: 'error' }])
    expect(parts.map(({ text }) => text ?? '').join('')).toBe('Hello ')
    expect(bench.requests()).toHaveLength(1)
  })

  test('a connection that breaks off is told from an answer that ended', async () => {
    bench.script(says(bench.subject, hello, frames => ({ body: frames.slice(0, 2), ending: 'destroy' })))
    const parts = await read(stream({}).fullStream)
    expect(parts.filter(({ type }) => type === 'error')).toMatchObject([
      { error: { cause: { kind: 'network' } } },
    ])
    const finishReason = specificationVersion === 'v4' ? 'interrupted' : 'error'
    expect(parts.filter(({ type }) => type === 'finish')).toMatchObject([{ finishReason }])
  })

  test('generateText fails where the answer breaks off, and tries again', async () => {
    const broken = says(bench.subject, hello, frames => ({ body: frames.slice(0, 2), ending: 'destroy' }))
    bench.script(broken)
    const failure = await failureOf(sdk.generateText({ model: model(), prompt, maxRetries: 0 }))
    expect(failure).toMatchObject({ name: 'AI_APICallError', isRetryable: true })
  })

  test('a model that nobody knows is AI_NoSuchModelError', async () => {
    const { airlock } = bench
    for (const id of ['nobody/x', 'openai-compatble/m']) {
      const unknown = createAirlockProvider(airlock, { specificationVersion })(id)
      const failure = await failureOf(sdk.generateText({ model: unknown, prompt }))
      expect(sdk.NoSuchModelError.isInstance(failure)).toBe(true)
      expect(failure).toMatchObject({ modelId: id, modelType: 'languageModel' })
    }
    bench.script(refuses(bench.subject, 404, 'The model `m` does not exist'))
    const failure = await failureOf(sdk.generateText({ model: model(), prompt }))
    expect(sdk.NoSuchModelError.isInstance(failure)).toBe(true)
    expect(bench.requests()).toHaveLength(1)
  })

  describe('abort', () => {
    test('before the call sends nothing', async () => {
      bench.script()
      const abortSignal = AbortSignal.abort()
      const failure = await failureOf(sdk.generateText({ model: model(), prompt, abortSignal }))
      expect(failure.name).toBe('AbortError')
      expect(bench.requests()).toHaveLength(0)
    })

    test('before the first piece ends the call and frees the connection', async () => {
      bench.script({ body: [], ending: 'hang' })
      const controller = new AbortController()
      const result = stream({ abortSignal: controller.signal })
      const parts = read(result.fullStream)
      const request = await askedOnce()
      controller.abort()
      expect((await parts).map(({ type }) => type)).toContain('abort')
      expect(await request.closed).toBe('client-gone')
      await bench.idle()
    })

    test('after the first piece ends the stream and frees the connection', async () => {
      bench.script(says(bench.subject, hello, frames => ({ body: frames.slice(0, 2), ending: 'hang' })))
      const controller = new AbortController()
      const parts: string[] = []
      const result = stream({ abortSignal: controller.signal })
      for await (const part of result.fullStream) {
        parts.push(part.type)
        if (part.type === 'text-delta') controller.abort()
      }
      expect(parts).toContain('abort')
      expect(parts).not.toContain('error')
      expect(await (await askedOnce()).closed).toBe('client-gone')
      await bench.idle()
    })

    test('of generateText does so too', async () => {
      bench.script(says(bench.subject, hello, frames => ({ body: frames.slice(0, 2), ending: 'hang' })))
      const controller = new AbortController()
      const failure = failureOf(sdk.generateText({ model: model(), prompt, abortSignal: controller.signal }))
      const request = await askedOnce()
      controller.abort()
      expect((await failure).name).toBe('AbortError')
      expect(await request.closed).toBe('client-gone')
      await bench.idle()
    })
  })

  test('cancelling the stream itself frees the connection', async () => {
    bench.script(says(bench.subject, hello, frames => ({ body: frames.slice(0, 2), ending: 'hang' })))
    const { stream: parts } = await model().doStream({ prompt: userSays(prompt) })
    await parts.cancel()
    expect(await (await askedOnce()).closed).toBe('client-gone')
    await bench.idle()
  })

  test('an answer leaves no listener on the signal, however it ended', async () => {
    const { signal } = new AbortController()
    bench.script(says(bench.subject, hello), refuses(bench.subject, 400, 'Bad'))
    const { stream: parts } = await model().doStream({ prompt: userSays(prompt), abortSignal: signal })
    for await (const _ of parts);
    await failureOf(model().doGenerate({ prompt: userSays(prompt), abortSignal: signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

function userSays(text: string) {
  return [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }]
}

async function askedOnce() {
  while (bench.requests().length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  return bench.requests()[0]!
}
