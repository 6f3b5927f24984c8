import { describe, expect, test } from 'vitest'
import {
  addQuery,
  authorizationUrl,
  createPkce,
  createState,
  deviceAuthorizationRequest,
  deviceTokenRequest,
  pkceChallenge,
  readCallback,
  redirectUriOf,
  refreshRequest,
  tokenRequest,
} from '../../../guest-sdk/oauth/index.ts'

describe('PKCE and state', () => {
  test('the challenge of RFC 7636, appendix B', () => {
    expect(pkceChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    )
  })

  test('createPkce: 43 unreserved characters, another each time', () => {
    const { verifier, challenge, method } = createPkce()
    expect(verifier).toMatch(/^[\w-]{43}$/)
    expect(challenge).toBe(pkceChallenge(verifier))
    expect(method).toBe('S256')
    expect(createPkce().verifier).not.toBe(verifier)
  })

  test('createState: another each time, nothing that a URL would encode', () => {
    expect(createState()).toMatch(/^[\w-]{43}$/)
    expect(createState()).not.toBe(createState())
  })
})

describe('authorizationUrl', () => {
  test('has what RFC 6749 and 7636 want, encoded, after the query that is there', () => {
    const url = authorizationUrl({
      endpoint: 'https://accounts.example.com/authorize?tenant=a%20b',
      clientId: 'my client',
      redirectUri: 'http://127.0.0.1:{port}/callback',
      scopes: ['openid', 'a:b'],
      state: 'a+b&c=d',
      pkce: { challenge: 'ch', method: 'S256' },
      extra: { access_type: 'offline', absent: undefined },
    })
    expect(url).toContain('redirect_uri=http%3A%2F%2F127.0.0.1%3A%7Bport%7D%2Fcallback')
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      tenant: 'a b',
      response_type: 'code',
      client_id: 'my client',
      redirect_uri: 'http://127.0.0.1:{port}/callback',
      scope: 'openid a:b',
      state: 'a+b&c=d',
      code_challenge: 'ch',
      code_challenge_method: 'S256',
      access_type: 'offline',
    })
  })

  test('leaves out what is not given', () => {
    const url = authorizationUrl({
      endpoint: 'https://a.example/auth',
      clientId: 'c',
      redirectUri: 'r',
      state: 's',
      scopes: [],
    })
    expect([...new URL(url).searchParams.keys()]).toEqual([
      'response_type',
      'client_id',
      'redirect_uri',
      'state',
    ])
  })

  test('refuses a fragment and a parameter that would stand there twice', () => {
    expect(() => addQuery('https://a.example/#x', { a: '1' })).toThrow('fragment')
    expect(() => addQuery('https://a.example/?state=x', { state: 'y' })).toThrow('"state"')
  })

  test('addQuery makes a URL for services with names of their own', () => {
    const url = addQuery('https://openrouter.example/auth', {
      callback_url: 'http://localhost:{port}/callback',
      code_challenge_method: 'S256',
    })
    expect(new URL(url).searchParams.get('callback_url')).toBe('http://localhost:{port}/callback')
  })

  test('redirectUriOf gives the one that the browser had', () => {
    expect(redirectUriOf('http://127.0.0.1:{port}/callback', 4321)).toBe('http://127.0.0.1:4321/callback')
  })
})

describe('requests', () => {
  const endpoint = 'https://accounts.example.com/token'

  test('tokenRequest: a form, with a wish for JSON, that follows no redirect', () => {
    const request = tokenRequest({
      endpoint,
      client: { id: 'c' },
      code: 'a/b+c~',
      redirectUri: 'http://127.0.0.1:1/callback',
      verifier: 'v',
    })
    expect(request).toMatchObject({ url: endpoint, method: 'post', maxRedirects: 0 })
    expect(request.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'a/b+c~',
      redirect_uri: 'http://127.0.0.1:1/callback',
      code_verifier: 'v',
      client_id: 'c',
    })
  })

  test('basic: id and secret form-encoded first, and no client_id beside it', () => {
    const { headers, body } = tokenRequest({ endpoint, client: { id: 'a:b', secret: 'p w%ü' }, code: 'x' })
    expect(headers.authorization).toBe(`Basic ${btoa('a%3Ab:p+w%25%C3%BC')}`)
    expect(new URLSearchParams(body).has('client_id')).toBe(false)
  })

  test('post: both in the body', () => {
    const client = { id: 'c', secret: 's', authentication: 'post' as const }
    const { headers, body } = refreshRequest({ endpoint, client, refreshToken: 'r', scopes: 'a b' })
    expect(headers.authorization).toBeUndefined()
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r',
      scope: 'a b',
      client_id: 'c',
      client_secret: 's',
    })
  })

  test('basic and post without a secret are refused', () => {
    expect(() => tokenRequest({ endpoint, client: { id: 'c', authentication: 'basic' }, code: 'x' })).toThrow(
      'no secret',
    )
  })

  test('json where the service wants it', () => {
    const { headers, body } = tokenRequest({
      endpoint,
      client: { id: 'c' },
      code: 'x',
      encoding: 'json',
      extra: { state: 's' },
    })
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(body)).toEqual({
      grant_type: 'authorization_code',
      code: 'x',
      client_id: 'c',
      state: 's',
    })
  })

  test('device requests', () => {
    const client = { id: 'c' }
    expect(deviceAuthorizationRequest({ endpoint, client, scopes: ['a', 'b'] }).body).toBe(
      'scope=a+b&client_id=c',
    )
    expect(
      Object.fromEntries(new URLSearchParams(deviceTokenRequest({ endpoint, client, deviceCode: 'd' }).body)),
    ).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'd',
      client_id: 'c',
    })
  })
})

describe('readCallback', () => {
  const at = (query: string) => `http://127.0.0.1:1/callback?${query}`

  test('gives the code, decoded, and what else came', () => {
    const { code, parameters } = readCallback(at('code=a%2Bb+c&state=s&scope=x'), 's')
    expect(code).toBe('a+b c')
    expect(parameters.get('scope')).toBe('x')
  })

  test('without a state where the service knows none', () => {
    expect(readCallback(at('code=c'), undefined).code).toBe('c')
  })

  const wrong: [what: string, query: string, message: RegExp][] = [
    ['no state', 'code=c', /state/],
    ['another state', 'code=c&state=x', /state/],
    ['an error with another state', 'error=access_denied&state=x', /state/],
    ['no code', 'state=s', /no code/],
    ['two codes', 'code=a&code=b&state=s', /"code" twice/],
    ['another issuer', 'code=c&state=s&iss=https://evil.example', /evil\.example/],
    ['an error', 'error=access_denied&error_description=No%0Athanks&state=s', /No thanks \(access_denied\)/],
    ['an error beside a code', 'code=c&error=server_error&state=s', /the service failed \(server_error\)/],
    ['an error nobody has heard of', 'error=moon_phase&state=s', /the service reports moon_phase/],
  ]
  test.each(wrong)('%s is refused', (_, query, message) => {
    expect(() => readCallback(at(query), 's', { issuer: 'https://good.example' })).toThrow(message)
  })

  test('an error carries the code of the service', () => {
    try {
      readCallback(at('error=access_denied&state=s'), 's')
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ name: 'ProviderError', kind: 'permission', code: 'access_denied' })
    }
  })
})
