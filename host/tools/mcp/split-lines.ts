/** Cuts what comes in pieces into lines. `push` is false where one is longer than `maxBytes`: it is not told. */
export function splitLines(maxBytes: number, line: (text: string) => void) {
  let pieces: Uint8Array[] = []
  let size = 0

  function clear() {
    pieces = []
    size = 0
  }

  return {
    push(chunk: Buffer): boolean {
      let rest = chunk
      for (let end = rest.indexOf(LF); end !== -1; end = rest.indexOf(LF)) {
        if (size + end > maxBytes) return false
        pieces.push(rest.subarray(0, end))
        const text = Buffer.concat(pieces).toString('utf8')
        clear()
        line(text)
        rest = rest.subarray(end + 1)
      }
      if (rest.length > 0) pieces.push(rest)
      size += rest.length
      return size <= maxBytes
    },
    clear,
  }
}

const LF = 10
