import { describe, expect, test } from 'vitest'
import { createMessagesDecoder } from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import { framesOf, replay } from '../replay.ts'
import { call, end, head, read, text } from './answer.ts'

describe('createMessagesDecoder: usage', () => {
  test('counts of message_delta are totals that replace those of message_start (C9)', () => {
    const first = {
      input_tokens: 10,
      output_tokens: 1,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 3,
    }
    const last = {
      input_tokens: null,
      output_tokens: 9,
      cache_read_input_tokens: 4,
      output_tokens_details: { thinking_tokens: 6 },
    }
    expect(read(head(first), ...end('end_turn', last)).result.usage).toEqual({
      inputTokens: 10,
      outputTokens: 9,
      cacheCreationInputTokens: 7,
      cacheReadInputTokens: 4,
      reasoningTokens: 6,
    })
  })
  test('it is there where the answer failed', () => {
    const { result, error } = read(head(), { type: 'error', error: { type: 'api_error', message: 'x' } })
    expect(result.usage).toEqual({ inputTokens: 10, outputTokens: 1 })
    expect(error).toBeDefined()
  })
})

describe('createMessagesDecoder: errors', () => {
  test.each([
    ['overloaded_error', 'overloaded', 529],
    ['rate_limit_error', 'rate-limited', 429],
    ['authentication_error', 'authentication', 401],
    ['permission_error', 'permission', 403],
    ['billing_error', 'quota-exhausted', 402],
    ['api_error', 'other', 500],
    ['timeout_error', 'overloaded', 504],
  ])('%s as the first event under 200 is %s (D5)', (type, kind, status) => {
    const { error, events } = read({ type: 'error', error: { type, message: 'Sorry' }, request_id: 'r' })
    expect(error).toMatchObject({ kind, status, code: type, message: 'Sorry' })
    expect(events).toEqual([])
  })
  test('after text the text is kept (D4)', () => {
    const failed = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const { error, result, stopped } = read(head(), ...text(0, 'Half'), failed)
    expect([error?.kind, result.text, stopped]).toEqual(['overloaded', 'Half', false])
  })
  test('a prompt that is too long is named so', () => {
    const error = { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' }
    expect(read({ type: 'error', error }).error?.kind).toBe('context-length-exceeded')
  })
  test('a body that ends with nothing to say why has no stop (A21)', () => {
    expect(read(head(), ...text(0, 'Half')).stopped).toBe(false)
    expect(read(head(), ...call(0, '{}'), ...end(null)).stopped).toBe(false)
  })
  test('bare JSON in the body is an error all the same (A22)', () => {
    const body = '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}'
    const { error } = replay(createMessagesDecoder(), framesOf([Buffer.from(body)]))
    expect(error).toMatchObject({ kind: 'rate-limited', message: 'Slow down' })
  })
  test('a web page is not dumped (D8)', () => {
    const page = '<html><head><title>502 Bad Gateway</title></head></html>'
    const { error } = replay(createMessagesDecoder(), framesOf([Buffer.from(page)]))
    expect(error?.message).toBe('The service answered with a web page: 502 Bad Gateway')
  })
})
