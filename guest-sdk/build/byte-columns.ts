import { decode, encode } from '@jridgewell/sourcemap-codec'

/**
 * QuickJS counts the columns of a stack trace in bytes of UTF-8, source maps count UTF-16 code units: gives
 * the map's generated columns in bytes, so that a position in a trace (less one) is a position in the map.
 */
export function byteColumns(code: string, mappings: string): string {
  const lines = code.split('\n')
  const decoded = decode(mappings)
  for (const [index, segments] of decoded.entries()) {
    const line = lines[index] ?? ''
    if (/^[\x00-\x7f]*$/.test(line)) continue
    let units = 0
    let bytes = 0
    // Segments of a line come in the order of their columns.
    for (const segment of segments) {
      bytes += Buffer.byteLength(line.slice(units, segment[0]))
      units = segment[0]
      segment[0] = bytes
    }
  }
  return encode(decoded)
}
