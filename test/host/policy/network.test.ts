import { describe, expect, test } from 'vitest'
import { anyNetworkRules, parseNetworkRules, userNetworkRules } from '../../../host/policy/network.ts'

describe('parseNetworkRules', () => {
  const rules = parseNetworkRules(
    [
      'https://api.example.com',
      'https://other.example.net:8443',
      'https://*.example.org',
      'https://xn--bcher-kva.example',
    ],
    'extension.json',
  )

  test.each([
    ['https://api.example.com/v1/models?x=1', true],
    ['HTTPS://API.EXAMPLE.COM/v1', true],
    ['https://api.example.com:443/', true],
    ['https://other.example.net:8443/', true],
    ['https://eu.example.org/', true],
    ['https://a.b.example.org/', true],
    ['https://bücher.example/', true],
    ['https://api.example.com:8443/', false],
    ['http://api.example.com/', false],
    ['https://api.example.com./', false],
    ['https://api.example.com.evil.example/', false],
    ['https://evil.example/?https://api.example.com', false],
    ['https://api.example.com@evil.example/', false],
    ['https://user@api.example.com/', false],
    ['https://user:pw@api.example.com/', false],
    ['https://sub.api.example.com/', false],
    ['https://other.example.net/', false],
    ['https://example.org/', false],
    ['https://badexample.org/', false],
    ['http://eu.example.org/', false],
    ['https://eu.example.org:444/', false],
    ['https://аpi.example.com/', false], // a Cyrillic letter
    ['ftp://api.example.com/', false],
    ['file:///etc/passwd', false],
    ['data:text/plain,x', false],
    ['blob:https://api.example.com/1', false],
  ])('%s: %s', (url, allowed) => {
    expect(rules.allows(new URL(url))).toBe(allowed)
  })

  test('allows nothing where nothing is listed', () => {
    expect(parseNetworkRules([], 'extension.json').allows(new URL('https://example.com'))).toBe(false)
  })

  test.each([
    'api.example.com',
    'https://api.example.com/v1',
    'ftp://x.example',
    'https://*',
    'https://user@x.example',
    '',
  ])('refuses the entry %j and names the file', entry => {
    expect(() => parseNetworkRules([entry], 'some/extension.json')).toThrow(/some\/extension\.json/)
  })
})

test('userNetworkRules allows exactly the origins that the user wrote', () => {
  const rules = userNetworkRules([
    'http://127.0.0.1:8080/v1',
    'https://llm.corp.example/x?y',
    'not a url',
    'file:///x',
  ])
  expect(rules.origins).toEqual(['http://127.0.0.1:8080', 'https://llm.corp.example'])
  expect(rules.allows(new URL('http://127.0.0.1:8080/other'))).toBe(true)
  expect(rules.allows(new URL('http://127.0.0.1:8081/v1'))).toBe(false)
  expect(rules.allows(new URL('https://127.0.0.1:8080/v1'))).toBe(false)
  expect(rules.allows(new URL('file:///x'))).toBe(false)
})

test('anyNetworkRules allows what one of them allows', () => {
  const rules = anyNetworkRules(
    parseNetworkRules(['https://a.example'], 'm'),
    userNetworkRules(['http://b.example']),
  )
  expect(rules.allows(new URL('https://a.example'))).toBe(true)
  expect(rules.allows(new URL('http://b.example'))).toBe(true)
  expect(rules.allows(new URL('http://a.example'))).toBe(false)
})
