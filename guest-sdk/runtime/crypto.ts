import { host } from '../component/host.ts'
import { requireRunning } from './running.ts'

// The host's bound for one call, and the Web's.
const MAX_BYTES = 65_536

function randomBytes(count: number): Uint8Array {
  requireRunning('random bytes')
  return host.randomBytes(count)
}

/** Random bytes come from the host: those of the engine would be the same in every instance. */
export const crypto = {
  getRandomValues<T extends ArrayBufferView>(array: T): T {
    if (!ArrayBuffer.isView(array) || array instanceof Float32Array || array instanceof Float64Array) {
      throw new TypeError('crypto.getRandomValues() fills integer arrays, e.g. new Uint8Array(16)')
    }
    if (array.byteLength > MAX_BYTES) {
      throw new RangeError(
        `crypto.getRandomValues() fills at most ${MAX_BYTES} bytes at once: the array has ${array.byteLength}`,
      )
    }
    if (array.byteLength > 0) {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
      bytes.set(randomBytes(array.byteLength))
    }
    return array
  },

  randomUUID(): string {
    const bytes = randomBytes(16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  },

  get subtle(): never {
    throw new Error(
      'crypto.subtle answers with promises, which never settle here: use sha256() of @airlock/guest-sdk',
    )
  },
}
