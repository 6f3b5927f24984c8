import { describe, expect, test } from 'vitest'
import { ProviderError, type ProviderErrorKind, TransportError } from '../../../../host/errors.ts'
import { planRetry, type RetryState } from '../../../../host/runtime/retry/plan-retry.ts'
import { type RetryOptions, resolveRetry } from '../../../../host/runtime/retry/retry-policy.ts'

const NOW = Date.parse('2026-10-21T07:28:00Z')
const state = (changes: Partial<RetryState> = {}): RetryState => ({
  attempt: 1,
  policy: resolveRetry(),
  leftMs: Number.POSITIVE_INFINITY,
  random: 0.5,
  now: NOW,
  ...changes,
})
const failure = (kind: ProviderErrorKind, more: object = {}) =>
  new ProviderError({ kind, message: 'It did not work', ...more })
const limited = (retryAfterMs: number) => failure('rate-limited', { status: 429, retryAfterMs })

describe('planRetry', () => {
  test.each<[isTried: boolean, what: string, error: ProviderError]>([
    [true, 'rate-limited', failure('rate-limited')],
    [true, 'overloaded', failure('overloaded')],
    [true, 'network', failure('network')],
    [true, 'a connection that was refused', network('connect-failed')],
    [true, 'a connection that was lost', network('connection-lost')],
    [true, 'silence', network('timed-out')],
    [true, 'no name', network('dns-failed')],
    [false, 'a certificate that is not valid', network('tls-failed')],
    [false, 'a request that is not valid', network('invalid-request')],
    [false, 'too much', network('too-large')],
    [false, 'too many redirects', network('too-many-redirects')],
    [true, '408', failure('other', { status: 408 })],
    [true, '409', failure('other', { status: 409 })],
    [true, '425', failure('other', { status: 425 })],
    [true, '500', failure('other', { status: 500 })],
    [false, 'some other failure', failure('other')],
    ...(
      [
        'authentication',
        'permission',
        'quota-exhausted',
        'context-length-exceeded',
        'model-not-found',
        'content-filtered',
        'invalid-request',
        'unsupported',
      ] as const
    ).map((kind): [boolean, string, ProviderError] => [false, kind, failure(kind)]),
  ])('tries again: %s, after %s', (isTried, _, error) => {
    const plan = planRetry(error, state())
    expect(plan).toEqual(isTried ? { waitMs: expect.any(Number) } : { failure: error })
  })

  test.each([
    [1, 0, 50],
    [1, 0.5, 250],
    [1, 1, 500],
    [2, 1, 1_000],
    [3, 1, 2_000],
    [20, 1, 30_000],
  ])(
    'without advice it waits longer each time, of which chance takes a part: %i, %d',
    (attempt, random, waitMs) => {
      const policy = resolveRetry({ maxAttempts: 100 })
      expect(planRetry(failure('overloaded'), state({ attempt, random, policy }))).toEqual({ waitMs })
    },
  )

  test('the wait that the service asked for is never cut short, and not asked for by all at once', () => {
    expect(planRetry(limited(1_500), state({ random: 0 }))).toEqual({ waitMs: 1_500 })
    expect(planRetry(limited(1_500), state({ random: 1 }))).toEqual({ waitMs: 1_750 })
  })

  test('"now" is still a pause', () => {
    expect(planRetry(limited(0), state({ random: 0 }))).toEqual({ waitMs: 50 })
  })

  test('ends when all attempts were made', () => {
    const error = failure('overloaded')
    expect(planRetry(error, state({ attempt: 2 })).failure).toBeUndefined()
    expect(planRetry(error, state({ attempt: 3 })).failure).toBe(error)
    expect(planRetry(error, state({ policy: resolveRetry(false) })).failure).toBe(error)
  })

  test.each([
    [59_900, true],
    [60_000, true],
    [60_100, false],
  ])('a wait of %i ms is waited: %s', (retryAfterMs, isWaited) => {
    expect(planRetry(limited(retryAfterMs), state()).failure === undefined).toBe(isWaited)
  })

  test('a wait above the cap fails at once, with the time to come back', () => {
    const error = limited(3 * 3_600_000)
    expect(planRetry(error, state()).failure).toBe(error)
    expect(error.message).toBe(
      'It did not work. The service asks to wait 3 h, longer than the 60 s of retry.maxWaitMs: come back at 2026-10-21T10:28:00Z.',
    )
    expect(error.retryAfterMs).toBe(3 * 3_600_000)
  })

  test('a cap of the caller', () => {
    const policy = resolveRetry({ maxWaitMs: 100 })
    expect(planRetry(limited(101), state({ policy })).failure?.message).toContain(
      'the 1 s of retry.maxWaitMs',
    )
    expect(planRetry(failure('network'), state({ policy, random: 1 }))).toEqual({ waitMs: 100 })
  })

  test('a wait that no date can tell', () => {
    const { failure } = planRetry(limited(Number.MAX_SAFE_INTEGER), state())
    expect(failure?.message).toContain('come back never')
  })

  test('a wait past the deadline is not begun', () => {
    const error = limited(5_000)
    expect(planRetry(error, state({ leftMs: 4_000 })).failure).toBe(error)
    expect(error.message).toContain('asks to wait 5 s, longer than timeoutMs leaves: come back at')
    const overloaded = failure('overloaded')
    expect(planRetry(overloaded, state({ leftMs: 100 })).failure).toBe(overloaded)
    expect(overloaded.message).toBe('It did not work')
  })
})

describe('resolveRetry', () => {
  test('what stands later counts', () => {
    expect(resolveRetry()).toEqual({ maxAttempts: 3, maxWaitMs: 60_000 })
    expect(resolveRetry({ maxAttempts: 5, maxWaitMs: 1 }, { maxAttempts: 2 })).toEqual({
      maxAttempts: 2,
      maxWaitMs: 1,
    })
    expect(resolveRetry(undefined, false).maxAttempts).toBe(1)
  })

  test.each([
    [{ maxAttempts: 0 }, 'retry.maxAttempts: it must be an integer of 1 or more: current value is 0'],
    [{ maxAttempts: 1.5 }, 'current value is 1.5'],
    [{ maxWaitMs: -1 }, 'retry.maxWaitMs: it must be an integer of 0 or more'],
    [{ maxAttempt: 2 }, 'there is no option "maxAttempt": did you mean "maxAttempts"?'],
  ])('%j is refused', (options, said) => {
    expect(() => resolveRetry(options as RetryOptions)).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(said) }),
    )
  })
})

function network(code: TransportError['code']): ProviderError {
  return failure('network', { providerCode: code, cause: new TransportError(code, 'It did not work') })
}
