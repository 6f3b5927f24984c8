import { describe, expect, test } from 'vitest'
import { createHttpResponse } from '../../../guest-sdk/http-response.ts'
import {
  isExpired,
  type OAuthTokens,
  parseTokens,
  readDeviceAuthorization,
  readDeviceToken,
  readTokenResponse,
  toDeviceFlow,
  toDeviceFlowStatus,
} from '../../../guest-sdk/oauth/index.ts'

const NOW = 1_700_000_000_000

function answer(body: unknown, status = 200, type = 'application/json') {
  return createHttpResponse({
    status,
    headers: [['Content-Type', type]],
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const read = (body: unknown, options: Partial<Parameters<typeof readTokenResponse>[1]> = {}, status = 200) =>
  readTokenResponse(answer(body, status), { now: NOW, ...options })

describe('readTokenResponse', () => {
  test('everything that a service may send', () => {
    expect(
      read({
        access_token: 'a',
        token_type: 'Bearer',
        refresh_token: 'r',
        expires_in: 3600,
        scope: 'x y',
        id_token: 'i',
        extra: 1,
      }),
    ).toEqual({
      accessToken: 'a',
      tokenType: 'Bearer',
      refreshToken: 'r',
      expiresAt: NOW + 3_540_000,
      scopes: ['x', 'y'],
      idToken: 'i',
    })
  })

  test('a form, whatever its content type says', () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json']) {
      const tokens = readTokenResponse(
        answer('access_token=a%2Bb&scope=repo%2Cgist&token_type=bearer', 200, type),
        {
          now: NOW,
        },
      )
      expect(tokens).toEqual({ accessToken: 'a+b', scopes: ['repo', 'gist'], tokenType: 'bearer' })
    }
  })

  test('JSON with a byte order mark, or called something else', () => {
    expect(readTokenResponse(answer('\ufeff{"access_token":"a"}', 200, 'text/html'), { now: NOW })).toEqual({
      accessToken: 'a',
    })
  })

  const lifetimes: [expiresIn: unknown, expiresAt: number | undefined][] = [
    [3600, NOW + 3_540_000],
    ['3600', NOW + 3_540_000],
    [3600.9, NOW + 3_540_900],
    // A minute would leave nothing of it.
    [60, NOW + 54_000],
    [0, undefined],
    [-1, undefined],
    ['', undefined],
    ['soon', undefined],
    [null, undefined],
    [true, undefined],
    [{}, undefined],
    // A date in seconds, and milliseconds.
    [1_700_000_000, undefined],
    [1e300, undefined],
  ]
  test.each(lifetimes)('expires_in %j', (expiresIn, expiresAt) => {
    expect(read({ access_token: 'a', expires_in: expiresIn }).expiresAt).toBe(expiresAt)
  })

  test('isExpired: at its time, never where there is none', () => {
    expect(isExpired({ expiresAt: NOW }, NOW - 1)).toBe(false)
    expect(isExpired({ expiresAt: NOW }, NOW)).toBe(true)
    expect(isExpired({}, NOW)).toBe(false)
  })

  test('a refresh keeps refresh token and scopes where the answer has none, and takes them where it has', () => {
    const previous: OAuthTokens = {
      accessToken: 'old',
      refreshToken: 'r1',
      scopes: ['x'],
      expiresAt: NOW - 1,
    }
    expect(read({ access_token: 'new' }, { previous })).toEqual({
      accessToken: 'new',
      refreshToken: 'r1',
      scopes: ['x'],
    })
    for (const junk of [null, '', 7, ' ']) {
      expect(read({ access_token: 'new', refresh_token: junk }, { previous }).refreshToken).toBe('r1')
    }
    expect(read({ access_token: 'new', refresh_token: 'r2', scope: 'y' }, { previous })).toMatchObject({
      refreshToken: 'r2',
      scopes: ['y'],
    })
  })

  test('no scope in the answer grants what was asked for', () => {
    expect(read({ access_token: 'a' }, { scopes: ['x', 'y'] }).scopes).toEqual(['x', 'y'])
    expect(read({ access_token: 'a', scope: ['z'] }, { scopes: 'x' }).scopes).toEqual(['z'])
  })

  const errors: [what: string, body: unknown, status: number, error: object][] = [
    [
      'invalid_grant',
      { error: 'invalid_grant' },
      400,
      {
        kind: 'authentication',
        code: 'invalid_grant',
        status: 400,
        message: /^Cannot exchange the code: .*\(invalid_grant\)$/,
      },
    ],
    [
      'an error with status 200, beside a token',
      {
        error: 'bad_verification_code',
        error_description: 'The code is  bad\n\u001b[1m',
        access_token: 'secret-token',
      },
      200,
      { code: 'bad_verification_code', message: /The code is bad \[1m/ },
    ],
    [
      'a form',
      'error=access_denied&error_description=no+way',
      200,
      { code: 'access_denied', message: /no way/ },
    ],
    [
      'an object',
      { error: { code: 'invalid_grant', message: 'used before' } },
      400,
      { code: 'invalid_grant', message: /used before/ },
    ],
    ['an unknown name', { error: 'moon_phase' }, 418, { code: 'moon_phase', kind: 'invalid-request' }],
    ['a busy service', { error: 'temporarily_unavailable' }, 503, { kind: 'overloaded' }],
    ['a status alone', { hint: 'secret-token' }, 401, { kind: 'authentication', message: /status 401/ }],
    ['no access_token', { token_type: 'bearer' }, 200, { message: /no access_token/ }],
    ['an access_token that is no text', { access_token: 7 }, 200, { message: /no header can hold/ }],
    [
      'an access_token with a line end',
      { access_token: 'secret-token\nx' },
      200,
      { message: /no header can hold/ },
    ],
    ['a list', '["secret-token"]', 200, { message: /neither JSON nor a form/ }],
    ['broken JSON', '{"access_token":"secret-token', 200, { message: /neither JSON nor a form/ }],
    ['nothing', '', 200, { message: /it is empty/ }],
    [
      'a page',
      '<html><head><title>Just a  moment</title></head>secret-token</html>',
      200,
      { message: /web page: Just a moment.*status 200/ },
    ],
    ['a page with a status', '<!DOCTYPE html><h1>secret-token', 502, { kind: 'overloaded', status: 502 }],
    ['a text', 'secret-token goes here', 500, { status: 500 }],
  ]
  test.each(errors)('%s is a clear error without secrets', (_, body, status, expected) => {
    try {
      read(body, {}, status)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ name: 'ProviderError' })
      for (const [key, value] of Object.entries(expected)) {
        if (value instanceof RegExp) expect(String((error as Error).message)).toMatch(value)
        else expect(error).toHaveProperty(key, value)
      }
      expect((error as Error).message).not.toMatch(/secret-token|[\u0000-\u001f]/)
    }
  })

  test('a refresh that fails says that it was one', () => {
    expect(() => read({ error: 'invalid_grant' }, { previous: { accessToken: 'a' } }, 400)).toThrow(
      'Cannot refresh the sign-in',
    )
  })

  test('__proto__ stays a field', () => {
    expect(read('access_token=a&__proto__=x')).toEqual({ accessToken: 'a' })
    expect(read('{"access_token":"a","__proto__":{"refresh_token":"r"}}')).toEqual({ accessToken: 'a' })
  })
})

describe('parseTokens', () => {
  test('reads what JSON.stringify kept, and nothing else', () => {
    const tokens: OAuthTokens = {
      accessToken: 'a',
      tokenType: 'Bearer',
      refreshToken: 'r',
      expiresAt: NOW,
      scopes: ['x'],
      idToken: 'i',
    }
    expect(parseTokens(JSON.stringify(tokens))).toEqual(tokens)
    for (const other of ['sk-123', '', '{', '{}', 'null', '[]', '{"accessToken":1}']) {
      expect(parseTokens(other)).toBeUndefined()
    }
  })
})

describe('readDeviceAuthorization', () => {
  const good = { device_code: 'd', user_code: 'U-1', verification_uri: 'https://s.example/device' }

  test('everything, and the complete URL for the browser', () => {
    const authorization = readDeviceAuthorization(
      answer({
        ...good,
        verification_uri_complete: 'https://s.example/device?c=U-1',
        expires_in: 600,
        interval: 7,
      }),
    )
    expect(authorization).toEqual({
      deviceCode: 'd',
      userCode: 'U-1',
      verificationUrl: 'https://s.example/device',
      verificationUrlComplete: 'https://s.example/device?c=U-1',
      expiresInSeconds: 600,
      intervalSeconds: 7,
    })
    const words = {
      headline: 'h',
      description: 'd',
      connectButtonLabel: 'c',
      successHeadline: 's',
      successMessage: 'm',
    }
    expect(toDeviceFlow(authorization, words)).toEqual({
      prompt: { ...words, userCode: 'U-1', verificationUrl: 'https://s.example/device?c=U-1' },
      state: 'd',
      pollIntervalSeconds: 7,
      expiresInSeconds: 600,
    })
  })

  test.each([undefined, null, 0, -1, '5', 'often', {}])('interval %j is five seconds', interval => {
    expect(readDeviceAuthorization(answer({ ...good, interval })).intervalSeconds).toBe(5)
  })

  test.each([undefined, 0, -1, 'x'])('expires_in %j is a quarter of an hour', expires_in => {
    expect(readDeviceAuthorization(answer({ ...good, expires_in })).expiresInSeconds).toBe(900)
  })

  test('a form, and the older name of the URL', () => {
    const body = 'device_code=d&user_code=U&verification_url=https%3A%2F%2Fs.example%2Fdevice&interval=9'
    expect(readDeviceAuthorization(answer(body))).toMatchObject({
      verificationUrl: 'https://s.example/device',
      intervalSeconds: 9,
    })
  })

  test.each([
    ['device_code', { ...good, device_code: '' }],
    ['user_code', { ...good, user_code: undefined }],
    ['verification_uri', { ...good, verification_uri: 'javascript:alert(1)' }],
    ['verification_uri', { ...good, verification_uri: undefined }],
  ])('without %s it is an error', (name, body) => {
    expect(() => readDeviceAuthorization(answer(body))).toThrow(`no usable ${name}`)
  })

  test('a complete URL of another scheme is left out', () => {
    const body = { ...good, verification_uri_complete: 'file:///x' }
    expect(readDeviceAuthorization(answer(body)).verificationUrlComplete).toBeUndefined()
  })

  test('device_flow_disabled', () => {
    expect(() => readDeviceAuthorization(answer({ error: 'device_flow_disabled' }))).toThrow(
      'Cannot start the device sign-in: device sign-in is switched off for this client (device_flow_disabled)',
    )
  })
})

describe('readDeviceToken', () => {
  const poll = (body: unknown, status = 200) => readDeviceToken(answer(body, status), { now: NOW })

  test.each([200, 400, 428])('authorization_pending with status %i', status => {
    expect(poll({ error: 'authorization_pending', access_token: 'x' }, status)).toEqual({ status: 'pending' })
  })

  test.each([
    [{ error: 'slow_down' }, { status: 'slow-down' }, { slowDownSeconds: 0 }],
    [
      { error: 'slow_down', interval: 10 },
      { status: 'slow-down', intervalSeconds: 10 },
      { slowDownSeconds: 10 },
    ],
    [{ error: 'slow_down', interval: 'x' }, { status: 'slow-down' }, { slowDownSeconds: 0 }],
  ])('%j', (body, token, status) => {
    expect(poll(body, 400)).toEqual(token)
    expect(toDeviceFlowStatus(poll(body, 400))).toEqual(status)
  })

  test('complete', () => {
    const token = poll({ access_token: 'a' })
    expect(token).toEqual({ status: 'complete', tokens: { accessToken: 'a' } })
    expect(toDeviceFlowStatus(token)).toBe('complete')
    expect(toDeviceFlowStatus({ status: 'pending' })).toBe('pending')
  })

  test('each end has words of its own', () => {
    const messages = [
      'access_denied',
      'expired_token',
      'incorrect_device_code',
      'device_flow_disabled',
      'incorrect_client_credentials',
      'unsupported_grant_type',
    ].map(error => {
      try {
        poll({ error })
        return 'no error'
      } catch (thrown) {
        expect(thrown).toHaveProperty('code', error)
        return (thrown as Error).message.replace(error, '')
      }
    })
    expect(new Set(messages).size).toBe(messages.length)
  })

  test('what may pass is of a kind that the host asks again for', () => {
    for (const [status, kind] of [
      [429, 'rate-limited'],
      [500, 'other'],
      [502, 'overloaded'],
      [503, 'overloaded'],
    ] as const) {
      try {
        poll('<html>', status)
        expect.unreachable()
      } catch (error) {
        expect(error).toMatchObject({ kind, status })
      }
    }
  })
})
