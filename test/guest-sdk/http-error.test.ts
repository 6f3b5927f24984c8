import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHttpResponse, errorFromResponse, errorFromValue, retryAfter } from '../../guest-sdk/index.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 9, 21, 7, 28, 0), toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const reject = (status: number, body: unknown, headers: [string, string][] = []) =>
  errorFromResponse(
    createHttpResponse({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }),
  )

test('errorFromResponse finds the message wherever services put it', () => {
  const cases: [body: unknown, message: string][] = [
    [{ error: { message: 'in error' } }, 'in error'],
    [{ error: 'a string' }, 'a string'],
    [{ message: 'at the top' }, 'at the top'],
    [{ detail: 'fast' }, 'fast'],
    [{ detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] }, 'field required'],
    [{ errors: ['first', 'second'] }, 'first'],
    [{ success: false, errors: [{ code: 7003, message: 'no route' }] }, 'no route'],
    [
      {
        type: 'https://x.test/probs/credit',
        title: 'Out of credit',
        detail: 'Your balance is 30',
        status: 403,
      },
      'Your balance is 30',
    ],
    [{ type: 'about:blank', title: 'Only a title' }, 'Only a title'],
    [{ object: 'error', message: { detail: [{ msg: 'nested deep' }] } }, 'nested deep'],
    [{ error: 'invalid_grant', error_description: 'The code has expired' }, 'The code has expired'],
    [[{ error: { message: 'in a list' } }], 'in a list'],
    [
      {
        error: {
          message: 'Provider returned error',
          metadata: { raw: '{"error":{"message":"upstream said"}}' },
        },
      },
      'Provider returned error: upstream said',
    ],
    [
      { error: { message: 'Provider returned error', metadata: { raw: 'plain' } } },
      'Provider returned error: plain',
    ],
    ['Network connection lost', 'Network connection lost'],
    ['{"broken', '{"broken'],
    [
      '<!DOCTYPE html><html><head><title>acme.test | 502:\n Bad gateway</title></head><body>x</body></html>',
      'The service answered with a web page: acme.test | 502: Bad gateway',
    ],
    ['<html></html>', 'The service answered with a web page'],
    ['', 'The service answered with status 400'],
    [{}, '{}'],
    [{ error: {} }, '{"error":{}}'],
    [null, 'null'],
    ['x'.repeat(300), `${'x'.repeat(200)}...`],
    [{ error: { message: 'y'.repeat(900) } }, `${'y'.repeat(500)}...`],
  ]
  for (const [body, message] of cases) {
    const found = reject(400, body).message
    expect(found).toBe(message)
    expect(found).not.toContain('[object')
  }
})

test('errorFromResponse tells the kind by code before status, by status before words', () => {
  const error = (parts: object) => ({ error: { message: 'm', ...parts } })
  const cases: [status: number, body: unknown, kind: string, code?: string][] = [
    [
      429,
      error({ code: 'insufficient_quota', type: 'insufficient_quota' }),
      'quota-exhausted',
      'insufficient_quota',
    ],
    [
      429,
      error({ message: 'You exceeded your current quota', code: 429, status: 'RESOURCE_EXHAUSTED' }),
      'rate-limited',
      'RESOURCE_EXHAUSTED',
    ],
    [429, error({ message: 'maximum context tokens per minute' }), 'rate-limited'],
    [429, 'too many', 'rate-limited'],
    [
      400,
      error({ code: 'context_length_exceeded', type: 'invalid_request_error' }),
      'context-length-exceeded',
      'context_length_exceeded',
    ],
    [
      400,
      error({ message: 'prompt is too long: 210000 tokens > 200000 maximum' }),
      'context-length-exceeded',
    ],
    [
      400,
      error({ message: "This model's maximum context length is 8192 tokens." }),
      'context-length-exceeded',
    ],
    [
      400,
      error({ message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' }),
      'authentication',
      'INVALID_ARGUMENT',
    ],
    [400, error({ message: 'Your credit balance is too low to access the API' }), 'quota-exhausted'],
    [400, error({ code: 'unsupported_parameter' }), 'invalid-request', 'unsupported_parameter'],
    [401, error({ type: 'invalid_request_error', code: null }), 'authentication', 'invalid_request_error'],
    [402, error({ message: 'Insufficient Balance' }), 'quota-exhausted'],
    [403, error({ type: 'permission_error' }), 'permission', 'permission_error'],
    [403, '', 'permission'],
    [404, error({ code: 'model_not_found' }), 'model-not-found', 'model_not_found'],
    [
      404,
      error({ type: 'not_found_error', message: 'model: claude-9' }),
      'model-not-found',
      'not_found_error',
    ],
    [404, '<html></html>', 'invalid-request'],
    [
      413,
      error({ type: 'request_too_large', message: 'Request exceeds the maximum size' }),
      'invalid-request',
      'request_too_large',
    ],
    [422, { detail: 'x' }, 'invalid-request'],
    [408, '', 'other'],
    [409, '', 'other'],
    [425, '', 'other'],
    [500, error({ type: 'api_error' }), 'other', 'api_error'],
    [501, '', 'unsupported'],
    [502, '<html></html>', 'overloaded'],
    [503, error({ status: 'UNAVAILABLE' }), 'overloaded', 'UNAVAILABLE'],
    [504, '', 'overloaded'],
    [524, '', 'overloaded'],
    [529, error({ type: 'overloaded_error' }), 'overloaded', 'overloaded_error'],
    [599, error({ type: 'nobody_has_heard_of' }), 'other', 'nobody_has_heard_of'],
  ]
  for (const [status, body, kind, code] of cases) {
    expect({ status, body, ...reject(status, body) }).toMatchObject({
      status,
      body,
      kind,
      ...(code && { code }),
    })
  }
})

test('errorFromValue reads an error inside a stream, its number as the status', () => {
  expect(errorFromValue({ type: 'overloaded_error', message: 'Overloaded' })).toEqual({
    kind: 'overloaded',
    message: 'Overloaded',
    code: 'overloaded_error',
  })
  expect(errorFromValue({ code: 429, message: 'slow' })).toEqual({
    kind: 'rate-limited',
    message: 'slow',
    status: 429,
  })
  expect(errorFromValue({ code: '502', message: 'bad' })).toMatchObject({ kind: 'overloaded', status: 502 })
  expect(errorFromValue('quota exceeded')).toEqual({ kind: 'other', message: 'quota exceeded' })
  expect(errorFromValue(null)).toEqual({ kind: 'other', message: 'The service reported an error' })
  expect(errorFromValue(JSON.parse('{"__proto__":{"message":"x"},"message":"own"}'))).toMatchObject({
    message: 'own',
  })
})

test('retryAfter reads milliseconds first, then seconds or a date by the clock', () => {
  const cases: [headers: [string, string][], expected: number | undefined][] = [
    [
      [
        ['retry-after-ms', '1500'],
        ['retry-after', '2'],
      ],
      1500,
    ],
    [
      [
        ['retry-after-ms', 'soon'],
        ['retry-after', '2'],
      ],
      2000,
    ],
    [[['Retry-After', '59.9']], 59_900],
    [[['Retry-After', '0']], 0],
    [[['retry-after', 'Wed, 21 Oct 2026 07:28:30 GMT']], 30_000],
    [[['retry-after', 'Wed, 21 Oct 2015 07:28:00 GMT']], 0],
    [[['retry-after', '2026-10-21T07:29:00Z']], 60_000],
    [[['retry-after', '-1']], undefined],
    [[['retry-after', 'later']], undefined],
    [[['retry-after', '']], undefined],
    [[], undefined],
  ]
  for (const [headers, expected] of cases) {
    expect(retryAfter(createHttpResponse({ status: 429, headers }))).toBe(expected)
  }
  const google = {
    error: {
      code: 429,
      message: 'm',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36.5s' }],
    },
  }
  expect(reject(429, google).retryAfterMs).toBe(36_500)
  expect(reject(429, google, [['retry-after', '1']]).retryAfterMs).toBe(1000)
})
