import { describe, expect, test } from 'vitest'
import { createFramer, type Frame, type FramingKind } from '../../../host/http/frames.ts'

const encoder = new TextEncoder()

function bytesOf(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map(part => (typeof part === 'string' ? encoder.encode(part) : Uint8Array.from(part))),
  )
}

function frame(framing: FramingKind, pieces: Uint8Array[], limits = {}): Frame[] {
  const { frames, error } = read(framing, pieces, limits)
  if (error) throw error
  return frames
}

function read(framing: FramingKind, pieces: Uint8Array[], limits = {}) {
  const framer = createFramer(framing, limits)
  const frames = [...pieces.flatMap(piece => framer.push(piece)), ...framer.end()]
  return { frames, error: framer.error }
}

/** The frames of `wire`, after proving that no cut and no dripping changes them. */
function framesAtEveryCut(framing: FramingKind, wire: Uint8Array): Frame[] {
  const whole = frame(framing, [wire])
  for (let cut = 0; cut <= wire.length; cut++) {
    expect(frame(framing, [wire.subarray(0, cut), wire.subarray(cut)]), `cut at byte ${cut}`).toEqual(whole)
  }
  const single = Array.from(wire, byte => Uint8Array.of(byte))
  expect(frame(framing, single), 'one byte at a time').toEqual(whole)
  return whole
}

const event = (data: string, name?: string): Frame => ({
  tag: 'event',
  val: name === undefined ? { data } : { event: name, data },
})
const text = (val: string): Frame => ({ tag: 'text', val })

describe('createFramer server-sent-events', () => {
  const cases: [name: string, wire: Uint8Array, frames: Frame[]][] = [
    ['keeps a character whole that two chunks share', bytesOf('data: 好 🦀 é\n\n'), [event('好 🦀 é')]],
    [
      'joins an event cut anywhere',
      bytesOf('data: {"a":1}\n\ndata: {"b":2}\n\n'),
      [event('{"a":1}'), event('{"b":2}')],
    ],
    [
      'reads CR, LF and CRLF mixed as one event',
      bytesOf('data: A\r\ndata: B\r\ndata: C\r\n\n'),
      [event('A\nB\nC')],
    ],
    [
      'reads CR LF CR as two line ends',
      bytesOf('data: A\n\r\ndata: B\r\rdata: C\n\n'),
      [event('A'), event('B'), event('C')],
    ],
    [
      'reads a CRLF stream as the LF stream',
      bytesOf('data: A\r\n\r\ndata: B\r\n\r\n'),
      [event('A'), event('B')],
    ],
    [
      'reads a stream of lone CRs',
      bytesOf('event: x\rdata: A\r\rdata: B\r\r'),
      [event('A', 'x'), event('B')],
    ],
    ['sees no blank line in CRLF', bytesOf('data: A\r\ndata: B\n\n'), [event('A\nB')]],
    [
      'removes exactly one leading space',
      bytesOf('data:{"a":1}\n\ndata:  two\n\ndata:[DONE]\n\n'),
      [event('{"a":1}'), event(' two'), event('[DONE]')],
    ],
    [
      'joins several data lines with a line feed',
      bytesOf('data: {\ndata:   "a": 1\ndata: }\n\n'),
      [event('{\n  "a": 1\n}')],
    ],
    [
      'ignores comments, before, in and after events',
      bytesOf(': OPENROUTER PROCESSING\n\ndata: A\n: keep-alive\n\n:\n\ndata: B\n\n: bye\n\n'),
      [event('A'), event('B')],
    ],
    [
      'skips heartbeats with empty data',
      bytesOf('data:\n\ndata: \n\ndata\n\ndata: A\n\ndata:\n\n'),
      [event('A')],
    ],
    ['keeps a named event without data', bytesOf('event: done\ndata:\n\n'), [event('', 'done')]],
    ['drops an event that has no data line', bytesOf('event: ping\n\ndata: A\n\n'), [event('A')]],
    [
      'gives names to their own event only',
      bytesOf('event: a\ndata: 1\n\ndata: 2\n\n'),
      [event('1', 'a'), event('2')],
    ],
    ['ignores id and retry', bytesOf('id: 7\nretry: 100\nretry: no\ndata: A\n\n'), [event('A')]],
    ['skips a byte order mark', bytesOf([0xef, 0xbb, 0xbf], 'data: A\n\n'), [event('A')]],
    [
      'flushes the last event without a blank line',
      bytesOf('data: A\n\ndata: B\n'),
      [event('A'), event('B')],
    ],
    ['flushes the last event without a line end', bytesOf('data: A\n\ndata: B'), [event('A'), event('B')]],
    ['flushes the last event after a lone CR', bytesOf('data: A\r\rdata: B\r'), [event('A'), event('B')]],
    [
      'hands over bare JSON in place of events',
      bytesOf('{"error":{"message":"no: quota"}}'),
      [text('{"error":{"message":"no: quota"}}')],
    ],
    [
      'hands over pretty-printed JSON in place of events',
      bytesOf('{\r\n  "error": {\r\n    "data": "x"\r\n  }\r\n}\r\n'),
      [text('{\n  "error": {\n    "data": "x"\n  }\n}')],
    ],
    [
      'hands over bare JSON after heartbeats and comments',
      bytesOf(': hello\n\ndata:\n\n{"error":"x"}\n\n'),
      [text('{"error":"x"}')],
    ],
    [
      'hands over bare JSON between events in its place',
      bytesOf('data: A\n\n{"error":"x"}\n\ndata: [DONE]\n\n'),
      [event('A'), text('{"error":"x"}'), event('[DONE]')],
    ],
    [
      'hands over bare JSON after the last event',
      bytesOf('data: A\n\n{"error":"x"}'),
      [event('A'), text('{"error":"x"}')],
    ],
    [
      'hands over a page that is no stream',
      bytesOf('<html>\n<b>502</b>\n</html>\n'),
      [text('<html>\n<b>502</b>\n</html>')],
    ],
    ['drops unknown fields of a real stream', bytesOf('foo: bar\ndata: A\n\nfoo: bar\n\n'), [event('A')]],
    ['frames nothing of an empty body', bytesOf(''), []],
    [
      'keeps NUL and lone surrogate escapes',
      bytesOf('data: "\\ud83d" ', [0], '\n\n'),
      [event('"\\ud83d" \0')],
    ],
  ]

  test.each(cases)('%s', (_name, wire, frames) => {
    expect(framesAtEveryCut('server-sent-events', wire)).toEqual(frames)
  })

  test('hands an event over on the CR that ends it', () => {
    const framer = createFramer('server-sent-events')
    expect(framer.push(bytesOf('data: A\r\r'))).toEqual([event('A')])
    expect(framer.push(bytesOf('\ndata: B\r\r'))).toEqual([event('B')])
    expect(framer.end()).toEqual([])
  })

  test.each([
    ['two of three bytes', [0xe5, 0xa5]],
    ['one of four bytes', [0xf0]],
    ['half a byte order mark', [0xef, 0xbb]],
  ])('throws at an end inside a character: %s', (_name, rest) => {
    const framer = createFramer('server-sent-events')
    expect(framer.push(bytesOf('data: A\n\ndata: ', rest))).toEqual([event('A')])
    framer.end()
    expect(framer.error).toMatchObject({ code: 'invalid-response' })
  })

  test.each([
    ['a byte of no character', [0xff]],
    ['a character without its end', [0xe5, 0xa5, 0x41]],
    ['an overlong spelling', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
  ])('keeps what came before bytes that are not UTF-8, wherever they were cut: %s', (_name, fault) => {
    const wire = bytesOf('data: 好\n\ndata: B\n\ndata: C', fault, '\n\ndata: D\n\n')
    const whole = read('server-sent-events', [wire])
    expect(whole.frames).toEqual([event('好'), event('B')])
    expect(whole.error).toMatchObject({
      code: 'invalid-response',
      message: 'The response holds bytes that are not UTF-8',
    })
    for (let cut = 0; cut <= wire.length; cut++) {
      expect(
        read('server-sent-events', [wire.subarray(0, cut), wire.subarray(cut)]),
        `cut at byte ${cut}`,
      ).toEqual(whole)
    }
    expect(
      read(
        'server-sent-events',
        Array.from(wire, byte => Uint8Array.of(byte)),
      ),
    ).toEqual(whole)
  })

  test('passes a line of 10 MB', () => {
    const image = 'A'.repeat(10_000_000)
    const wire = bytesOf(`data: ${image}\n\ndata: B\n\n`)
    const pieces = Array.from({ length: Math.ceil(wire.length / 65_536) }, (_, i) =>
      wire.subarray(i * 65_536, (i + 1) * 65_536),
    )
    expect(frame('server-sent-events', pieces)).toEqual([event(image), event('B')])
  })

  test.each<[string, FramingKind, string]>([
    ['a line without end', 'server-sent-events', 'x'.repeat(1_000)],
    ['a comment without end', 'server-sent-events', `:${'x'.repeat(999)}`],
    ['an event without end', 'server-sent-events', 'data: 1234\n'.repeat(100)],
    ['stray lines without end', 'server-sent-events', '{"a": 1}\n\n'.repeat(100)],
    ['a line without end', 'lines', 'x'.repeat(1_000)],
  ])('throws at the cap: %s, %s', (_name, framing, piece) => {
    const framer = createFramer(framing, { maxFrameBytes: 100_000 })
    let pushed = 0
    for (; pushed < 10_000 && !framer.error; pushed++) framer.push(bytesOf(piece))
    expect(framer.error).toMatchObject({ code: 'too-large' })
    expect(pushed).toBeLessThan(300)
  })

  test('throws at the cap for an event that came in one chunk', () => {
    expect(() => frame('server-sent-events', [bytesOf('data: 123456\n\n')], { maxFrameBytes: 5 })).toThrow(
      expect.objectContaining({ code: 'too-large' }),
    )
  })

  test('gives up on a flood of lines that are no fields', () => {
    expect(() => frame('server-sent-events', [bytesOf('x\n'.repeat(100_000))])).toThrow(
      expect.objectContaining({ code: 'invalid-response' }),
    )
  })

  test('takes a dripped long line without a piece for each byte', () => {
    const framer = createFramer('server-sent-events')
    const drop = bytesOf('好')
    framer.push(bytesOf('data: '))
    for (let i = 0; i < 100_000; i++) framer.push(drop)
    expect(framer.end()).toEqual([event('好'.repeat(100_000))])
  })
})

describe('createFramer lines', () => {
  const cases: [name: string, wire: Uint8Array, frames: Frame[]][] = [
    ['one frame a line', bytesOf('{"a":1}\n{"b":"好"}\n'), [text('{"a":1}'), text('{"b":"好"}')]],
    ['takes the last line without line end', bytesOf('{"a":1}\n{"b":2}'), [text('{"a":1}'), text('{"b":2}')]],
    ['takes CRLF as a line end', bytesOf('{"a":1}\r\n{"b":2}\r\n'), [text('{"a":1}'), text('{"b":2}')]],
    ['keeps a lone CR inside a line', bytesOf('{"a":\r1}\n'), [text('{"a":\r1}')]],
    ['skips blank lines', bytesOf('\n\r\n{"a":1}\n  \n\n{"b":2}\n\n'), [text('{"a":1}'), text('{"b":2}')]],
    ['skips a byte order mark', bytesOf([0xef, 0xbb, 0xbf], '{"a":1}\n'), [text('{"a":1}')]],
  ]

  test.each(cases)('%s', (_name, wire, frames) => {
    expect(framesAtEveryCut('lines', wire)).toEqual(frames)
  })

  test('passes a line of 10 MB and joins its pieces', () => {
    const long = 'A'.repeat(10_000_000)
    const wire = bytesOf(`${long}\n${long}`)
    const pieces = Array.from({ length: Math.ceil(wire.length / 65_536) }, (_, i) =>
      wire.subarray(i * 65_536, (i + 1) * 65_536),
    )
    expect(frame('lines', pieces)).toEqual([text(long), text(long)])
  })

  test('throws at an end inside a character', () => {
    expect(() => frame('lines', [bytesOf('{"a":1}', [0xe5])])).toThrow(
      expect.objectContaining({ code: 'invalid-response' }),
    )
  })
})

describe('createFramer whole and bytes', () => {
  test('whole: one frame at the end', () => {
    expect(framesAtEveryCut('whole', bytesOf('{\n"a": "好"\r\n}\n'))).toEqual([text('{\n"a": "好"\r\n}\n')])
    expect(framesAtEveryCut('whole', bytesOf(''))).toEqual([])
  })

  test('whole: throws past its cap and at an end inside a character', () => {
    expect(() => frame('whole', [bytesOf('123456')], { maxWholeBytes: 5 })).toThrow(
      expect.objectContaining({ code: 'too-large' }),
    )
    expect(() => frame('whole', [bytesOf('a', [0xf0, 0x9f])])).toThrow(
      expect.objectContaining({ code: 'invalid-response' }),
    )
  })

  test('bytes: as they come, no empty ones', () => {
    const framer = createFramer('bytes')
    expect(framer.push(bytesOf('ab'))).toEqual([{ tag: 'bytes', val: bytesOf('ab') }])
    expect(framer.push(bytesOf(''))).toEqual([])
    expect(framer.end()).toEqual([])
  })
})
