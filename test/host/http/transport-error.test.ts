import { errors } from 'undici'
import { expect, test } from 'vitest'
import { PermissionDeniedError } from '../../../host/errors.ts'
import { toTransportError } from '../../../host/http/transport-error.ts'

const system = (code: string) => Object.assign(new Error('connect 10.0.0.1'), { code, syscall: 'connect' })

test.each<[Error, string, RegExp]>([
  [system('ECONNREFUSED'), 'connect-failed', /^Cannot reach https:\/\/x\.example: connection refused$/],
  [system('EHOSTUNREACH'), 'connect-failed', /no route/],
  [system('ETIMEDOUT'), 'timed-out', /no connection in time/],
  [new errors.ConnectTimeoutError('t'), 'timed-out', /no connection in time/],
  [system('ENOTFOUND'), 'dns-failed', /no such host name/],
  [system('EAI_AGAIN'), 'dns-failed', /cannot be looked up/],
  [system('ECONNRESET'), 'connection-lost', /was lost before the answer was complete/],
  [system('EPIPE'), 'connection-lost', /was lost/],
  [new errors.SocketError('other side closed'), 'connection-lost', /was lost/],
  [new errors.ResponseContentLengthMismatchError(), 'connection-lost', /before the answer was complete/],
  [new errors.HeadersOverflowError(), 'too-large', /headers/],
  [
    Object.assign(new errors.HTTPParserError('bad'), { data: 'secret-value' }),
    'invalid-response',
    /it is not HTTP/,
  ],
  [system('CERT_HAS_EXPIRED'), 'tls-failed', /CERT_HAS_EXPIRED/],
  [system('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls-failed', /DEPTH_ZERO_SELF_SIGNED_CERT/],
  [system('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls-failed', /UNABLE_TO_VERIFY/],
  [system('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls-failed', /ALTNAME/],
  [system('EPROTO'), 'tls-failed', /EPROTO/],
  [
    new AggregateError([system('ECONNREFUSED'), system('ENETUNREACH')]),
    'connect-failed',
    /connection refused/,
  ],
  [new Error('nobody has heard of this: secret-value'), 'connection-lost', /was lost/],
])('toTransportError %o', (error, code, message) => {
  const told = toTransportError(error, 'https://x.example')
  expect(told).toMatchObject({ code, message: expect.stringMatching(message) })
  expect(JSON.stringify(told, Object.getOwnPropertyNames(told))).not.toContain('secret-value')
})

test('toTransportError leaves errors of our own alone', () => {
  const error = new PermissionDeniedError('network: x', 'no')
  expect(toTransportError(error, 'https://x.example')).toBe(error)
})
