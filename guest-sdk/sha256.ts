import { sha256 as digest } from '@noble/hashes/sha2.js'

/** SHA-256 of bytes, or of a text as UTF-8: 32 bytes. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return digest(typeof data === 'string' ? new TextEncoder().encode(data) : data)
}
