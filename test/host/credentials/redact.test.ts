import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactionList } from '../../../host/credentials/redact.ts'

const SECRET = 'sk-a+b/c d"\\é-0123456789'

function listWith(...secrets: string[]) {
  const list = createRedactionList()
  for (const secret of secrets) list.add(secret)
  return list
}

function stream(list: ReturnType<typeof createRedactionList>, pieces: Uint8Array[]): string {
  const redacting = list.redactor.stream()
  return Buffer.concat([...pieces.map(piece => redacting.push(piece)), redacting.flush()]).toString()
}

const spellings: [string, string][] = [
  ['plain', SECRET],
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['percent-encoded in lower case', encodeURIComponent(SECRET).replace(/%../g, code => code.toLowerCase())],
  ['form-encoded', new URLSearchParams({ k: SECRET.replaceAll('"', '') }).toString().slice(2)],
  ['JSON-escaped', JSON.stringify(SECRET).slice(1, -1)],
  ['JSON-escaped with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
]

describe('createRedactionList', () => {
  test.each(spellings.filter(([name]) => name !== 'form-encoded'))(
    'takes out the %s spelling, wherever it is cut',
    (_name, spelling) => {
      const list = listWith(SECRET)
      expect(list.redactor.text(`a ${spelling} b ${spelling}`)).toBe('a [redacted] b [redacted]')
      const wire = Buffer.from(`a ${spelling} b ${spelling}`)
      for (let cut = 0; cut <= wire.length; cut++) {
        expect(stream(list, [wire.subarray(0, cut), wire.subarray(cut)]), `cut at ${cut}`).toBe(
          'a [redacted] b [redacted]',
        )
      }
      expect(
        stream(
          list,
          Array.from(wire, byte => Uint8Array.of(byte)),
        ),
      ).toBe('a [redacted] b [redacted]')
    },
  )

  test('takes out an added spelling as it is', () => {
    const list = createRedactionList()
    list.addSpelling('dXNlcjpzZWNyZXQ=')
    expect(list.redactor.text('Basic dXNlcjpzZWNyZXQ=')).toBe('Basic [redacted]')
  })

  test('without secrets every chunk is the same object', () => {
    const list = createRedactionList()
    const redacting = list.redactor.stream()
    const chunk = Buffer.from('anything')
    expect(list.redactor.knowsSecrets).toBe(false)
    expect(redacting.push(chunk)).toBe(chunk)
    expect(redacting.flush()).toHaveLength(0)
  })

  test('with secrets a chunk that holds none is the same object', () => {
    const redacting = listWith(SECRET).redactor.stream()
    const chunk = Buffer.from('data: {"text":"sk is no key"}\n\n')
    expect(redacting.push(chunk)).toBe(chunk)
  })

  test('holds back no more than what could become a secret', () => {
    const redacting = listWith('0123456789abcdef').redactor.stream()
    expect(Buffer.from(redacting.push(Buffer.from('xyz 01234'))).toString()).toBe('xyz ')
    expect(Buffer.from(redacting.push(Buffer.from('5 no'))).toString()).toBe('012345 no')
  })

  test('values too short to be secret are left alone', () => {
    expect(listWith('true', 'us-east').redactor.text('true us-east')).toBe('true us-east')
  })

  test('a secret that comes while a body streams is taken out from then on', () => {
    const list = createRedactionList()
    const redacting = list.redactor.stream()
    redacting.push(Buffer.from('a'))
    list.add('0123456789abcdef')
    expect(Buffer.from(redacting.push(Buffer.from('0123456789abcdef\n'))).toString()).toBe('[redacted]\n')
  })

  test('one secret that begins like another', () => {
    const list = listWith('secret-one', 'secret-one-longer')
    expect(list.redactor.text('secret-one-longer secret-one')).toBe('[redacted] [redacted]')
    expect(stream(list, [Buffer.from('secret-one-long'), Buffer.from('er secret-one.')])).toBe(
      '[redacted] [redacted].',
    )
  })

  test('a body full of secrets', () => {
    expect(stream(listWith('0123456789'), [Buffer.from('0123456789'.repeat(5_000))])).toBe(
      '[redacted]'.repeat(5_000),
    )
  })

  test('no cut of any body lets a secret through or loses another byte', () => {
    const secrets = ['aabaabaac', 'aabaabaacaab']
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c', 'aab', ...secrets, '\n'), { maxLength: 30 }),
        fc.array(fc.nat(200), { maxLength: 8 }),
        (parts, cuts) => {
          const wire = Buffer.from(parts.join(''))
          const edges = [0, ...cuts.map(cut => Math.min(cut, wire.length)).sort((a, b) => a - b), wire.length]
          const pieces = edges.slice(1).map((edge, i) => wire.subarray(edges[i], edge))
          expect(stream(listWith(...secrets), pieces)).toBe(
            parts.join('').replace(/aabaabaacaab|aabaabaac/g, '[redacted]'),
          )
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('knows many secrets, and drops the oldest', () => {
    const list = createRedactionList()
    for (let i = 0; i < 1_000; i++) list.add(`secret-number-${i}`)
    expect(list.redactor.text('secret-number-999.')).toBe('[redacted].')
    expect(list.redactor.text('secret-number-0.')).toBe('secret-number-0.')
  })
})

test('a secret that something stands for is not pushed out by others, and comes back as its stand-in', () => {
  const list = createRedactionList()
  list.add('the-key-in-use', 'word-of-it')
  for (let at = 0; at < 2_000; at++) list.addOverheard(`overheard-${at}`)
  expect(list.redactor.text('the-key-in-use')).toBe('[redacted]')
  expect(list.standInRedactor.text('the-key-in-use overheard-1999')).toBe('word-of-it overheard-1999')
  expect(list.redactor.text('overheard-1999')).toBe('[redacted]')
  list.add('the-next-key', 'word-of-it')
  expect(list.standInRedactor.text('the-key-in-use the-next-key')).toBe('word-of-it word-of-it')
  list.release('word-of-it')
  expect(list.redactor.text('the-next-key')).toBe('[redacted]')
})
