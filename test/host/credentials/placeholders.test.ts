import { describe, expect, test } from 'vitest'
import { createPlaceholders } from '../../../host/credentials/placeholders.ts'
import { parseNetworkRules } from '../../../host/policy/network.ts'

const origins = parseNetworkRules(['https://api.example.com'], 'extension.json')
const SECRET = 'sk-r+e/a l"1234'
const KEY = 'credential:acme:acme'

function setUp() {
  const placeholders = createPlaceholders()
  return { placeholders, stand: placeholders.placeholderFor(KEY, SECRET, origins) }
}

const at = (url: string, headers: [string, string][] = []) => ({ url: new URL(url), headers })

describe('placeholderFor', () => {
  test('looks like a key, is random, and the same for one key', () => {
    const { placeholders, stand } = setUp()
    expect(stand).toMatch(/^airlock_[0-9A-Za-z]{40}$/)
    expect(placeholders.placeholderFor(KEY, SECRET, origins)).toBe(stand)
    expect(placeholders.placeholderFor('env:acme:KEY', SECRET, origins)).not.toBe(stand)
    expect(createPlaceholders().placeholderFor(KEY, SECRET, origins)).not.toBe(stand)
  })

  test('stands for the newest secret; the old one stays redacted', () => {
    const { placeholders, stand } = setUp()
    placeholders.placeholderFor(KEY, 'new-secret-5678', origins)
    expect(placeholders.inject(at('https://api.example.com', [['a', stand]])).headers).toEqual([
      ['a', 'new-secret-5678'],
    ])
    expect(placeholders.redactor().text(`${SECRET} new-secret-5678`)).toBe('[redacted] [redacted]')
  })

  test('forget leaves a random word', () => {
    const { placeholders, stand } = setUp()
    placeholders.forget(KEY)
    expect(placeholders.inject(at('https://api.example.com', [['a', stand]])).headers).toEqual([['a', stand]])
  })

  test('another set does not know it', () => {
    const { stand } = setUp()
    const other = createPlaceholders()
    expect(other.inject(at('https://evil.example', [['a', stand]])).headers).toEqual([['a', stand]])
  })

  test('hide redacts what has no placeholder', () => {
    const { placeholders } = setUp()
    placeholders.hide('readable-secret')
    expect(placeholders.redactor().text('x readable-secret')).toBe('x [redacted]')
  })
})

describe('inject', () => {
  test.each<[string, (stand: string) => string, string]>([
    ['whole', stand => stand, SECRET],
    ['Bearer', stand => `Bearer ${stand}`, `Bearer ${SECRET}`],
    ['inside other text', stand => `k="${stand}", v=1`, `k="${SECRET}", v=1`],
    ['twice', stand => `${stand}${stand}`, `${SECRET}${SECRET}`],
    ['Basic', stand => `Basic ${btoa(`user:${stand}`)}`, `Basic ${btoa(`user:${SECRET}`)}`],
    [
      'basic, no padding',
      stand => `basic ${btoa(`u:${stand}`).replace(/=+$/, '')}`,
      `basic ${btoa(`u:${SECRET}`)}`,
    ],
    ['Basic that is no base64 pair', stand => `Basic ${stand}`, `Basic ${SECRET}`],
    ['percent-encoded underscore', stand => stand.replace('_', '%5F'), encodeURIComponent(SECRET)],
    [
      'percent-encoded throughout',
      stand => [...stand].map(c => `%${c.charCodeAt(0).toString(16)}`).join(''),
      encodeURIComponent(SECRET),
    ],
    [
      'percent-encoded inside Basic',
      stand => `Basic ${btoa(`u:${stand.replace('_', '%5f')}`)}`,
      `Basic ${btoa(`u:${encodeURIComponent(SECRET)}`)}`,
    ],
  ])('header value, %s', (_name, value, expected) => {
    const { placeholders, stand } = setUp()
    const injected = placeholders.inject(
      at('https://api.example.com/v1', [
        ['X-Key', value(stand)],
        ['x-other', 'y'],
      ]),
    )
    expect(injected.headers).toEqual([
      ['X-Key', expected],
      ['x-other', 'y'],
    ])
    expect([...injected.secretHeaders]).toEqual(['x-key'])
  })

  test.each<[string, (stand: string) => string]>([
    ['plain', stand => stand],
    ['percent-encoded', stand => stand.replace('_', '%5f')],
    ['percent-encoded throughout', stand => [...stand].map(c => `%${c.charCodeAt(0).toString(16)}`).join('')],
  ])('query, %s', (_name, spell) => {
    const { placeholders, stand } = setUp()
    const url = new URL(`https://api.example.com/v1?a=%20b&key=${spell(stand)}&z=1`)
    const injected = placeholders.inject({ url, headers: [] })
    expect(injected.url.href).toBe(`https://api.example.com/v1?a=%20b&key=${encodeURIComponent(SECRET)}&z=1`)
    expect(injected.url.searchParams.get('key')).toBe(SECRET)
    expect(url.href).not.toContain('sk-')
  })

  test('never in the path, in a header name, or in a body', () => {
    const { placeholders, stand } = setUp()
    const body = Buffer.from(JSON.stringify({ prompt: stand }))
    const injected = placeholders.inject({
      url: new URL(`https://api.example.com/${stand}`),
      headers: [[`x-${stand}`, 'v']],
      body,
    })
    expect(injected.url.pathname).toBe(`/${stand}`)
    expect(injected.headers).toEqual([[`x-${stand}`, 'v']])
    expect(injected.body).toBe(body)
  })

  test.each<[string, string, (stand: string) => [string, string][]]>([
    ['another origin', 'https://evil.example', stand => [['a', stand]]],
    ['another port', 'https://api.example.com:444', stand => [['a', stand]]],
    ['plain http', 'http://api.example.com', stand => [['a', stand]]],
    ['another origin, Basic', 'https://evil.example', stand => [['a', `Basic ${btoa(stand)}`]]],
    ['another origin, encoded', 'https://evil.example', stand => [['a', stand.replace('_', '%5F')]]],
  ])('%s is refused', (_name, url, headers) => {
    const { placeholders, stand } = setUp()
    expect(() => placeholders.inject(at(url, headers(stand)))).toThrow(
      expect.objectContaining({
        code: 'permission-denied',
        message: expect.stringMatching(
          /^Cannot send credential:acme:acme to .*: it may go to https:\/\/api\.example\.com only$/,
        ),
      }),
    )
  })

  describe('body fields', () => {
    const json = [['content-type', 'application/json; charset=utf-8']] as const
    const form = [['Content-Type', 'application/x-www-form-urlencoded']] as const

    function bodyAfter(
      headers: readonly (readonly [string, string])[],
      body: (stand: string) => string,
      bodyFields = ['client_secret', 'auth.key'],
      url = 'https://api.example.com',
    ): string {
      const { placeholders, stand } = setUp()
      const injected = placeholders.inject({
        url: new URL(url),
        headers,
        body: Buffer.from(body(stand)),
        bodyFields,
      })
      return Buffer.from(injected.body ?? [])
        .toString()
        .replaceAll(stand, 'STAND')
    }

    test('JSON: the named field, and large numbers survive', () => {
      const text = bodyAfter(json, stand => `{ "n": 12345678901234567890, "client_secret": "${stand}" }`)
      expect(text).toBe(`{ "n": 12345678901234567890, "client_secret": ${JSON.stringify(SECRET)} }`)
    })

    test('JSON: a field inside another', () => {
      expect(bodyAfter(json, stand => JSON.stringify({ auth: { key: stand }, o: 1 }))).toBe(
        JSON.stringify({ auth: { key: SECRET }, o: 1 }),
      )
    })

    test('JSON: other fields keep the placeholder', () => {
      expect(bodyAfter(json, stand => JSON.stringify({ prompt: stand }))).toBe('{"prompt":"STAND"}')
    })

    test.each<[string, (stand: string) => string]>([
      ['beside the named field', stand => JSON.stringify({ client_secret: stand, prompt: stand })],
      ['a field that is there twice', stand => `{"client_secret":"${stand}","client_secret":"${stand}"}`],
      ['an escaped spelling', stand => `{"client_secret":"\\u0061${stand.slice(1)} ${stand}"}`],
    ])('JSON: %s is refused', (_name, body) => {
      expect(() => bodyAfter(json, body)).toThrow(
        expect.objectContaining({
          code: 'permission-denied',
          message: expect.stringContaining('permissions.bodyFields'),
        }),
      )
    })

    test('JSON: __proto__ names nothing', () => {
      expect(
        bodyAfter(json, stand => `{"__proto__":{"key":"${stand}"}}`, ['constructor.name', 'x.__proto__']),
      ).toContain('STAND')
    })

    test('form: the named field only', () => {
      expect(bodyAfter(form, stand => `a=${stand}&client_secret=${stand}&client%5Fsecret=${stand}`)).toBe(
        `a=STAND&client_secret=${encodeURIComponent(SECRET)}&client%5Fsecret=${encodeURIComponent(SECRET)}`,
      )
    })

    test('bound for another origin it is refused', () => {
      expect(() =>
        bodyAfter(
          json,
          stand => JSON.stringify({ client_secret: stand }),
          ['client_secret'],
          'https://evil.example',
        ),
      ).toThrow(expect.objectContaining({ code: 'permission-denied' }))
    })

    test('other content types and broken JSON are left alone', () => {
      expect(bodyAfter([['content-type', 'text/plain']], stand => `client_secret=${stand}`)).toBe(
        'client_secret=STAND',
      )
      expect(bodyAfter(json, stand => `{"client_secret":"${stand}"`)).toBe('{"client_secret":"STAND"')
      expect(bodyAfter([], stand => `client_secret=${stand}`)).toBe('client_secret=STAND')
    })
  })
})
