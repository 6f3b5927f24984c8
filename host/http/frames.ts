import { createParser, type ParseError } from 'eventsource-parser'
import { TransportError } from '../errors.ts'
import { DEFAULT_HTTP_LIMITS } from '../policy/limits.ts'
import { createTextReader } from './text-reader.ts'

/** One piece of a response body, as a guest's `completion.decode` takes it. */
export type Frame =
  | { tag: 'event'; val: { event?: string; data: string } }
  | { tag: 'text'; val: string }
  | { tag: 'bytes'; val: Uint8Array }

export type FramingKind = 'server-sent-events' | 'lines' | 'whole' | 'bytes'

/**
 * Cuts a body into frames. The frames are the same wherever the bytes were cut, and so is what was framed before a
 * fault: neither call throws, and both return what is whole.
 */
export interface Framer {
  push(bytes: Uint8Array): Frame[]
  /** The body has ended: what is left of it. Call once. */
  end(): Frame[]
  /**
   * Why the body cannot be read on: 'too-large' past a limit, 'invalid-response' for bytes that are not UTF-8 and, at
   * the end, for a body that ends inside a character. Nothing is framed after it.
   */
  readonly error: TransportError | undefined
}

export interface FramerLimits {
  /** One line or one event, in UTF-16 units. Default 32 Mi. */
  maxFrameBytes?: number
  /** The body of 'whole', in bytes. Default 64 MiB. */
  maxWholeBytes?: number
}

/** Unfinished lines are joined to pieces of this length, so that a dripping sender costs no memory a piece. */
const MIN_PIECE = 4_096
/** Lines in a row that are no field of an event: error pages have hundreds, and each costs microseconds. */
const MAX_STRAY_LINES = 20_000

export function createFramer(framing: FramingKind, limits: FramerLimits = {}): Framer {
  let frames: Frame[] = []
  let error: TransportError | undefined
  const cutter = createCutter(framing, limits, frame => frames.push(frame))

  function run(step: () => void): Frame[] {
    if (error) return []
    try {
      step()
    } catch (thrown) {
      if (!(thrown instanceof TransportError)) throw thrown
      error = thrown
    }
    const taken = frames
    frames = []
    return taken
  }

  return {
    push: bytes => run(() => cutter.push(bytes)),
    end: () => run(cutter.end),
    get error() {
      return error
    },
  }
}

/** Hands on frames as they become whole. Throws TransportError; used up then. */
interface Cutter {
  push(bytes: Uint8Array): void
  end(): void
}

type Emit = (frame: Frame) => void

function createCutter(framing: FramingKind, limits: FramerLimits, emit: Emit): Cutter {
  const {
    maxFrameBytes = DEFAULT_HTTP_LIMITS.maxFrameBytes,
    maxWholeBytes = DEFAULT_HTTP_LIMITS.maxWholeBytes,
  } = limits
  switch (framing) {
    case 'server-sent-events':
      return createEventCutter(maxFrameBytes, emit)
    case 'lines':
      return createLineCutter(maxFrameBytes, emit)
    case 'whole':
      return createWholeCutter(maxWholeBytes, emit)
    case 'bytes':
      return { push: bytes => bytes.length > 0 && emit({ tag: 'bytes', val: bytes }), end() {} }
    default:
      return framing satisfies never
  }
}

/**
 * eventsource-parser finds the fields; around it stands what it leaves to its caller or does differently:
 * - It takes text: one decoder for the whole body keeps characters whole and drops a byte order mark.
 * - It discards an unfinished line that cannot become a field, so what it reports depends on where the bytes were
 *   cut. Here it is fed whole lines only, and all line ends as LF, which is its fast path.
 * - It drops an event that the end of the body cuts off before its blank line.
 * - It reports empty events. An unnamed one is a heartbeat.
 * - It ignores lines that are no field. An error as bare JSON, in place of or between events, is exactly that: what
 *   looks like JSON is handed over as text in its place, and all of it where no event came.
 */
function createEventCutter(maxChars: number, emit: Emit): Cutter {
  const reader = createTextReader()
  const lines = createLineBuffer(maxChars)
  let events = 0
  let stray: string[] = []
  let strayChars = 0
  let swallowLineFeed = false

  const parser = createParser({
    maxBufferSize: maxChars,
    onEvent({ event, data }) {
      if (stray.length > 0) takeStray(false)
      // The parser weighs what it holds between lines; an event of one line is weighed here.
      if (data.length > maxChars) throw tooLarge('event', maxChars)
      if (event === undefined && data === '') return
      events++
      emit({ tag: 'event', val: event === undefined ? { data } : { event, data } })
    },
    onError(error: ParseError) {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge('event', maxChars)
      if (error.type === 'unknown-field') keepStray(error.line ?? '')
    },
  })

  function keepStray(line: string): void {
    strayChars += line.length + 1
    if (strayChars > maxChars) throw tooLarge('body that is no event stream', maxChars)
    if (stray.length >= MAX_STRAY_LINES) {
      throw new TransportError(
        'invalid-response',
        'Cannot read the response: it says that it is an event stream and is not',
      )
    }
    stray.push(line)
  }

  function takeStray(atEnd: boolean): void {
    const text = stray.join('\n').trim()
    stray = []
    strayChars = 0
    const isJson = text.startsWith('{') || text.startsWith('[')
    if (isJson || (atEnd && events === 0 && text !== '')) emit({ tag: 'text', val: text })
  }

  function feed(decoded: string): void {
    let text = decoded
    if (swallowLineFeed && text !== '') {
      swallowLineFeed = false
      if (text.startsWith('\n')) text = text.slice(1)
    }
    if (text.includes('\r')) {
      // A CR ends its line at once; the LF that may follow in the next chunk belongs to it.
      swallowLineFeed = text.endsWith('\r')
      text = text.replace(/\r\n?/g, '\n')
    }
    const whole = lines.push(text)
    if (whole !== '') parser.feed(whole)
  }

  return {
    push(bytes) {
      feed(reader.read(bytes))
      if (reader.failed) reader.end()
    },
    end() {
      reader.end()
      swallowLineFeed = false
      feed('\n\n')
      takeStray(true)
    },
  }
}

/** A line ends with LF or CRLF: a lone CR is white space inside JSON. Blank lines are skipped. */
function createLineCutter(maxChars: number, emit: Emit): Cutter {
  const reader = createTextReader()
  const lines = createLineBuffer(maxChars)

  function cut(whole: string): void {
    if (whole === '') return
    for (const line of whole.split('\n')) {
      const val = line.endsWith('\r') ? line.slice(0, -1) : line
      if (val.length > maxChars) throw tooLarge('line', maxChars)
      if (val.trim() !== '') emit({ tag: 'text', val })
    }
  }

  return {
    push(bytes) {
      cut(lines.push(reader.read(bytes)))
      if (reader.failed) reader.end()
    },
    end() {
      reader.end()
      cut(lines.push('\n'))
    },
  }
}

interface LineBuffer {
  /** Adds text and returns all lines that are complete now, with their line feeds; '' where none is. */
  push(text: string): string
}

function createLineBuffer(maxChars: number): LineBuffer {
  let pieces: string[] = []
  let pieceChars = 0
  let held = ''
  return {
    push(text) {
      let whole = ''
      const lineEnd = text.lastIndexOf('\n') + 1
      if (lineEnd > 0) {
        whole = lineEnd === text.length ? text : text.slice(0, lineEnd)
        if (pieces.length > 0 || held !== '') whole = pieces.join('') + held + whole
        pieces = []
        pieceChars = 0
        held = ''
      }
      held += lineEnd === 0 ? text : text.slice(lineEnd)
      if (held.length >= MIN_PIECE) {
        pieces.push(held)
        pieceChars += held.length
        held = ''
      }
      if (pieceChars + held.length > maxChars) throw tooLarge('line', maxChars)
      return whole
    },
  }
}

/** One text frame at the end, or none for an empty body. */
function createWholeCutter(maxBytes: number, emit: Emit): Cutter {
  const reader = createTextReader()
  const pieces: string[] = []
  let byteCount = 0
  let held = ''
  return {
    push(bytes) {
      byteCount += bytes.length
      if (byteCount > maxBytes) throw tooLarge('body', maxBytes)
      held += reader.read(bytes)
      if (reader.failed) reader.end()
      if (held.length >= MIN_PIECE) {
        pieces.push(held)
        held = ''
      }
    },
    end() {
      reader.end()
      const text = pieces.join('') + held
      if (text !== '') emit({ tag: 'text', val: text })
    },
  }
}

function tooLarge(what: string, limit: number): TransportError {
  return new TransportError(
    'too-large',
    `Cannot read the response: one ${what} is longer than ${limit} characters, the most that is accepted`,
  )
}
