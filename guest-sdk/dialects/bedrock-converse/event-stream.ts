import { errorFromValue } from '../../http-error.ts'
import { ProviderError } from '../../provider-error.ts'
import { crc32 } from './crc32.ts'

/** One message of `application/vnd.amazon.eventstream`. */
export interface EventStreamMessage {
  /** Headers that hold text, e.g. `:message-type`. */
  headers: Readonly<Record<string, string>>
  payload: string
}

/** Cuts a body into messages: the same ones wherever its bytes were cut. */
export interface EventStream {
  /** @throws {ProviderError} kind `network` where a checksum or a length is wrong. */
  push(bytes: Uint8Array): EventStreamMessage[]
  /** @throws {ProviderError} where the body ended inside a message, or was none of these at all. */
  end(): void
}

/** Both lengths, and the checksum of the two. */
const PRELUDE_BYTES = 12
/** The prelude, and the checksum of the whole behind the payload. */
const OVERHEAD_BYTES = 16
/** The service's own limit: 24 MiB of payload and 128 KiB of headers. */
const MAX_MESSAGE_BYTES = 24 * 1024 * 1024 + 128 * 1024 + OVERHEAD_BYTES
/** Of a body that is no event stream: enough to say what it is. */
const MAX_TEXT_BYTES = 64 * 1024

/**
 * A message is: total length (4 bytes), length of the headers (4), CRC-32 of these eight (4), headers, payload,
 * CRC-32 of everything before it (4); all numbers with the most significant byte first.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function createEventStream(): EventStream {
  let buffer: Uint8Array = new Uint8Array(0)
  /** The bytes of `buffer` that are in use. */
  let filled = 0
  /** The body is a text: a proxy's page, or an error with status 200. */
  let isText = false
  const decoder = new TextDecoder()

  function append(bytes: Uint8Array): void {
    if (filled + bytes.length > buffer.length) {
      const grown = new Uint8Array(
        Math.max(filled + bytes.length, Math.min(buffer.length * 2, MAX_MESSAGE_BYTES)),
      )
      grown.set(buffer.subarray(0, filled))
      buffer = grown
    }
    buffer.set(bytes, filled)
    filled += bytes.length
  }

  function take(): EventStreamMessage[] {
    const messages: EventStreamMessage[] = []
    let at = 0
    while (filled - at >= PRELUDE_BYTES) {
      const total = readPrelude(buffer.subarray(at, at + PRELUDE_BYTES))
      if (filled - at < total) break
      messages.push(readMessage(buffer.subarray(at, at + total), decoder))
      at += total
    }
    buffer.copyWithin(0, at, filled)
    filled -= at
    return messages
  }

  return {
    push(bytes) {
      // No message is so long that its first byte is a letter, "<" or "{".
      if (filled === 0 && bytes.length > 0 && bytes[0]! >= 0x09) isText = true
      if (isText) {
        append(bytes.subarray(0, Math.max(0, MAX_TEXT_BYTES - filled)))
        return []
      }
      append(bytes)
      return take()
    },
    end() {
      if (filled === 0) return
      if (isText) throw new ProviderError(errorFromValue(decoder.decode(buffer.subarray(0, filled))))
      throw damaged('it ends inside a message')
    },
  }
}

function readPrelude(prelude: Uint8Array): number {
  const total = readUint32(prelude, 0)
  const headers = readUint32(prelude, 4)
  if (crc32(prelude.subarray(0, 8)) !== readUint32(prelude, 8))
    throw damaged('the checksum of a prelude is wrong')
  if (total > MAX_MESSAGE_BYTES || headers > total - OVERHEAD_BYTES || total < OVERHEAD_BYTES) {
    throw damaged(`a message of ${total} bytes with ${headers} bytes of headers`)
  }
  return total
}

function readMessage(bytes: Uint8Array, decoder: TextDecoder): EventStreamMessage {
  const end = bytes.length - 4
  if (crc32(bytes.subarray(0, end)) !== readUint32(bytes, end))
    throw damaged('the checksum of a message is wrong')
  const payloadAt = PRELUDE_BYTES + readUint32(bytes, 4)
  return {
    headers: readHeaders(bytes.subarray(PRELUDE_BYTES, payloadAt), decoder),
    payload: decoder.decode(bytes.subarray(payloadAt, end)),
  }
}

/** Bytes of each type's value: true, false, byte, short, integer, long, bytes, string, timestamp, UUID. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const STRING = 7

function readHeaders(bytes: Uint8Array, decoder: TextDecoder): Record<string, string> {
  const headers: Record<string, string> = {}
  let at = 0
  const skip = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw damaged('a header is longer than the headers')
    at += count
    return bytes.subarray(at - count, at)
  }
  while (at < bytes.length) {
    const name = decoder.decode(skip(skip(1)[0]!))
    const type = skip(1)[0]!
    if (type >= VALUE_BYTES.length) throw damaged(`a header of type ${type}, which is none`)
    let length = VALUE_BYTES[type]
    if (length === undefined) {
      const [high, low] = skip(2)
      length = high! * 256 + low!
    }
    const value = skip(length)
    // Defined, not assigned: `__proto__` is a name like any other.
    if (type === STRING)
      Object.defineProperty(headers, name, { value: decoder.decode(value), enumerable: true })
  }
  return headers
}

function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

function damaged(what: string): ProviderError {
  return new ProviderError({ kind: 'network', message: `The event stream came damaged: ${what}` })
}
