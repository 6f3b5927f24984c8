/** Base64 as services take it, with the media type that the bytes have. */
export interface Base64Media {
  base64: string
  mediaType: string
}

/**
 * Takes what callers hand over as base64: a data URI too, white space, base64url, missing padding. The declared
 * media type is corrected where the first bytes name another, since services check it.
 */
export function readBase64(source: string, declared: string | undefined, fallback: string): Base64Media {
  const uri = /^\s*data:([^,;]*)((?:;[^,;]*)*),/i.exec(source)
  const body = uri ? source.slice(uri[0].length) : source
  let base64 = /[\s_%-]/.test(body) ? cleanBase64(body) : body
  if (base64.length % 4 > 1) base64 += '='.repeat(4 - (base64.length % 4))
  const mediaType = sniffMediaType(base64) ?? (nonBlank(declared) || nonBlank(uri?.[1]) || fallback)
  return { base64, mediaType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType }
}

export function dataUri({ base64, mediaType }: Base64Media): string {
  return `data:${mediaType};base64,${base64}`
}

export function isHttpUrl(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

function cleanBase64(body: string): string {
  const unescaped = body.includes('%') ? body.replace(/%(2B|2F|3D)/gi, decodeURIComponent) : body
  return unescaped.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
}

function nonBlank(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase() || undefined
}

/** How many characters of base64 the longest signature below needs. */
const SIGNATURE_CHARS = 32

const SIGNATURES: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/bmp', /^BM[\s\S]{4}\0\0\0\0/],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  ['image/avif', /^[\s\S]{4}ftypavi[fs]/],
  ['image/heic', /^[\s\S]{4}ftyp(?:hei[cx]|hev[cx]|mif1)/],
  ['application/pdf', /^%PDF-/],
]

function sniffMediaType(base64: string): string | undefined {
  const head = base64.slice(0, SIGNATURE_CHARS)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(head) || head.length % 4 === 1) return undefined
  const bytes = atob(head)
  return SIGNATURES.find(([, pattern]) => pattern.test(bytes))?.[0]
}
