/** The first bytes of each format, by what they are the first half of. `offset`: bytes before them. */
const SIGNATURES: readonly { mediaType: string; bytes: readonly number[]; offset?: number }[] = [
  { mediaType: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { mediaType: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { mediaType: 'image/gif', bytes: ascii('GIF8') },
  { mediaType: 'image/webp', bytes: ascii('WEBP'), offset: 8 },
  { mediaType: 'image/bmp', bytes: ascii('BM') },
  { mediaType: 'image/tiff', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { mediaType: 'image/tiff', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { mediaType: 'image/avif', bytes: ascii('ftypavif'), offset: 4 },
  { mediaType: 'image/heic', bytes: ascii('ftypheic'), offset: 4 },
  { mediaType: 'application/pdf', bytes: ascii('%PDF') },
  { mediaType: 'audio/wav', bytes: ascii('WAVE'), offset: 8 },
  { mediaType: 'audio/mpeg', bytes: ascii('ID3') },
  { mediaType: 'audio/mpeg', bytes: [0xff, 0xfb] },
  { mediaType: 'audio/ogg', bytes: ascii('OggS') },
  { mediaType: 'audio/flac', bytes: ascii('fLaC') },
  { mediaType: 'audio/mp4', bytes: ascii('ftypM4A'), offset: 4 },
  { mediaType: 'video/mp4', bytes: ascii('ftyp'), offset: 4 },
  { mediaType: 'video/webm', bytes: [0x1a, 0x45, 0xdf, 0xa3] },
]

// Enough for every signature: base64 of 16 bytes.
const HEAD_UNITS = 24

/**
 * The full media type of data of which only the first half is known (`image`), by its first bytes. Undefined where
 * they are none that are known.
 * @param base64 The data, whole.
 */
export function sniffMediaType(topLevel: string, base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_UNITS), 'base64')
  return SIGNATURES.find(
    ({ mediaType, bytes, offset = 0 }) =>
      mediaType.startsWith(`${topLevel}/`) && bytes.every((byte, index) => head[offset + index] === byte),
  )?.mediaType
}

function ascii(text: string): number[] {
  return [...Buffer.from(text, 'ascii')]
}
