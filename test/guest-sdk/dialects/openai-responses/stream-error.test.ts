import { describe, expect, test } from 'vitest'
import { replay } from '../replay.ts'
import { added, created, decoder, message, read, textDelta } from './answer.ts'

const failed = (error: object | null, fields: object = {}) => ({
  type: 'response.failed',
  response: {
    id: 'resp_1',
    status: 'failed',
    error,
    usage: { input_tokens: 3, output_tokens: 1 },
    ...fields,
  },
})

describe('createResponsesDecoder: errors', () => {
  test.each([
    ['server_error', 'other', 500],
    ['rate_limit_exceeded', 'rate-limited', 429],
    ['insufficient_quota', 'quota-exhausted', 429],
    ['server_is_overloaded', 'overloaded', 503],
    ['invalid_prompt', 'invalid-request', 400],
    ['context_length_exceeded', 'context-length-exceeded', 400],
    ['image_content_policy_violation', 'content-filtered', 400],
    ['unheard_of', 'other', undefined],
  ])('response.failed with %s: %s, status %s (H2)', (code, kind, status) => {
    const { events, error, stopped } = read(created, failed({ code, message: 'It failed.' }))
    expect(error).toMatchObject({ kind, code, message: 'It failed.' })
    expect(error?.status).toBe(status)
    expect(stopped).toBe(false)
    expect(events.at(-1)).toEqual({ type: 'usage', inputTokens: 3, outputTokens: 1 })
  })
  test.each([
    ['beside the type', { type: 'error', code: 'server_error', message: 'Oops', param: null }],
    ['inside', { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'Oops' } }],
    ['with no type', { error: { code: 'server_error', message: 'Oops' } }],
  ])('an error event, its fields %s: what came before it stays (D1, D4)', (_, event) => {
    const { result, error } = read(created, added(0, message('')), textDelta(0, 'msg_1', 'Hi'), event)
    expect(error).toMatchObject({ code: 'server_error', message: 'Oops', status: 500 })
    expect(result.text).toBe('Hi')
  })
  test('one that says why, and one that does not (D11)', () => {
    expect(read(failed(null)).error).toMatchObject({ kind: 'other', code: 'failed' })
    const cancelled = { type: 'response.cancelled', response: { status: 'cancelled' } }
    expect(read(cancelled).error).toMatchObject({ code: 'cancelled' })
  })
  test.each([
    ['Please try again in 6.2s.', 6_200],
    ['Please try again in 1m2.5s.', 62_500],
    ['Please try again in 350ms.', 350],
    ['Please try again later.', undefined],
  ])('the wait in words: %s', (words, wait) => {
    const { error } = read(failed({ code: 'rate_limit_exceeded', message: `Rate limit reached. ${words}` }))
    expect(error?.retryAfterMs).toBe(wait)
  })
  test.each([
    ['{"error":{"message":"Bad key","code":"invalid_api_key"}}', 'authentication', 'Bad key'],
    ['{"detail":"Not Found"}', 'other', 'Not Found'],
    [
      '<html><title>502 Bad Gateway</title></html>',
      'other',
      'The service answered with a web page: 502 Bad Gateway',
    ],
    ['Network connection lost', 'other', expect.stringContaining('Network connection lost')],
  ])('a body that is no stream: %s (A22, D7, D8)', (text, kind, words) => {
    expect(replay(decoder(), [{ text }]).error).toMatchObject({ kind, message: words })
  })
})
