import { describe, expect, test } from 'vitest'
import { type CompleteOptions, ProviderError, type Retry } from '../../../../host/index.ts'
import type { Script } from '../../../servers/scripted.ts'
import { answer, ask, head, limited, read, refusal, setUp, text } from './setting.ts'

const streamedError: Script = {
  body: [head('failed'), 'data: {"error":{"message":"Too many people","type":"overloaded_error"}}\n\n'],
}
const torn: Script = { body: [head('torn')], ending: 'destroy' }
const cut: Script = { body: [head('cut')] }

describe('tries again, and leaves no trace of what failed', () => {
  test.each<[what: string, failure: Script, kind: string]>([
    ['refused for a while', limited, 'rate-limited'],
    ['overloaded', refusal(503), 'overloaded'],
    [
      'a web page of a proxy',
      { status: 502, headers: { 'content-type': 'text/html' }, body: ['<html>'] },
      'overloaded',
    ],
    ['a conflict', refusal(409, { 'retry-after-ms': '1' }), 'other'],
    ['an error in a stream, before anything else', streamedError, 'overloaded'],
    ['a connection that is torn', torn, 'network'],
    ['a stream that ends early', cut, 'network'],
  ])('%s', async (_, failure, kind) => {
    const { airlock, asked } = await setUp([failure, answer('Two doors.', 'good')])
    const retries: Retry[] = []
    const completion = airlock.complete(ask, { onRetry: retry => retries.push(retry) })
    const { events, error } = await read(completion)
    expect(error).toBeUndefined()
    expect(events.map(({ type }) => type)).toEqual(['started', 'response-metadata', 'text', 'usage', 'stop'])
    expect(await completion.result()).toMatchObject({ text: 'Two doors.', id: 'good' })
    expect(asked).toHaveLength(2)
    expect(retries).toEqual([
      {
        extension: 'openai-compatible',
        provider: 'openai-compatible',
        model: 'm',
        attempt: 1,
        waitMs: expect.any(Number),
        error: expect.objectContaining({ kind }),
      },
    ])
  })

  test('as often as it may, and says how often', async () => {
    const { airlock, asked } = await setUp(limited)
    const attempts: number[] = []
    const completion = airlock.complete(ask, {
      retry: { maxAttempts: 4 },
      onRetry: ({ attempt }) => attempts.push(attempt),
    })
    const error = await completion.result().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({
      kind: 'rate-limited',
      status: 429,
      attempts: 4,
      provider: 'openai-compatible',
      model: 'm',
      partial: [],
    })
    expect(attempts).toEqual([1, 2, 3])
    expect(asked).toHaveLength(4)
  })

  test('a service that is not there', async () => {
    const { airlock, server } = await setUp([])
    await server.close()
    const waits: number[] = []
    const completion = airlock.complete(ask, {
      retry: { maxWaitMs: 1 },
      onRetry: ({ waitMs }) => waits.push(waitMs),
    })
    await expect(completion.result()).rejects.toMatchObject({
      kind: 'network',
      code: 'connect-failed',
      attempts: 3,
    })
    expect(waits).toEqual([1, 1])
  })
})

describe('does not try again', () => {
  test.each<[what: string, script: Script, options: CompleteOptions, kind: string]>([
    ['what is wrong for good', refusal(400), {}, 'invalid-request'],
    ['a wrong key', refusal(401), {}, 'authentication'],
    ['a quota that is used up', refusal(429, {}, { code: 'insufficient_quota' }), {}, 'quota-exhausted'],
    ['with retry: false', limited, { retry: false }, 'rate-limited'],
    ['with one attempt', limited, { retry: { maxAttempts: 1 } }, 'rate-limited'],
  ])('%s', async (_, script, options, kind) => {
    const { airlock, asked } = await setUp(script)
    await expect(airlock.complete(ask, options).result()).rejects.toMatchObject({ kind, attempts: 1 })
    expect(asked).toHaveLength(1)
  })

  test('with retry: false of the airlock, unless the caller wants it', async () => {
    const { airlock, asked } = await setUp(limited, { retry: false })
    await airlock
      .complete(ask)
      .result()
      .catch(() => {})
    expect(asked).toHaveLength(1)
    await airlock
      .complete(ask, { retry: { maxAttempts: 2 } })
      .result()
      .catch(() => {})
    expect(asked).toHaveLength(3)
  })

  test('when text was delivered: what came is in the error', async () => {
    const { airlock, asked } = await setUp([{ body: [head('a'), text('Two ')], ending: 'destroy' }, answer()])
    const completion = airlock.complete(ask)
    const { events, error } = await read(completion)
    expect(events.map(({ type }) => type)).toEqual(['started', 'response-metadata', 'text'])
    expect(error).toMatchObject({ kind: 'network', attempts: 1, partial: events })
    expect(asked).toHaveLength(1)
  })
})

describe('waits as long as the service says', () => {
  test.each<[what: string, headers: Record<string, string>, error: object, leastMs: number]>([
    ['milliseconds', { 'retry-after-ms': '60' }, {}, 60],
    ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, {}, 50],
    // The extension reads none of these.
    [
      'the reset of a limit that is used up',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '70ms' },
      {},
      70,
    ],
    ['in its message', {}, { message: 'Please try again in 80ms.' }, 80],
  ])('%s', async (_, headers, error, leastMs) => {
    const { airlock } = await setUp([refusal(429, headers, error), answer()])
    const waits: number[] = []
    await airlock.complete(ask, { onRetry: ({ waitMs }) => waits.push(waitMs) }).result()
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThanOrEqual(leastMs)
    // Never the half second of a backoff.
    expect(waits[0]).toBeLessThanOrEqual(leastMs + 250)
  })

  test('but not for hours: fails at once, and says when to come back', async () => {
    const { airlock, asked } = await setUp(refusal(429, { 'retry-after': '10800' }))
    await expect(airlock.complete(ask).result()).rejects.toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 10_800_000,
      message: expect.stringMatching(
        /^Status 429\. The service asks to wait 3 h, longer than the 60 s of retry\.maxWaitMs: come back at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.$/,
      ),
    })
    expect(asked).toHaveLength(1)
  })

  test('an abort ends the wait with the reason of the caller', async () => {
    const { airlock, asked } = await setUp(refusal(429, { 'retry-after': '30' }))
    const controller = new AbortController()
    const reason = new Error('I have it from somebody else')
    const completion = airlock.complete(ask, {
      signal: controller.signal,
      onRetry: () => controller.abort(reason),
    })
    await expect(completion.result()).rejects.toBe(reason)
    expect(asked).toHaveLength(1)
  })

  test('closing the airlock ends the wait', async () => {
    const { airlock } = await setUp(refusal(429, { 'retry-after': '30' }))
    const completion = airlock.complete(ask, { onRetry: () => void airlock.close() })
    await expect(completion.result()).rejects.toMatchObject({ code: 'extension-closed' })
  })
})

describe('timeoutMs', () => {
  test('ends what does not come', async () => {
    const { airlock, asked } = await setUp('never')
    await expect(airlock.complete(ask, { timeoutMs: 300 }).result()).rejects.toMatchObject({
      kind: 'network',
      code: 'timed-out',
      message: 'The answer was not complete within the 300 ms that the caller gave it',
    })
    // It may have ended before anything was sent.
    for (const request of asked) expect(await request.closed).toBe('client-gone')
  })

  test('ends an answer that has begun, with what came', async () => {
    const { airlock } = await setUp({ body: [head('a'), text('Two ')], ending: 'hang' })
    // The sandbox starts before the time is measured.
    await airlock.models()
    const { events, error } = await read(airlock.complete(ask, { timeoutMs: 3_000 }))
    expect(error).toMatchObject({ code: 'timed-out', partial: events })
    expect(events.at(-1)).toEqual({ type: 'text', text: 'Two ' })
  })

  test('no wait goes past it', async () => {
    const { airlock, asked } = await setUp(refusal(429, { 'retry-after': '50' }))
    const completion = airlock.complete(ask, { timeoutMs: 40_000 })
    await expect(completion.result()).rejects.toMatchObject({
      kind: 'rate-limited',
      message: expect.stringContaining('asks to wait 50 s, longer than timeoutMs leaves: come back at'),
    })
    expect(asked).toHaveLength(1)
  })
})

describe('options', () => {
  test.each<[options: object, said: string]>([
    [{ retr: 3 }, 'Cannot complete: there is no option "retr": did you mean "retry"?'],
    [{ retry: { maxAttempt: 3 } }, 'did you mean "maxAttempts"?'],
    [{ retry: { maxAttempts: 0 } }, 'retry.maxAttempts'],
    [{ timeoutMs: 0 }, 'Cannot use timeoutMs: it must be an integer from 1'],
    [{ timeoutMs: 2 ** 31 }, 'current value is 2147483648'],
    [{ signal: 'soon' }, 'Cannot use signal: it must be an AbortSignal'],
    [{ fallback: true }, 'Cannot use fallback: it must be a function'],
    [{ onRetry: 3 }, 'Cannot use onRetry: it must be a function'],
  ])('%j is refused, and nothing is sent', async (options, said) => {
    const { airlock, asked } = await setUp(answer())
    await expect(airlock.complete(ask, options).result()).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining(said),
    })
    expect(asked).toHaveLength(0)
  })

  test('an onRetry that throws changes nothing, and is told in the log', async () => {
    const log: string[] = []
    const { airlock } = await setUp([limited, answer()], { log: ({ message }) => log.push(message) })
    const completion = airlock.complete(ask, {
      onRetry() {
        throw new Error('my own fault')
      },
    })
    expect((await completion.result()).text).toBe('Two doors.')
    expect(log.join()).toContain('my own fault')
  })
})

test('a reader that leaves at stop has the whole answer', async () => {
  const { airlock } = await setUp(answer())
  const completion = airlock.complete(ask)
  for await (const { type } of completion) if (type === 'stop') break
  expect((await completion.result()).text).toBe('Two doors.')
})
