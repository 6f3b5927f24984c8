import { expect, test } from 'vitest'
import { toWitRequest } from '../../guest-sdk/component/http-request.ts'

test.each(['Bearer undefined', 'bearer null', 'Basic undefined'])(
  'a credential that is not there is said to be missing, and %j is not sent',
  authorization => {
    expect(() => toWitRequest({ url: 'https://api.example.com/', headers: { authorization } })).toThrow(
      expect.objectContaining({
        kind: 'authentication',
        message: 'There is no credential: sign in, or set a key',
      }),
    )
  },
)

test('a header without a value is left out', () => {
  const { headers } = toWitRequest({
    url: 'https://api.example.com/',
    headers: { authorization: undefined, a: '1' },
  })
  expect(headers).toEqual([['a', '1']])
})
