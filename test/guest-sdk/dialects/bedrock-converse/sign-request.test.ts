import { describe, expect, test } from 'vitest'
import { type SigningRequest, signRequest } from '../../../../guest-sdk/dialects/bedrock-converse/index.ts'
import { signingKey } from '../../../../guest-sdk/dialects/bedrock-converse/sign-request.ts'

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const vector: SigningRequest = {
  method: 'GET',
  url: 'https://example.amazonaws.com/',
  region: 'us-east-1',
  service: 'service',
  credentials,
  now: Date.UTC(2015, 7, 30, 12, 36, 0),
}
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Requests and signatures of the test suite that AWS publishes for Signature Version 4. */
const vectors: [name: string, request: Partial<SigningRequest>, signed: string, signature: string][] = [
  ['get-vanilla', {}, 'host;x-amz-date', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'post-vanilla',
    { method: 'POST' },
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'get-header-key-duplicate',
    { headers: { 'My-Header1': 'value2,value2,value1' } },
    'host;my-header1;x-amz-date',
    'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  ],
  [
    'get-header-value-multiline',
    { headers: { 'my-header1': 'value1,value2,value3' } },
    'host;my-header1;x-amz-date',
    'ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790',
  ],
  [
    'get-vanilla-query-order-key-case',
    { url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1' },
    'host;x-amz-date',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-empty-query-key',
    { url: 'https://example.amazonaws.com/?Param1=value1' },
    'host;x-amz-date',
    'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  ],
  [
    'get-unreserved',
    {
      url: 'https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    },
    'host;x-amz-date',
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-utf8',
    { url: 'https://example.amazonaws.com/ሴ' },
    'host;x-amz-date',
    '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85',
  ],
  [
    'post-x-www-form-urlencoded',
    { method: 'POST', headers: form, body: 'Param1=value1' },
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
  [
    'post-sts-header-before',
    {
      method: 'POST',
      credentials: {
        ...credentials,
        sessionToken:
          'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==',
      },
    },
    'host;x-amz-date;x-amz-security-token',
    '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  ],
]

describe('signRequest', () => {
  test.each(vectors)('%s', (_, request, signed, signature) => {
    expect(signRequest({ ...vector, ...request }).authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
    )
  })

  test('sends the time and, of temporary keys, the token', () => {
    const temporary = { ...vector, credentials: { ...credentials, sessionToken: 'token' } }
    expect(signRequest(temporary)).toMatchObject({
      'x-amz-date': '20150830T123600Z',
      'x-amz-security-token': 'token',
    })
  })

  test('what is encoded in a path is encoded once more, and a port of the scheme is no part of the host', () => {
    const sign = (url: string) => signRequest({ ...vector, url }).authorization
    expect(sign('https://h.example/model/a%3A0/x')).not.toBe(sign('https://h.example/model/a:0/x'))
    expect(sign('https://h.example:443/')).toBe(sign('https://H.example/'))
    expect(sign('https://h.example:8443/')).not.toBe(sign('https://h.example/'))
    expect(() => sign('nowhere')).toThrow(/url must be an absolute/)
  })
})

test('signingKey: the example of the AWS documentation', () => {
  const key = signingKey(credentials.secretAccessKey, '20150830', 'us-east-1', 'iam')
  expect(Buffer.from(key).toString('hex')).toBe(
    'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9',
  )
})
