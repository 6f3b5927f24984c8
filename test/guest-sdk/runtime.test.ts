import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type RunningComponent, runComponent } from './run-component.ts'

// Building and transpiling take seconds each on a machine that does other things.
vi.setConfig({ hookTimeout: 120_000 })

/** The checks run inside the component: `models` calls the one that the test names, and its result is a model's name. */
const provider = `
import { base64ToBytes, bytesToBase64, defineProvider, sha256 } from '@airlock/guest-sdk'

const hex = (bytes: Uint8Array) => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
const pieces = (bytes: number[][], label?: string, options?: object) => {
  const decoder = new TextDecoder(label, options)
  let text = ''
  for (const piece of bytes) text += decoder.decode(new Uint8Array(piece), { stream: true })
  return text + decoder.decode()
}
const checks: Record<string, (input: string) => unknown> = {
  encode: input => [...new TextEncoder().encode(JSON.parse(input))],
  encodeInto: () => { const into = new Uint8Array(4); return [new TextEncoder().encodeInto('aé€', into), [...into]] },
  decode: input => pieces(...(JSON.parse(input) as [number[][]])),
  bytesRoundTrip: () => {
    const text = 'é€😀x'.repeat(20_000)
    const bytes = new TextEncoder().encode(text)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) === text && bytes.length === 200_000
  },
  url: input => { const url = new URL(...(JSON.parse(input) as [string, string?])); return [url.href, url.origin, [...url.searchParams]] },
  params: () => { const params = new URLSearchParams({ a: 'ä +&' }); params.append('b', '2'); return String(params) },
  base64: () => [bytesToBase64(new Uint8Array([251, 255, 0])), bytesToBase64(new Uint8Array([251, 255, 0, 1]), { alphabet: 'base64url' }), [...base64ToBytes('-_8AAQ', { alphabet: 'base64url' })], atob('aGk='), btoa('hi')],
  sha256: input => hex(sha256(JSON.parse(input))),
  date: () => {
    const now = new Date()
    class Later extends Date {}
    return [Date.now(), now.getTime(), now instanceof Date, new Date(0).constructor === Date, new Date(2020, 1, 2).getFullYear(), new Date('2020-01-01T00:00:00Z').getTime(), Date.UTC(2020, 0), typeof Date(), new Later(5).getTime(), new Later() instanceof Date, now.toISOString(), now.getTimezoneOffset(), now.toString().length > 10, now.toLocaleString().length > 5, performance.now()]
  },
  random: () => Math.random(),
  fetch: () => fetch('https://x.test'),
  setTimeout: () => setTimeout(() => {}, 1),
  queueMicrotask: () => queueMicrotask(() => {}),
  subtle: () => crypto.subtle,
  uuid: () => [crypto.randomUUID(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(8)).some(byte => byte > 0)],
  tooManyBytes: () => crypto.getRandomValues(new Uint8Array(65_537)),
  clone: () => {
    const ring: Record<string, unknown> = { map: new Map([[1, new Set([2])]]), bytes: new Uint8Array([1, 2, 3]).subarray(1), when: new Date(7), list: [1, [2]] }
    ring.self = ring
    const copy = structuredClone(ring) as typeof ring
    return [copy !== ring, copy.self === copy, [...(copy.map as Map<number, Set<number>>).get(1)!], [...(copy.bytes as Uint8Array)], (copy.when as Date).getTime(), copy.list]
  },
  cloneFunction: () => structuredClone(() => 1),
  console: () => {
    const ring: Record<string, unknown> = { deep: { deep: { deep: { deep: { deep: 1 } } } }, get trap() { throw new Error('called') } }
    ring.self = ring
    console.log('%s is %d%%', 'it', 5, { a: [1, 'x'] })
    console.debug(ring)
    console.warn(new Map([['k', new Uint8Array(3)]]), new Set([1n]), null, undefined)
    console.error(new Error('logged'))
    console.info(new URL('https://x.test/'), 'x'.repeat(20_000))
    console.log('\\ud83d')
  },
}

export default defineProvider({
  id: 'acme',
  name: 'Acme',
  models: context => [{ id: 'result', name: JSON.stringify(checks[context.env('CHECK')!]!(context.env('INPUT') ?? '') ?? null), maxTokenCount: 1 }],
  respond: () => [],
})
`

let component: RunningComponent
const env: Record<string, string> = {}

beforeAll(async () => {
  component = await runComponent(
    { 'provider.ts': provider },
    { env, now: () => Date.UTC(2026, 0, 2, 3, 4, 5) },
  )
})
afterAll(() => component[Symbol.asyncDispose]())

async function check(name: string, input?: unknown): Promise<unknown> {
  env.CHECK = name
  env.INPUT = JSON.stringify(input) ?? ''
  const [model] = await component.provider.models('acme')
  return JSON.parse(model?.name ?? '')
}

async function failure(name: string, input?: unknown): Promise<string> {
  try {
    await check(name, input)
  } catch (error) {
    return (error as { message: string }).message
  }
  throw new Error(`${name} did not fail`)
}

test('TextEncoder writes UTF-8, half a surrogate pair as U+FFFD', async () => {
  for (const text of ['', 'ascii "{}\\', 'é€😀', '\u0000\ufffe', 'a\ud83db']) {
    expect(await check('encode', text)).toEqual([...new TextEncoder().encode(text)])
  }
  expect(await check('encodeInto')).toEqual([{ read: 2, written: 3 }, [97, 195, 169, 0]])
  expect(await check('bytesRoundTrip')).toBe(true)
})

test('TextDecoder joins characters that were cut anywhere', async () => {
  const bytes = [...new TextEncoder().encode('aé€😀b')]
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await check('decode', [[bytes.slice(0, cut), bytes.slice(cut)]])).toBe('aé€😀b')
  }
  expect(await check('decode', [bytes.map(byte => [byte])])).toBe('aé€😀b')
})

test('TextDecoder treats broken bytes as the Encoding Standard does', async () => {
  const broken = [
    [0xff],
    [0xc3],
    [0xe2, 0x82],
    [0xe2, 0x82, 0x41],
    [0xf0, 0x9f, 0x98],
    [0xed, 0xa0, 0x80],
    [0xc0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0x80, 0x80],
    [0xe0, 0x80, 0x80],
    [0x61, 0xf0, 0x80, 0x62],
  ]
  for (const bytes of broken) {
    const expected = new TextDecoder().decode(new Uint8Array(bytes))
    expect(await check('decode', [[bytes]])).toBe(expected)
    expect(await check('decode', [bytes.map(byte => [byte])])).toBe(expected)
    expect(await failure('decode', [[bytes], 'utf-8', { fatal: true }])).toContain('not valid utf-8')
  }
})

test('TextDecoder knows byte order marks, UTF-16 and latin1', async () => {
  expect(
    await check('decode', [
      [
        [0xef, 0xbb],
        [0xbf, 0x61],
      ],
    ]),
  ).toBe('a')
  expect(await check('decode', [[[0xef, 0xbb, 0xbf, 0x61]], 'utf-8', { ignoreBOM: true }])).toBe('\ufeffa')
  const utf16 = [0x61, 0x00, 0x3d, 0xd8, 0x00, 0xde]
  for (let cut = 0; cut <= utf16.length; cut++) {
    expect(await check('decode', [[utf16.slice(0, cut), utf16.slice(cut)], 'utf-16le'])).toBe('a😀')
  }
  expect(await check('decode', [[[0x80, 0xe4]], 'latin1'])).toBe('€ä')
  expect(await failure('decode', [[], 'shift_jis'])).toContain('Cannot decode "shift_jis"')
})

test('URL and URLSearchParams read as in Node', async () => {
  for (const url of [
    ['https://ex.com/ä?ö=ü&x=1#ß'],
    ['../x?y=1', 'https://h/a/b/c'],
    ['http://münchen.de:80/'],
    ['http://0x7f.1/'],
  ]) {
    const [text, base] = url as [string, string?]
    const expected = new URL(text, base)
    expect(await check('url', url)).toEqual([expected.href, expected.origin, [...expected.searchParams]])
  }
  expect(await failure('url', ['not a url'])).toContain('Invalid URL')
  expect(await check('params')).toBe('a=%C3%A4+%2B%26&b=2')
})

test('base64 is there in both alphabets', async () => {
  expect(await check('base64')).toEqual(['+/8A', '-_8AAQ', [251, 255, 0, 1], 'hi', 'aGk='])
})

test('sha256 gives the published digests', async () => {
  for (const text of [
    '',
    'abc',
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    'é'.repeat(100),
  ]) {
    expect(await check('sha256', text)).toBe(createHash('sha256').update(text).digest('hex'))
  }
})

test('Date and performance go by the host', async () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5)
  expect(await check('date')).toEqual([
    now,
    now,
    true,
    true,
    2020,
    Date.UTC(2020, 0),
    Date.UTC(2020, 0),
    'string',
    5,
    true,
    '2026-01-02T03:04:05.000Z',
    0,
    true,
    true,
    0,
  ])
})

test('random bytes come from the host', async () => {
  const [one, two, filled] = (await check('uuid')) as [string, string, boolean]
  expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(one).not.toBe(two)
  expect(filled).toBe(true)
  expect(await failure('tooManyBytes')).toContain('at most 65536 bytes')
})

test('what cannot work says what to use instead', async () => {
  expect(await failure('random')).toContain('crypto.getRandomValues()')
  expect(await failure('fetch')).toContain('context.fetch()')
  expect(await failure('setTimeout')).toContain('never fire')
  expect(await failure('queueMicrotask')).toContain('never run')
  expect(await failure('subtle')).toContain('sha256()')
})

test('structuredClone copies data and refuses functions', async () => {
  expect(await check('clone')).toEqual([true, true, [2], [2, 3], 7, [1, [2]]])
  expect(await failure('cloneFunction')).toContain('Cannot clone')
})

test('console writes to the log, values bounded and never run', async () => {
  component.log.length = 0
  await check('console')
  expect(component.log.map(({ level }) => level)).toEqual(['info', 'debug', 'warn', 'error', 'info', 'info'])
  const [formatted, ring, collections, error, long, half] = component.log.map(({ message }) => message)
  expect(formatted).toBe('it is 5% {a: [1, "x"]}')
  expect(ring).toBe('{deep: {deep: {deep: {deep: [object]}}}, trap: [getter], self: [circular]}')
  expect(collections).toBe('Map {"k" => Uint8Array(3 bytes)} Set {1n} null undefined')
  expect(error).toMatch(/^Error: logged\n {4}at /)
  expect(long).toMatch(/^https:\/\/x\.test\/ x+\.\.\.$/)
  expect(long!.length).toBeLessThan(9000)
  expect(half).toBe('\ufffd')
})
