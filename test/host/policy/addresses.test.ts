import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forbiddenAddress, forbiddenHost, isLoopbackHost } from '../../../host/policy/addresses.ts'
import { parseNetworkRules } from '../../../host/policy/network.ts'

describe('forbiddenAddress', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['169.254.1.1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['224.0.0.1', 'multicast'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'reserved'],
    ['::ffff:8.8.8.8', 'reserved'],
    ['::ffff:0:127.0.0.1', 'reserved'],
    ['::7f00:1', 'reserved'],
    ['64:ff9b::7f00:1', 'reserved'],
    ['64:ff9b:1::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['2001:0:7f00:1::', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['ff02::1', 'multicast'],
    ['4000::1', 'reserved'],
    ['example.com', 'reserved'],
    ['', 'reserved'],
  ])('%s is %s', (address, kind) => {
    expect(forbiddenAddress(address)).toBe(kind)
  })

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '104.18.6.192',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::6812:7c0',
    '2a00::1',
  ])('%s is public', address => {
    expect(forbiddenAddress(address)).toBeUndefined()
  })
})

describe('forbiddenHost', () => {
  test.each([
    'localhost',
    'localhost.',
    'a.localhost',
    'LOCALHOST',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '[::1]',
    '0',
  ])('%s is this machine', host => {
    expect(isLoopbackHost(new URL(`http://${host}/`).hostname)).toBe(true)
  })

  test.each(['api.example.com', 'localhost.example.com', 'notlocalhost', '8.8.8.8', '[2606:4700::1]'])(
    '%s is not told by its spelling',
    host => {
      expect(forbiddenHost(new URL(`http://${host}/`).hostname)).toBeUndefined()
    },
  )
})

// --- spellings that a hostile guest could try ---

const octet = fc.integer({ min: 0, max: 255 })
const forbiddenIpv4 = fc.oneof(
  fc.tuple(fc.constant(127), octet, octet, octet),
  fc.tuple(fc.constant(10), octet, octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.constant(0), octet, octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
)

const number = fc.constantFrom<(value: number) => string>(
  value => `${value}`,
  value => `0${value.toString(8)}`,
  value => `0x${value.toString(16)}`,
  value => `0X${value.toString(16).toUpperCase()}`,
  value => `0x000${value.toString(16)}`,
)

/** a.b.c.d, a.b.cd, a.bcd and abcd, each part decimal, octal or hexadecimal, as inet_aton reads them. */
const ipv4Spelling = fc
  .tuple(forbiddenIpv4, fc.integer({ min: 1, max: 4 }), fc.array(number, { minLength: 4, maxLength: 4 }))
  .map(([bytes, parts, spell]) => {
    const head = bytes.slice(0, parts - 1)
    const tail = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0)
    return [...head, tail].map((value, index) => spell[index]?.(value) ?? '').join('.')
  })

const hex = (high: number, low: number) => ((high << 8) | low).toString(16)
const ipv6Spelling = fc
  .tuple(
    forbiddenIpv4,
    fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:', '0:0:0:0:0:ffff:', '64:FF9B:1::'),
    fc.boolean(),
  )
  .map(
    ([[a, b, c, d], prefix, dotted]) =>
      `[${prefix}${dotted ? `${a}.${b}.${c}.${d}` : `${hex(a, b)}:${hex(c, d)}`}]`,
  )

const otherIpv6 = fc
  .tuple(forbiddenIpv4, fc.constantFrom('2002', 'fc00', 'FD12', 'fe80', 'ff02', '2001:0', 'fec0'))
  .map(([[a, b, c, d], prefix]) => `[${prefix}:${hex(a, b)}:${hex(c, d)}::]`)

const name = fc.constantFrom(
  'localhost',
  'LocalHost',
  'x.localhost',
  'ⓛocalhost',
  'local%68ost',
  'ｌｏｃａｌｈｏｓｔ',
)

const spelling = fc
  .tuple(fc.oneof(ipv4Spelling, name), fc.constantFrom('', '.'))
  .map(([host, dot]) => host + dot)

const anyHost = fc.oneof(spelling, ipv6Spelling, otherIpv6)
const forbiddenUrl = fc
  .tuple(
    fc.constantFrom('https', 'http', 'HTTPS'),
    fc.constantFrom('', 'user@', 'user:pw@', 'api.example.com@', 'api.example.com%2f@'),
    anyHost,
    fc.constantFrom('', ':443', ':8080', ':00080'),
    fc.constantFrom('', '/', '/v1?x=1', '\\@api.example.com', '#@api.example.com'),
  )
  .map(([scheme, user, host, port, rest]) => `${scheme}://${user}${host}${port}${rest}`)

describe('spellings of forbidden addresses', () => {
  test('every one of them is refused by the address check', () => {
    fc.assert(
      fc.property(forbiddenUrl, text => {
        const url = URL.parse(text)
        // What does not parse cannot be sent: the egress refuses it before anything else.
        if (url !== null) expect(forbiddenHost(url.hostname), `${text} -> ${url.hostname}`).toBeDefined()
      }),
      { numRuns: 3_000 },
    )
  })

  test('none of them is taken for a granted origin', () => {
    const rules = parseNetworkRules(['https://api.example.com', 'https://*.example.org'], 'extension.json')
    fc.assert(
      fc.property(forbiddenUrl, text => {
        const url = URL.parse(text)
        if (url !== null) expect(rules.allows(url), text).toBe(false)
      }),
      { numRuns: 3_000 },
    )
  })

  test('public addresses pass, however they are spelled', () => {
    const publicIpv4 = fc.tuple(fc.constantFrom(1, 8, 34, 104, 185), octet, octet, octet)
    fc.assert(
      fc.property(publicIpv4, number, (bytes, spell) => {
        const url = new URL(`https://${bytes.map(spell).join('.')}/`)
        expect(forbiddenHost(url.hostname)).toBeUndefined()
        const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
        expect(forbiddenHost(new URL(`https://${value}/`).hostname)).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })
})
