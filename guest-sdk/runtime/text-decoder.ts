// `apply` puts its arguments on the stack, so the pieces must stay small.
const PIECE = 8192
const BYTE_ORDER_MARK = '\ufeff'

const LABELS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'unicode-1-1-utf-8': 'utf-8',
  'utf-16le': 'utf-16le',
  'utf-16': 'utf-16le',
  'ucs-2': 'utf-16le',
  // The Encoding Standard reads these as windows-1252, which differs in 0x80 to 0x9f.
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  ascii: 'windows-1252',
  'us-ascii': 'windows-1252',
  'windows-1252': 'windows-1252',
}

const WINDOWS_1252_80_TO_9F =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

/** QuickJS has no TextDecoder. UTF-8 goes through native functions where it is valid. */
export class TextDecoder {
  readonly encoding: string
  readonly fatal: boolean
  readonly ignoreBOM: boolean
  #held: Uint8Array = new Uint8Array(0)
  #begun = false

  constructor(label = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    const encoding = LABELS[String(label).trim().toLowerCase()]
    if (encoding === undefined) {
      throw new RangeError(
        `Cannot decode "${label}": TextDecoder here knows utf-8, utf-16le and windows-1252 (latin1)`,
      )
    }
    this.encoding = encoding
    this.fatal = options.fatal ?? false
    this.ignoreBOM = options.ignoreBOM ?? false
  }

  decode(input?: ArrayBuffer | ArrayBufferView | null, options: { stream?: boolean } = {}): string {
    const stream = options.stream ?? false
    let bytes = toBytes(input)
    if (this.#held.length > 0) {
      const joined = new Uint8Array(this.#held.length + bytes.length)
      joined.set(this.#held)
      joined.set(bytes, this.#held.length)
      bytes = joined
      this.#held = new Uint8Array(0)
    }
    if (stream) {
      const whole = bytes.length - this.#unfinished(bytes)
      this.#held = bytes.slice(whole)
      bytes = bytes.subarray(0, whole)
    }
    let text: string
    try {
      text = this.#decode(bytes)
    } catch (error) {
      this.#begun = false
      this.#held = new Uint8Array(0)
      throw error
    }
    if (!this.#begun && text.length > 0) {
      this.#begun = true
      if (!this.ignoreBOM && this.encoding !== 'windows-1252' && text.startsWith(BYTE_ORDER_MARK)) {
        text = text.slice(1)
      }
    }
    if (!stream) this.#begun = false
    return text
  }

  #unfinished(bytes: Uint8Array): number {
    if (this.encoding === 'utf-8') return unfinishedUtf8(bytes)
    if (this.encoding === 'utf-16le') return unfinishedUtf16(bytes)
    return 0
  }

  #decode(bytes: Uint8Array): string {
    if (this.encoding === 'utf-8') return decodeUtf8(bytes, this.fatal)
    if (this.encoding === 'utf-16le') return decodeUtf16(bytes, this.fatal)
    return binary(bytes).replace(
      /[\x80-\x9f]/g,
      character => WINDOWS_1252_80_TO_9F[character.charCodeAt(0) - 0x80] ?? character,
    )
  }
}

function toBytes(input: ArrayBuffer | ArrayBufferView | null | undefined): Uint8Array {
  if (input === undefined || input === null) return new Uint8Array(0)
  if (input instanceof Uint8Array) return input
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
  return new Uint8Array(input)
}

/** One character a byte. */
function binary(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + PIECE) as unknown as number[])
  }
  return text
}

function decodeUtf8(bytes: Uint8Array, fatal: boolean): string {
  try {
    return decodeURIComponent(escape(binary(bytes)))
  } catch {
    if (fatal) throw new TypeError('The encoded data was not valid utf-8')
    return decodeBrokenUtf8(bytes)
  }
}

/** The Encoding Standard's UTF-8 decoder: each maximal part of a broken sequence becomes one U+FFFD. */
function decodeBrokenUtf8(bytes: Uint8Array): string {
  const pieces: string[] = []
  let at = 0
  while (at < bytes.length) {
    const length = validLength(bytes, at)
    if (length > 0) {
      const from = at
      while (at < bytes.length) {
        const next = validLength(bytes, at)
        if (next <= 0) break
        at += next
      }
      pieces.push(decodeURIComponent(escape(binary(bytes.subarray(from, at)))))
    } else {
      pieces.push('\ufffd')
      at += Math.max(1, -length)
    }
  }
  return pieces.join('')
}

/** Bytes of the character at `at`; where it is broken, minus the bytes that belong to its beginning. */
function validLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  const needed =
    first >= 0xc2 && first <= 0xdf
      ? 1
      : first >= 0xe0 && first <= 0xef
        ? 2
        : first >= 0xf0 && first <= 0xf4
          ? 3
          : 0
  if (needed === 0) return -1
  for (let more = 1; more <= needed; more++) {
    const byte = bytes[at + more]
    const least = more === 1 ? (first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80) : 0x80
    const most = more === 1 ? (first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf) : 0xbf
    if (byte === undefined || byte < least || byte > most) return -more
  }
  return needed + 1
}

/** How many bytes at the end are the beginning of a character that may still be completed. */
function unfinishedUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back
    const byte = bytes[at]!
    if (byte >= 0x80 && byte < 0xc0) continue
    return byte >= 0xc2 && byte <= 0xf4 && validLength(bytes, at) === -back ? back : 0
  }
  return 0
}

function decodeUtf16(bytes: Uint8Array, fatal: boolean): string {
  const pairs = bytes.length >> 1
  let text = ''
  for (let at = 0; at < pairs; at += PIECE) {
    const count = Math.min(PIECE, pairs - at)
    const units = new Array<number>(count)
    for (let unit = 0; unit < count; unit++) {
      const byte = (at + unit) * 2
      units[unit] = bytes[byte]! | (bytes[byte + 1]! << 8)
    }
    text += String.fromCharCode.apply(null, units)
  }
  const broken = bytes.length % 2 === 1 || !text.isWellFormed()
  if (broken && fatal) throw new TypeError('The encoded data was not valid utf-16le')
  return bytes.length % 2 === 1 ? `${text.toWellFormed()}\ufffd` : text.toWellFormed()
}

function unfinishedUtf16(bytes: Uint8Array): number {
  const odd = bytes.length % 2
  const high = bytes[bytes.length - odd - 1]
  return high !== undefined && high >= 0xd8 && high <= 0xdb ? odd + 2 : odd
}
