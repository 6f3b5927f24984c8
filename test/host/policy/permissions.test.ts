import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { originCovers, originProblem } from '../../../host/policy/origins.ts'
import {
  intersect,
  listPermissions,
  noPermissions,
  type Permissions,
  widerThan,
  withoutPermission,
} from '../../../host/policy/permissions.ts'

const base: Permissions = {
  network: ['https://api.example.com'],
  env: ['EXAMPLE_KEY'],
  plainEnv: [],
  credentials: 'use',
  bodyFields: [],
  browser: [],
  tools: ['read_file'],
  memoryMiB: 64,
}

describe('originProblem', () => {
  test.each([
    'https://api.example.com',
    'http://api.example.com',
    'https://api.example.com:8443',
    'https://*.example.com',
    'https://*.example.co.uk:444',
    'https://xn--bcher-kva.example',
    'https://192.0.2.1',
    'https://[2001:db8::1]:8080',
    'http://localhost:11434',
  ])('%s is an origin', text => expect(originProblem(text)).toBeUndefined())

  test.each([
    ['api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'write "https://api.example.com"'],
    ['https://api.example.com/v1', 'without path'],
    ['https://api.example.com?', 'without path or query'],
    ['https://api.example.com#', 'without path or query'],
    ['https://API.example.com', 'write "https://api.example.com"'],
    ['https://api.example.com:443', 'write "https://api.example.com"'],
    ['http://api.example.com:80', 'write "http://api.example.com"'],
    ['https://bücher.example', 'write "https://xn--bcher-kva.example"'],
    ['https://user@api.example.com', 'no user name'],
    ['https://user:pw@api.example.com', 'no user name'],
    ['https://*.com', 'at least two labels'],
    ['https://*', 'whole first label'],
    ['https://*.*.example.com', 'whole first label'],
    ['https://api*.example.com', 'whole first label'],
    ['https://api.*.com', 'whole first label'],
    ['https://*.192.0.2.1', 'before an address'],
    ['https://*.0x7f.1', 'before an address'],
    ['https://api.example.com.', 'end in a dot'],
    ['https://0x7f000001', 'write "https://127.0.0.1"'],
    ['https://2130706433', 'write "https://127.0.0.1"'],
    ['https://api.example.com\\@evil.example', 'without path'],
    ['https://api.example.com\t', 'write "https://api.example.com"'],
    ['https:api.example.com', 'must be an origin'],
    ['ftp://api.example.com', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['https://', 'not a URL'],
    ['', 'must be an origin'],
    [`https://${'a'.repeat(300)}.example`, '270 characters'],
  ])('%j is refused: %s', (text, reason) => expect(originProblem(text)).toContain(reason))

  test('whatever passes is exactly what a URL of it compares by', () => {
    void fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.domain().map(host => `https://${host}`),
          fc.string(),
        ),
        text => {
          if (originProblem(text) !== undefined) return
          expect(new URL(text.replace('://*.', '://')).origin).toBe(text.replace('://*.', '://'))
        },
      ),
    )
  })
})

test.each([
  ['https://api.example.com', 'https://api.example.com', true],
  ['https://*.example.com', 'https://api.example.com', true],
  ['https://*.example.com', 'https://a.b.example.com', true],
  ['https://*.example.com', 'https://*.b.example.com', true],
  ['https://*.example.com', 'https://example.com', false],
  ['https://*.example.com', 'https://badexample.com', false],
  ['https://*.example.com', 'https://example.com.evil.example', false],
  ['https://*.example.com', 'http://api.example.com', false],
  ['https://*.example.com', 'https://api.example.com:8443', false],
  ['https://*.example.com:8443', 'https://api.example.com:8443', true],
  ['https://*.b.example.com', 'https://*.example.com', false],
  ['https://api.example.com', 'https://*.example.com', false],
])('originCovers(%s, %s) is %s', (wide, narrow, expected) =>
  expect(originCovers(wide, narrow)).toBe(expected),
)

describe('widerThan', () => {
  test.each<[string, Partial<Permissions>, Partial<Permissions>, string[]]>([
    ['the same', {}, {}, []],
    [
      'one more origin',
      { network: ['https://api.example.com', 'https://x.example'] },
      {},
      ['network:https://x.example'],
    ],
    [
      'plain http where https was granted',
      { network: ['http://api.example.com'] },
      {},
      ['network:http://api.example.com'],
    ],
    [
      'a wildcard over a granted origin',
      { network: ['https://*.example.com'] },
      {},
      ['network:https://*.example.com'],
    ],
    ['an origin below a granted wildcard', {}, { network: ['https://*.example.com'] }, []],
    ['fewer of everything', { network: [], env: [], memoryMiB: 32 }, {}, []],
    ['a variable', { env: ['EXAMPLE_KEY', 'OTHER'] }, {}, ['env:OTHER']],
    ['a used variable read', { env: [], plainEnv: ['EXAMPLE_KEY'] }, {}, ['plainEnv:EXAMPLE_KEY']],
    ['a read variable used', {}, { env: [], plainEnv: ['EXAMPLE_KEY'] }, []],
    ['the credential itself', { credentials: 'read' }, {}, ['credentials:read']],
    ['a body field', { bodyFields: ['client_secret'] }, {}, ['bodyFields:client_secret']],
    [
      'a browser origin',
      { browser: ['https://login.example.com'] },
      {},
      ['browser:https://login.example.com'],
    ],
    ['a tool', { tools: ['read_file', 'delete_file'] }, {}, ['tools:delete_file']],
    ['more memory', { memoryMiB: 65 }, {}, ['memoryMiB:65']],
  ])('%s', (_, asked, granted, expected) => {
    const changes = widerThan({ ...base, ...asked }, { ...base, ...granted })
    expect(changes.map(change => change.permission)).toEqual(expected)
  })

  test('against nothing: all of it, each with what stands in its place', () => {
    expect(widerThan({ ...base, credentials: 'read' }, noPermissions)).toEqual([
      { kind: 'network', asked: 'https://api.example.com', permission: 'network:https://api.example.com' },
      { kind: 'env', asked: 'EXAMPLE_KEY', permission: 'env:EXAMPLE_KEY' },
      { kind: 'credentials', asked: 'read', granted: 'use', permission: 'credentials:read' },
      { kind: 'tools', asked: 'read_file', permission: 'tools:read_file' },
      { kind: 'memoryMiB', asked: '64', permission: 'memoryMiB:64' },
    ])
  })
})

describe('intersect', () => {
  test('keeps the narrower of each', () => {
    const asked: Permissions = {
      network: ['https://*.example.com', 'https://x.example'],
      env: ['A', 'B'],
      plainEnv: ['C', 'D'],
      credentials: 'read',
      bodyFields: ['f', 'g'],
      browser: ['https://login.example.com'],
      tools: ['read', 'write'],
      memoryMiB: 64,
    }
    const granted: Permissions = {
      network: ['https://api.example.com', 'https://y.example'],
      env: ['A', 'C'],
      plainEnv: ['D', 'B'],
      credentials: 'use',
      bodyFields: ['g'],
      browser: [],
      tools: ['write', 'delete'],
      memoryMiB: 128,
    }
    expect(intersect(asked, granted)).toEqual({
      network: ['https://api.example.com'],
      env: ['A', 'B', 'C'],
      plainEnv: ['D'],
      credentials: 'use',
      bodyFields: ['g'],
      browser: [],
      tools: ['write'],
      memoryMiB: 64,
    })
  })

  test('is never wider than either side', () => {
    const name = fc.constantFrom('A', 'B', 'C', 'D')
    const origin = fc.constantFrom(
      'https://*.example.com',
      'https://a.example.com',
      'https://*.b.example.com',
      'https://c.b.example.com',
      'http://a.example.com',
    )
    const permissions = fc
      .record({
        network: fc.uniqueArray(origin),
        variables: fc.uniqueArray(name),
        plain: fc.nat({ max: 4 }),
        credentials: fc.constantFrom('use' as const, 'read' as const),
        bodyFields: fc.uniqueArray(name),
        browser: fc.uniqueArray(origin),
        tools: fc.uniqueArray(name),
        memoryMiB: fc.integer({ min: 4, max: 1024 }),
      })
      .map(
        ({ variables, plain, ...rest }): Permissions => ({
          ...rest,
          plainEnv: variables.slice(0, plain),
          env: variables.slice(plain),
        }),
      )
    void fc.assert(
      fc.property(permissions, permissions, (asked, granted) => {
        const both = intersect(asked, granted)
        expect(widerThan(both, asked)).toEqual([])
        expect(widerThan(both, granted)).toEqual([])
        expect(both.env.filter(variable => both.plainEnv.includes(variable))).toEqual([])
      }),
    )
  })
})

describe('withoutPermission', () => {
  const all: Permissions = {
    network: ['https://a.example', 'https://b.example'],
    env: ['A'],
    plainEnv: ['B'],
    credentials: 'read',
    bodyFields: ['auth.key'],
    browser: ['https://login.example'],
    tools: ['read', 'write'],
    memoryMiB: 64,
  }

  test.each([
    ['network:https://a.example', { network: ['https://b.example'] }],
    ['env:A', { env: [] }],
    ['plainEnv:B', { env: ['A', 'B'], plainEnv: [] }],
    ['env:B', { plainEnv: [] }],
    ['credentials:read', { credentials: 'use' }],
    ['bodyFields:auth.key', { bodyFields: [] }],
    ['browser:https://login.example', { browser: [] }],
    ['tools:read', { tools: ['write'] }],
  ])('%s', (permission, expected) => {
    const left = withoutPermission(all, permission)
    expect(left).toEqual({ ...all, ...expected })
    expect(widerThan(left, all)).toEqual([])
  })

  test.each(['network:https://c.example', 'credentials:use', 'network', '', 'memoryMiB:64', '__proto__:x'])(
    '%j is refused, with what there is to take',
    permission => {
      expect(() => withoutPermission(all, permission)).toThrow(
        expect.objectContaining({
          code: 'invalid-option',
          message: expect.stringContaining(listPermissions(all).join(', ')),
        }),
      )
    },
  )
})
