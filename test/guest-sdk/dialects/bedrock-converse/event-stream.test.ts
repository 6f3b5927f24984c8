import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from '../../../../guest-sdk/dialects/bedrock-converse/crc32.ts'
import {
  createEventStream,
  type EventStreamMessage,
} from '../../../../guest-sdk/dialects/bedrock-converse/index.ts'
import { cutAt, cutPositions, oneByOne } from '../../../servers/cuts.ts'
import { event, frame, message, named, textHeader } from './event-stream-bytes.ts'

function read(pieces: readonly Uint8Array[]): EventStreamMessage[] {
  const stream = createEventStream()
  const messages = pieces.flatMap(piece => stream.push(piece))
  stream.end()
  return messages
}

test('crc32: the check value of the standard, and nothing at all', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array())).toBe(0)
})

test('createEventStream: every type of header is passed, texts are kept', () => {
  const long = Buffer.alloc(8)
  const headers = Buffer.concat([
    ...[named('true', 0), named('false', 1), named('byte', 2), Buffer.from([7])],
    ...[named('short', 3), Buffer.alloc(2), named('integer', 4), Buffer.alloc(4), named('long', 5), long],
    ...[named('bytes', 6), Buffer.from([0, 3, 1, 2, 3]), textHeader(':event-type', 'größe')],
    ...[named('time', 8), long, named('uuid', 9), Buffer.alloc(16), textHeader('__proto__', 'x')],
  ])
  const [found] = read([frame(headers, Buffer.from('{"text":"好"}'))])
  expect(found?.payload).toBe('{"text":"好"}')
  expect(found?.headers[':event-type']).toBe('größe')
  expect(Object.keys(found?.headers ?? {})).toEqual([':event-type', '__proto__'])
})

describe('createEventStream, wherever the bytes are cut (A1, A2)', () => {
  const body = Buffer.concat([
    event('messageStart', { role: 'assistant' }),
    event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: '好 😀' } }),
    message({}, ''),
    event('messageStop', { stopReason: 'end_turn' }),
  ])
  const whole = read([body])

  test('at every place', () => {
    expect(whole).toHaveLength(4)
    for (const at of cutPositions(body.length, body.length + 1)) {
      expect(read(cutAt(body, at)), `cut at ${at}`).toEqual(whole)
    }
    expect(read(oneByOne(body))).toEqual(whole)
  })

  test('a body that ends inside a message is no end (A4)', () => {
    for (let length = 1; length < body.length; length++) {
      const stream = createEventStream()
      const messages = stream.push(body.subarray(0, length))
      const rest = length - messages.reduce((sum, _, at) => sum + lengths[at]!, 0)
      if (rest === 0) expect(() => stream.end()).not.toThrow()
      else expect(() => stream.end(), `after ${length} bytes`).toThrow(/ends inside a message/)
    }
  })

  const lengths: number[] = []
  for (let at = 0; at < body.length; at += lengths.at(-1)!) lengths.push(body.readUInt32BE(at))
})

test('createEventStream: a bit that is wrong is found, whichever it is', () => {
  const good = event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello' } })
  fc.assert(
    fc.property(fc.nat(good.length * 8 - 1), bit => {
      const bad = Buffer.from(good)
      bad[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => read([bad])).toThrow(expect.objectContaining({ name: 'ProviderError' }))
    }),
  )
})

test('createEventStream: any messages, in any pieces', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(
      fc.array(fc.record({ header: texts, payload: texts }), { maxLength: 5 }),
      fc.array(fc.nat(500), { maxLength: 6 }),
      (messages, cuts) => {
        const body = Buffer.concat(messages.map(({ header, payload }) => message({ h: header }, payload)))
        const places = [...new Set(cuts.filter(cut => cut < body.length))].sort((a, b) => a - b)
        expect(read(cutAt(body, ...places))).toEqual(
          messages.map(({ header, payload }) => ({ headers: { h: header }, payload })),
        )
      },
    ),
  )
})

test.each([
  ['longer than any message', 0x7fffffff, 0],
  ['headers longer than the message', 20, 5],
  ['shorter than a message', 12, 0],
])('createEventStream: a length that is %s costs no memory (A17)', (_, total, headers) => {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(total, 0)
  prelude.writeUInt32BE(headers, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  // The highest byte of the first is a letter's: then it is no event stream at all.
  expect(() => read([prelude])).toThrow(expect.objectContaining({ name: 'ProviderError' }))
})

test.each([
  [
    'an error object (A22, D1)',
    '{"message":"Too many requests","code":"ThrottlingException"}',
    'rate-limited',
    /Too many/,
  ],
  ['a page of a proxy (D8)', '<html><title>502 Bad Gateway</title></html>', 'other', /502 Bad Gateway/],
])('createEventStream: a body that is %s', (_, body, kind, words) => {
  for (const pieces of [[Buffer.from(body)], oneByOne(Buffer.from(body))]) {
    expect(() => read(pieces)).toThrow(
      expect.objectContaining({ kind, message: expect.stringMatching(words) }),
    )
  }
})
