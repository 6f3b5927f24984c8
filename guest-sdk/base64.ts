// Newer than the library's types; native in QuickJS and in Node.
interface WithBase64 {
  fromBase64(text: string, options?: Base64Options): Uint8Array<ArrayBuffer>
  prototype: { toBase64(this: Uint8Array, options?: Base64Options & { omitPadding?: boolean }): string }
}

export interface Base64Options {
  /** Default: `base64`. */
  alphabet?: 'base64' | 'base64url'
}

const Bytes = Uint8Array as unknown as WithBase64

/** @throws {SyntaxError} where the text is not base64. Padding may be left out. */
export function base64ToBytes(text: string, options?: Base64Options): Uint8Array<ArrayBuffer> {
  return Bytes.fromBase64(text, options)
}

/** Padded in the alphabet `base64`, not padded in `base64url`, as tokens and challenges want it. */
export function bytesToBase64(bytes: Uint8Array, options: Base64Options = {}): string {
  const { alphabet = 'base64' } = options
  return Bytes.prototype.toBase64.call(bytes, { alphabet, omitPadding: alphabet === 'base64url' })
}
