import { TransportError } from '../errors.ts'

/** Decodes a body of UTF-8, however its bytes are cut. */
export interface TextReader {
  /**
   * The text of the next bytes. Where they are not UTF-8, the text before the fault; `end` then throws.
   * A byte order mark at the beginning is dropped.
   */
  read(bytes: Uint8Array): string
  /** True once bytes came that are not UTF-8: nothing is read any more. */
  readonly failed: boolean
  /** @throws {TransportError} `invalid-response` where the body is not UTF-8, or ends inside a character. */
  end(): void
}

export function createTextReader(): TextReader {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let begun = false
  let failed = false
  // What the decoder holds of a character that is not whole yet, for the case that it never will be.
  let held: number[] = []

  /** Byte by byte, once in the life of a body that is broken: the text before the fault. */
  function readUpToFault(bytes: Uint8Array): string {
    const slow = new TextDecoder('utf-8', { fatal: true, ignoreBOM: begun })
    let text = ''
    try {
      for (const byte of [...held, ...bytes]) text += slow.decode(Uint8Array.of(byte), { stream: true })
    } catch {
      // Here it is.
    }
    return text
  }

  return {
    read(bytes) {
      if (failed) return ''
      try {
        const text = decoder.decode(bytes, { stream: true })
        held = unfinished(held, bytes)
        begun ||= text !== ''
        return text
      } catch {
        failed = true
        return readUpToFault(bytes)
      }
    },
    get failed() {
      return failed
    },
    end() {
      if (failed) throw new TransportError('invalid-response', 'The response holds bytes that are not UTF-8')
      if (held.length > 0) {
        throw new TransportError(
          'invalid-response',
          'The response ended in the middle of a character: it was cut off',
        )
      }
    },
  }
}

/** The bytes at the end that begin a character and do not finish it; three at the most. */
function unfinished(held: number[], bytes: Uint8Array): number[] {
  const last = bytes.length >= 3 ? [...bytes.subarray(-3)] : [...held, ...bytes].slice(-3)
  for (let index = last.length - 1; index >= 0; index--) {
    const byte = last[index]!
    if (byte < 0x80) return []
    if (byte < 0xc0) continue
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return last.length - index < length ? last.slice(index) : []
  }
  return []
}
