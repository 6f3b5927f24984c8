import { createParser, type ParseError } from 'eventsource-parser'
import { TransportError } from '../errors.ts'
import { DEFAULT_HTTP_LIMITS } from '../policy/limits.ts'

/** One piece of a response body, as a guest's `completion.decode` takes it. */
export type Frame =
  | { tag: 'event'; val: { event?: string; data: string } }
  | { tag: 'text'; val: string }
  | { tag: 'bytes'; val: Uint8Array }

export type FramingKind = 'server-sent-events' | 'lines' | 'whole' | 'bytes'

/**
 * Cuts a body into frames. The frames are the same wherever the bytes were cut. Both calls throw
 * TransportError: 'too-large' past a limit, and `end` 'invalid-response' for a body that ends inside a
 * character. A framer that threw is used up.
 */
export interface Framer {
  push(bytes: Uint8Array): Frame[]
  /** The body has ended: what is left of it. Call once. */
  end(): Frame[]
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
  const {
    maxFrameBytes = DEFAULT_HTTP_LIMITS.maxFrameBytes,
    maxWholeBytes = DEFAULT_HTTP_LIMITS.maxWholeBytes,
  } = limits
  switch (framing) {
    case 'server-sent-events':
      return createEventFramer(maxFrameBytes)
    case 'lines':
      return createLineFramer(maxFrameBytes)
    case 'whole':
      return createWholeFramer(maxWholeBytes)
    case 'bytes':
      return { push: bytes => (bytes.length === 0 ? [] : [{ tag: 'bytes', val: bytes }]), end: () => [] }
    default:
      return framing satisfies never
  }
}

/**
 * eventsource-parser finds the fields; around it stands what it leaves to its caller or does differently:
 * - It takes text: one TextDecoder for the whole body keeps characters whole and drops a byte order mark.
 * - It discards an unfinished line that cannot become a field, so what it reports depends on where the bytes were
 *   cut. Here it is fed whole lines only, and all line ends as LF, which is its fast path.
 * - It drops an event that the end of the body cuts off before its blank line.
 * - It reports empty events. An unnamed one is a heartbeat.
 * - It ignores lines that are no field. An error as bare JSON, in place of or between events, is exactly that: what
 *   looks like JSON is handed over as text in its place, and all of it where no event came.
 */
function createEventFramer(maxChars: number): Framer {
  const decoder = new TextDecoder()
  const lines = createLineBuffer(maxChars)
  let frames: Frame[] = []
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
      frames.push({ tag: 'event', val: event === undefined ? { data } : { event, data } })
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
    if (isJson || (atEnd && events === 0 && text !== '')) frames.push({ tag: 'text', val: text })
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

  function take(): Frame[] {
    const taken = frames
    frames = []
    return taken
  }

  return {
    push(bytes) {
      feed(decoder.decode(bytes, { stream: true }))
      return take()
    },
    end() {
      finishText(decoder)
      swallowLineFeed = false
      feed('\n\n')
      takeStray(true)
      return take()
    },
  }
}

/** A line ends with LF or CRLF: a lone CR is white space inside JSON. Blank lines are skipped. */
function createLineFramer(maxChars: number): Framer {
  const decoder = new TextDecoder()
  const lines = createLineBuffer(maxChars)

  function framesOf(whole: string): Frame[] {
    const frames: Frame[] = []
    if (whole === '') return frames
    for (const line of whole.split('\n')) {
      const val = line.endsWith('\r') ? line.slice(0, -1) : line
      if (val.length > maxChars) throw tooLarge('line', maxChars)
      if (val.trim() !== '') frames.push({ tag: 'text', val })
    }
    return frames
  }

  return {
    push: bytes => framesOf(lines.push(decoder.decode(bytes, { stream: true }))),
    end() {
      finishText(decoder)
      return framesOf(lines.push('\n'))
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
function createWholeFramer(maxBytes: number): Framer {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let byteCount = 0
  let held = ''
  return {
    push(bytes) {
      byteCount += bytes.length
      if (byteCount > maxBytes) throw tooLarge('body', maxBytes)
      held += decoder.decode(bytes, { stream: true })
      if (held.length >= MIN_PIECE) {
        pieces.push(held)
        held = ''
      }
      return []
    },
    end() {
      finishText(decoder)
      const text = pieces.join('') + held
      return text === '' ? [] : [{ tag: 'text', val: text }]
    },
  }
}

function finishText(decoder: TextDecoder): void {
  // Flushing says something only where bytes of an unfinished character are left.
  if (decoder.decode() !== '') {
    throw new TransportError(
      'invalid-response',
      'The response ended in the middle of a character: it was cut off',
    )
  }
}

function tooLarge(what: string, limit: number): TransportError {
  return new TransportError(
    'too-large',
    `Cannot read the response: one ${what} is longer than ${limit} characters, the most that is accepted`,
  )
}
