import { describe, expect, test } from 'vitest'
import {
  checkRequestHeaders,
  type HeaderList,
  isCredentialHeader,
  MAX_HEADER_VALUE_CHARS,
  MAX_HEADERS,
} from '../../../host/policy/headers.ts'

describe('checkRequestHeaders', () => {
  test.each<[string, HeaderList]>([
    ['content-length', [['Content-Length', '5']]],
    ['transfer-encoding', [['transfer-encoding', 'chunked']]],
    ['host', [['Host', 'evil.example']]],
    ['connection', [['connection', 'close, x-api-key']]],
    ['keep-alive', [['keep-alive', '1']]],
    ['te', [['TE', 'trailers']]],
    ['trailer', [['trailer', 'x']]],
    ['upgrade', [['upgrade', 'h2c']]],
    ['expect', [['expect', '100-continue']]],
    ['cookie', [['cookie', 'a=b']]],
    ['proxy-authorization', [['Proxy-Authorization', 'Basic secret-value']]],
    ['proxy-connection', [['proxy-connection', 'keep-alive']]],
    [':authority', [[':authority', 'evil.example']]],
    ['a name with a space', [['x y', '1']]],
    ['a name with a line break', [['x\r\nhost: evil.example', '1']]],
    ['an empty name', [['', '1']]],
    ['a long name', [['x'.repeat(300), '1']]],
    ['a value with CRLF', [['x-test', 'secret-value\r\nhost: evil.example']]],
    ['a value with LF', [['x-test', 'secret-value\nx: y']]],
    ['a value with CR', [['x-test', 'secret-value\r']]],
    ['a value with NUL', [['x-test', 'secret-value\0']]],
    ['a value outside Latin-1', [['x-test', 'secret-value 好']]],
    ['a value that folds to LF', [['x-test', 'secret-value\u010ax: y']]],
    ['a long value', [['x-test', `secret-value${'x'.repeat(MAX_HEADER_VALUE_CHARS)}`]]],
    ['too many', Array.from({ length: MAX_HEADERS + 1 }, (_, i) => [`x-${i}`, 'secret-value'] as const)],
    ['too much', Array.from({ length: 10 }, (_, i) => [`x-${i}`, 'x'.repeat(10_000)] as const)],
  ])('refuses %s without naming a value', (_name, headers) => {
    let thrown: unknown
    try {
      checkRequestHeaders(headers)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'invalid-request' })
    expect((thrown as Error).message).not.toMatch(/secret-value|[\r\n]/)
  })

  test('names the header', () => {
    expect(() => checkRequestHeaders([['X-Test', 'a\nb']])).toThrow('"X-Test"')
  })

  test('takes what services need', () => {
    checkRequestHeaders([
      ['Authorization', 'Bearer x'],
      ['anthropic-version', '2023-06-01'],
      ['content-type', 'application/json; charset=utf-8'],
      ['x-title', 'Tést\t1'],
      ['accept', '*/*'],
    ])
  })
})

test.each([
  ['Authorization', true],
  ['x-api-key', true],
  ['api-key', true],
  ['x-goog-api-key', true],
  ['Ocp-Apim-Subscription-Key', true],
  ['x-amz-security-token', true],
  ['cookie', true],
  ['x-auth-token', true],
  ['content-type', false],
  ['anthropic-version', false],
  ['user-agent', false],
])('isCredentialHeader %s: %s', (name, expected) => {
  expect(isCredentialHeader(name)).toBe(expected)
})
