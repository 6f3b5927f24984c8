/**
 * A TextDecoder class for the transpiled code of one instance, which reads every string of a guest with it. A guest
 * can point at one long text from thousands of places: a memory limit bounds what it writes, this what is read of it.
 * `reset` is called when a call begins.
 */
export function createBoundedDecoder(maxBytes: number) {
  let left = maxBytes
  class BoundedTextDecoder extends TextDecoder {
    override decode(...args: Parameters<TextDecoder['decode']>): string {
      left -= args[0]?.byteLength ?? 0
      if (left < 0) throw new RangeError(`more than ${maxBytes} bytes of text came out of one call`)
      return super.decode(...args)
    }
  }
  return {
    TextDecoder: BoundedTextDecoder,
    reset() {
      left = maxBytes
    },
  }
}

/** Runs `create` with another class in the place of the global TextDecoder. */
export function withTextDecoder<Result>(decoder: typeof TextDecoder, create: () => Result): Result {
  const own = globalThis.TextDecoder
  globalThis.TextDecoder = decoder
  try {
    return create()
  } finally {
    globalThis.TextDecoder = own
  }
}
