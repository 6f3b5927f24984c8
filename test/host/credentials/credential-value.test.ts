import { expect, test } from 'vitest'
import { MAX_CREDENTIAL_CHARS, parseCredentialValue } from '../../../host/credentials/credential-value.ts'

test.each([
  ['sk-abc', 'sk-abc'],
  ['  sk-abc\r\n', 'sk-abc'],
  ['\uFEFFsk-abc\n\n', 'sk-abc'],
  ['\tuser:pass word~!', 'user:pass word~!'],
  ['k'.repeat(MAX_CREDENTIAL_CHARS), 'k'.repeat(MAX_CREDENTIAL_CHARS)],
])('blanks around a key are no part of it: %j', (text, value) => {
  expect(parseCredentialValue(text, 'the variable ACME_KEY')).toBe(value)
})

test.each([
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['sk-secret\nsk-second', 'it has a line break at character 10 of 19'],
  ['sk-secret\r\nsk-second', 'it has a line break at character 10'],
  ['sk-secret\rx', 'it has a line break at character 10'],
  ['sk-secret\u0000x', 'it has a control character at character 10'],
  ['sk-secret\u001b[A', 'it has a control character at character 10'],
  ['sk-secret\u007fx', 'it has a control character at character 10'],
  ['sk-secr\u00e9t', 'it has a character that is not ASCII at character 8'],
  ['\u201csk-secret\u201d', 'it has a character that is not ASCII at character 1'],
  ['sk-secret\u200b', 'it has a character that is not ASCII at character 10'],
  ['sk-\ud83d\ude00', 'it has a character that is not ASCII at character 4'],
  ['sk-secret'.repeat(10_000), 'a key has at most 16384 characters: this has 90000'],
])('%j: %s, and the key is not shown', (text, why) => {
  let caught: unknown
  try {
    parseCredentialValue(text, 'standard input')
  } catch (error) {
    caught = error
  }
  expect(caught).toMatchObject({
    name: 'CredentialError',
    code: 'invalid-credential',
    message: expect.stringContaining(`Cannot use the key from standard input: ${why}`),
  })
  expect(JSON.stringify(caught) + String(caught)).not.toMatch(/sk-/)
})
