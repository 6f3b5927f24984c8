import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRateLimiter, type RateLimit } from '../../../../host/runtime/retry/rate-limiter.ts'
import { createTokenBucket } from '../../../../host/runtime/retry/token-bucket.ts'
import { answer, ask, limited, messages, setUp } from './setting.ts'

const signal = new AbortController().signal

describe('createTokenBucket', () => {
  test('is full at first, fills as time goes by, and never beyond its capacity', () => {
    let time = 0
    const bucket = createTokenBucket({ capacity: 10, perMs: 0.1, now: () => time })
    expect(bucket.delayFor(10)).toBe(0)
    bucket.take(10)
    expect([bucket.delayFor(1), bucket.delayFor(5)]).toEqual([10, 50])
    time = 50
    expect([bucket.delayFor(5), bucket.delayFor(6)]).toEqual([0, 10])
    time = 1_000_000
    bucket.take(4)
    expect(bucket.delayFor(10)).toBe(40)
  })

  test('lets more than it holds through when it is full, and pays for it later', () => {
    let time = 0
    const bucket = createTokenBucket({ capacity: 10, perMs: 0.1, now: () => time })
    expect(bucket.delayFor(30)).toBe(0)
    bucket.take(30)
    expect(bucket.delayFor(1)).toBe(210)
    time = 210
    expect(bucket.delayFor(1)).toBe(0)
  })

  test('takes back what was not used', () => {
    const bucket = createTokenBucket({ capacity: 10, perMs: 0.1, now: () => 0 })
    bucket.take(10)
    bucket.take(-25)
    expect(bucket.delayFor(10)).toBe(0)
    bucket.take(10)
    expect(bucket.delayFor(10)).toBe(100)
  })
})

describe('createRateLimiter', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Enters one after the other; `entered` are those that were let in so far. */
  function queue(limit: RateLimit) {
    const limiter = createRateLimiter({ acme: limit })
    const entered: string[] = []
    const leave = new Map<string, (usage?: { inputTokens: number; outputTokens: number }) => void>()
    const enter = (name: string, tokens = 0, signal = new AbortController().signal) =>
      limiter
        .enter(['acme'], () => tokens, signal)
        .then(release => {
          entered.push(name)
          leave.set(name, usage => release(usage))
        })
    const now = () => vi.advanceTimersByTimeAsync(0)
    return {
      enter,
      entered,
      leave: (name: string, usage?: { inputTokens: number; outputTokens: number }) =>
        leave.get(name)?.(usage),
      now,
    }
  }

  test('lets in as many at once as it may, first come, first served', async () => {
    const { enter, entered, leave, now } = queue({ concurrency: 2 })
    for (const name of ['a', 'b', 'c', 'd']) void enter(name)
    await now()
    expect(entered).toEqual(['a', 'b'])
    leave('b')
    await now()
    expect(entered).toEqual(['a', 'b', 'c'])
    leave('a')
    leave('c')
    await now()
    expect(entered).toEqual(['a', 'b', 'c', 'd'])
  })

  test('an abort leaves the queue at once, with its reason, and lets the next one in', async () => {
    const { enter, entered, leave, now } = queue({ concurrency: 1 })
    const controller = new AbortController()
    void enter('a')
    const waiting = enter('b', 0, controller.signal)
    void enter('c')
    await now()
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    leave('a')
    await now()
    expect(entered).toEqual(['a', 'c'])
    await expect(enter('d', 0, controller.signal)).rejects.toBe(reason)
  })

  test('spreads requests over the minute', async () => {
    const { enter, entered, now } = queue({ requestsPerMinute: 2 })
    for (const name of ['a', 'b', 'c', 'd']) void enter(name)
    await now()
    expect(entered).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(30_000)
    expect(entered).toEqual(['a', 'b', 'c'])
    await vi.advanceTimersByTimeAsync(30_000)
    expect(entered).toEqual(['a', 'b', 'c', 'd'])
  })

  test('sets tokens aside, and settles by what was used; nobody overtakes', async () => {
    const { enter, entered, leave, now } = queue({ tokensPerMinute: 1_000 })
    void enter('a', 900)
    void enter('large', 500)
    void enter('small', 10)
    await now()
    expect(entered).toEqual(['a'])
    leave('a', { inputTokens: 100, outputTokens: 50 })
    await now()
    expect(entered).toEqual(['a', 'large', 'small'])
    leave('large', { inputTokens: 1_000, outputTokens: 1_000 })
    void enter('b', 1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(entered).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(entered).toHaveLength(4)
  })

  test("a request of more than a minute's tokens goes when nothing else has gone", async () => {
    const { enter, entered, now } = queue({ tokensPerMinute: 100 })
    void enter('a', 5_000)
    await now()
    expect(entered).toEqual(['a'])
  })

  test('one provider does not wait for another, and the first name with a limit counts', async () => {
    const limiter = createRateLimiter({ 'x:acme': { concurrency: 1 } })
    await limiter.enter(['acme', 'x:acme'], () => 0, signal)
    await limiter.enter(['acme', 'y:acme'], () => 0, signal)
    await limiter.enter(['acme', 'y:acme'], () => 0, signal)
    let entered = false
    void limiter.enter(['acme', 'x:acme'], () => 0, signal).then(() => (entered = true))
    await vi.advanceTimersByTimeAsync(1_000_000)
    expect(entered).toBe(false)
  })

  test.each([
    [{ acme: { concurrency: 0 } }, 'rateLimits.acme.concurrency: it must be a positive integer'],
    [{ acme: { requestsPerMinute: 1.5 } }, 'current value is 1.5'],
    [{ acme: { requestPerMinute: 1 } }, 'rateLimits.acme.requestPerMinute'],
  ])('%j is refused', (limits, said) => {
    expect(() => createRateLimiter(limits as Record<string, RateLimit>)).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(said) }),
    )
  })
})

describe('rateLimits of an airlock', () => {
  test.each([
    ['option', { rateLimits: { 'openai-compatible': { concurrency: 2 } } }],
    ['setting', { settings: { rateLimits: { 'openai-compatible': { concurrency: 2 } } } }],
  ])('as an %s: so many at once, failures and aborts too', async (_, options) => {
    let open = 0
    let most = 0
    const both = Promise.withResolvers<void>()
    const { airlock, asked } = await setUp(async (request, index) => {
      open++
      most = Math.max(most, open)
      void request.closed.then(() => open--)
      if (open === 2) both.resolve()
      // The first answers only when there is another beside it.
      await both.promise
      if (index % 5 === 1) return limited
      return index % 5 === 3 ? { body: [], ending: 'destroy' } : answer()
    }, options)
    const controllers = Array.from({ length: 20 }, () => new AbortController())
    const completions = controllers.map(({ signal }) => airlock.complete(ask, { signal, retry: false }))
    for (const index of [2, 9, 19]) controllers[index]!.abort(new Error('enough'))
    await Promise.allSettled(completions.map(completion => completion.result()))
    expect(most).toBe(2)
    expect(asked).toHaveLength(17)
    // Nobody has kept a place.
    expect((await airlock.complete({ ...ask, messages }).result()).text).toBe('Two doors.')
  })

  test('a wrong one is refused where the airlock is made', async () => {
    const rateLimits = { 'openai-compatible': { concurrency: -1 } }
    await expect(setUp(answer(), { rateLimits })).rejects.toMatchObject({ code: 'invalid-option' })
    await expect(setUp(answer(), { rateLimit: {} } as object)).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining('did you mean "rateLimits"?'),
    })
  })
})
