import { describe, expect, test } from 'vitest'
import { readDuration, waitInMessage } from '../../../../host/runtime/retry/durations.ts'
import { withWait } from '../../../../host/runtime/retry/find-wait.ts'
import { retryAfterOf } from '../../../../host/runtime/retry/retry-after.ts'
import { waitInBody } from '../../../../host/runtime/retry/wait-in-body.ts'

const NOW = Date.parse('2026-10-21T07:27:00Z')
const NOW_SECONDS = NOW / 1_000

describe('retryAfterOf', () => {
  test.each<[what: string, headers: Record<string, string>, waitMs: number | undefined]>([
    ['seconds', { 'retry-after': '20' }, 20_000],
    ['a part of a second', { 'retry-after': '0.25' }, 250],
    ['seconds in blanks, under a name in capitals', { 'Retry-After': ' 7 ' }, 7_000],
    ['now', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 60_000],
    ['a date of old servers', { 'retry-after': 'Wednesday, 21-Oct-26 07:28:00 GMT' }, 60_000],
    ['a date as in RFC 3339', { 'retry-after': '2026-10-21T07:28:00Z' }, 60_000],
    ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['a duration', { 'retry-after': '1m30s' }, 90_000],
    ['milliseconds before seconds', { 'retry-after': '2', 'retry-after-ms': '1500' }, 1_500],
    ['milliseconds of Azure', { 'x-ms-retry-after-ms': '41' }, 41],
    ['milliseconds that are none', { 'retry-after': '2', 'retry-after-ms': 'soon' }, 2_000],
    ['a negative number', { 'retry-after': '-1' }, undefined],
    ['a word', { 'retry-after': 'later' }, undefined],
    ['nothing', {}, undefined],
    ['nothing in it', { 'retry-after': '' }, undefined],
    [
      'requests used up, tokens left (OpenAI)',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      1_000,
    ],
    [
      'the longer of two that are used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '120ms',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      360_000,
    ],
    [
      'limits with room left',
      { 'x-ratelimit-remaining-requests': '59', 'x-ratelimit-reset-requests': '1s' },
      undefined,
    ],
    [
      'minutes and parts of seconds (Groq)',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '2m59.56s' },
      179_560,
    ],
    [
      'seconds of a day (Cerebras)',
      { 'x-ratelimit-remaining-requests-day': '0', 'x-ratelimit-reset-requests-day': '33011.382867' },
      33_011_383,
    ],
    [
      'RFC 3339 (Anthropic)',
      {
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-10-21T07:30:00Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-10-21T07:27:42Z',
      },
      42_000,
    ],
    [
      'a status in the place of what is left (Anthropic, subscriptions)',
      {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': `${NOW_SECONDS + 10_800}`,
        'anthropic-ratelimit-unified-7d-status': 'allowed',
        'anthropic-ratelimit-unified-7d-reset': `${NOW_SECONDS + 604_800}`,
      },
      10_800_000,
    ],
    [
      'seconds since 1970 (GitHub)',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW_SECONDS + 12}` },
      12_000,
    ],
    [
      'seconds since 1970, limit not used up (GitHub)',
      { 'x-ratelimit-remaining': '4998', 'x-ratelimit-reset': `${NOW_SECONDS + 12}` },
      undefined,
    ],
    [
      'milliseconds since 1970 (OpenRouter)',
      { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${NOW + 1_234}` },
      1_234,
    ],
    ['a time that has passed', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700000000' }, 0],
    ['a reset alone', { 'x-ratelimit-reset': '5' }, 5_000],
    [
      'a reset alone beside one that is used up',
      { 'x-ratelimit-reset': '500', 'ratelimit-remaining': '0', 'ratelimit-reset': '5' },
      5_000,
    ],
    ['the draft of the IETF', { ratelimit: '"default";r=0;t=30, "day";r=5;t=3600' }, 30_000],
    ['the draft, nothing used up', { ratelimit: '"default";r=50;t=30' }, undefined],
    ['the draft as it was', { ratelimit: 'limit=10, remaining=0, reset=30' }, 30_000],
    ['how long one has been blocked for', { 'x-ratelimit-reset-after': '1.5' }, 1_500],
  ])('%s', (_, headers, waitMs) => {
    expect(retryAfterOf(Object.entries(headers), NOW)).toBe(waitMs)
  })
})

describe('waitInMessage', () => {
  test.each<[message: string, waitMs: number | undefined]>([
    ['Rate limit reached on requests per min. Limit: 3 / min. Please try again in 20s.', 20_000],
    ['Please try again in 6m0s. Visit https://example.com to learn more.', 360_000],
    ['Limit 30000, Used 29000, Requested 2000. Please try again in 7.66s.', 7_660],
    ['Please try again in 550ms.', 550],
    ['You exceeded your quota. Please retry in 37.411s.', 37_411],
    ['Please retry after 26 seconds. Contact us to raise the limit.', 26_000],
    ['Too many requests, wait 1 minute and 5 seconds', 65_000],
    ['Try again in about 2 hours', 7_200_000],
    ['Your limit resets in 1h20m', 4_800_000],
    ['Please retry your request after 30 seconds', 30_000],
    ['You can retry this 3 times', undefined],
    ['Please try again in 20', undefined],
    ['try again in 3 months', undefined],
    ['try again later', undefined],
    ['You have 20s of audio', undefined],
    ['', undefined],
  ])('%s', (message, waitMs) => {
    expect(waitInMessage(message)).toBe(waitMs)
  })
})

test.each<[text: string, ms: number | undefined]>([
  ['1s', 1_000],
  ['6m0s', 360_000],
  ['1h2m3.5s', 3_723_500],
  ['1d', 86_400_000],
  ['250ms', 250],
  ['900us', 1],
  ['17m', 1_020_000],
  ['20', undefined],
  ['s', undefined],
  ['', undefined],
  ['1s later', undefined],
])('readDuration: %j', (text, ms) => {
  expect(readDuration(text)).toBe(ms)
})

describe('waitInBody', () => {
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' }
  test.each<[what: string, body: unknown, waitMs: number | undefined]>([
    ['RetryInfo', { error: { code: 429, details: [{ '@type': 'x' }, retryInfo] } }, 37_000],
    ['RetryInfo in the first of a list', [{ error: { details: [{ retryDelay: '0.5s' }] } }], 500],
    ['seconds', { error: { type: 'usage_limit_reached', resets_in_seconds: 3_600 } }, 3_600_000],
    ['a time', { error: { resets_at: NOW_SECONDS + 5 } }, 5_000],
    ['retry_after', { message: 'Slow down', retry_after: 1.2 }, 1_200],
    ['retry_after as text', { retry_after: '2' }, 2_000],
    ['none', { error: { message: 'no retry_after here' } }, undefined],
    ['one that is none', { retryDelay: 'soon', retry_after: null }, undefined],
  ])('%s', (_, body, waitMs) => {
    expect(waitInBody(Buffer.from(JSON.stringify(body)), NOW)).toBe(waitMs)
  })

  test('no JSON', () => {
    expect(waitInBody(Buffer.from('{"retry_after": 3'), NOW)).toBeUndefined()
  })
})

describe('withWait', () => {
  const limited = { kind: 'rate-limited' as const, message: 'Please try again in 20s' }
  const headers: [string, string][] = [['retry-after', '3']]
  const body = Buffer.from('{"retry_after": 5}')

  test('headers come before the body, the body before the message', () => {
    expect(withWait(limited, { headers, body }, NOW).retryAfterMs).toBe(3_000)
    expect(withWait(limited, { headers: [], body }, NOW).retryAfterMs).toBe(5_000)
    expect(withWait(limited, { headers: [] }, NOW).retryAfterMs).toBe(20_000)
  })

  test('what the extension has read stands', () => {
    expect(withWait({ ...limited, retryAfterMs: 0 }, { headers, body }, NOW).retryAfterMs).toBe(0)
  })

  test('a failure that no wait mends has none', () => {
    const refused = { kind: 'authentication' as const, message: 'Wrong key. Try again in 5s' }
    expect(withWait(refused, { headers, body }, NOW)).toEqual(refused)
  })
})
