import { expect, test } from 'vitest'
import { delta, framesOf, readAnswer, stream } from './read-answer.ts'

const hi = delta({ content: 'Hi' })

const cases: [name: string, frame: { event?: string; data: string } | { text: string }, error: object][] = [
  [
    'D1 an error object',
    { data: '{"error":{"message":"quota exceeded"}}' },
    { kind: 'other', message: 'quota exceeded' },
  ],
  [
    'D3 with code, status and message',
    {
      data: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Slow down","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}',
    },
    {
      kind: 'rate-limited',
      code: 'RESOURCE_EXHAUSTED',
      status: 429,
      message: 'Slow down',
      retryAfterMs: 17_000,
    },
  ],
  [
    'D3 in a list',
    { data: '[{"error":{"code":503,"status":"UNAVAILABLE","message":"Busy"}}]' },
    { kind: 'overloaded', status: 503, message: 'Busy' },
  ],
  [
    'D4 an event named error',
    { event: 'error', data: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
    { kind: 'overloaded', code: 'overloaded_error', message: 'Overloaded' },
  ],
  [
    'D4 an event named error that is no JSON',
    { event: 'error', data: 'upstream gone' },
    { kind: 'other', message: 'upstream gone' },
  ],
  ['D7 error as a text', { data: '{"error":"model is loading"}' }, { message: 'model is loading' }],
  ['D7 message alone', { data: '{"message":"no such route"}' }, { message: 'no such route' }],
  ['D7 detail', { data: '{"detail":"Not authenticated"}' }, { message: 'Not authenticated' }],
  [
    'D7 detail as a list',
    { data: '{"detail":[{"loc":["body"],"msg":"field required"}]}' },
    { message: 'field required' },
  ],
  [
    'D7 errors',
    { data: '{"success":false,"errors":[{"code":7003,"message":"No route"}]}' },
    { message: 'No route' },
  ],
  [
    'D7 RFC 7807',
    { data: '{"type":"https://a.example/full","title":"Out of credit","status":402}' },
    { kind: 'quota-exhausted', status: 402, message: 'Out of credit' },
  ],
  [
    'an object that says it is one',
    { data: '{"object":"error","message":"context is full","type":"BadRequestError","code":400}' },
    { message: 'context is full', status: 400 },
  ],
  [
    'D12 insufficient_quota is not a matter of waiting, though 429',
    {
      data: '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota","status":429}}',
    },
    { kind: 'quota-exhausted', code: 'insufficient_quota' },
  ],
  [
    'D12 a rate limit that speaks of tokens is no overflow of the context',
    {
      data: '{"error":{"message":"Rate limit reached: too many tokens per minute","code":"rate_limit_exceeded"}}',
    },
    { kind: 'rate-limited', code: 'rate_limit_exceeded' },
  ],
  [
    'context_length_exceeded',
    {
      data: '{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}',
    },
    { kind: 'context-length-exceeded' },
  ],
  [
    'beside choices',
    {
      data: '{"id":"c1","choices":[{"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"Provider disconnected"}}',
    },
    { kind: 'overloaded', status: 502, message: 'Provider disconnected' },
  ],
  [
    'inside a choice',
    { data: '{"choices":[{"error":{"code":429,"message":"Slow down"},"delta":{},"finish_reason":"error"}]}' },
    { kind: 'rate-limited', message: 'Slow down' },
  ],
  [
    'finish_reason error alone',
    { data: '{"choices":[{"delta":{},"finish_reason":"error"}]}' },
    { kind: 'other', code: 'error', message: 'The service broke off its answer: finish_reason is "error"' },
  ],
  [
    'finish_reason network_error',
    { data: '{"choices":[{"finish_reason":"network_error"}]}' },
    { kind: 'network' },
  ],
  [
    'a status of its own beside a good answer',
    { data: '{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}' },
    { kind: 'quota-exhausted', message: 'insufficient balance' },
  ],
  [
    'no JSON',
    { data: 'Network connection lost' },
    {
      kind: 'other',
      message: 'Cannot read the answer: expected a JSON object, got: Network connection lost',
    },
  ],
  [
    'half JSON',
    { data: '{"choices":[{"del' },
    { kind: 'other', message: expect.stringContaining('{"choices":[{"del') },
  ],
  [
    'no JSON, long',
    { data: `oops ${'x'.repeat(5000)}` },
    { message: `Cannot read the answer: expected a JSON object, got: oops ${'x'.repeat(195)}...` },
  ],
  ['JSON, but no object', { data: '"busy"' }, { kind: 'other', message: expect.stringContaining('"busy"') }],
  [
    'D8 a web page',
    { text: '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>' },
    { message: 'The service answered with a web page: 502 Bad Gateway' },
  ],
]

test.each(cases)('readStreamError: %s', (_, frame, error) => {
  // D5: as the first event.
  expect(readAnswer([frame])).toMatchObject({ text: '', error })
  // D11: after text, which is kept; no stop follows, nor what comes after.
  const late = readAnswer([...stream(hi), frame, ...stream(delta({}, 'stop'), '[DONE]')])
  expect(late).toMatchObject({ text: 'Hi', error })
  expect(late.stop).toBeUndefined()
  // After the finish reason, too.
  expect(readAnswer([...stream(hi, delta({}, 'stop')), frame]).stop).toBeUndefined()
})

test('readStreamError: what is no error', () => {
  const fields = { error: null, message: undefined, base_resp: { status_code: 0, status_msg: '' } }
  expect(readAnswer(stream({ ...delta({ content: 'Hi' }, 'stop'), ...fields })).error).toBeUndefined()
})

test('readStreamError: a body of bare JSON under an event stream (A22)', () => {
  const body = '{\n  "error": {"message": "No such deployment", "code": "model_not_found"}\n}'
  expect(readAnswer(framesOf([new TextEncoder().encode(body)])).error).toEqual({
    kind: 'model-not-found',
    code: 'model_not_found',
    message: 'No such deployment',
  })
})
