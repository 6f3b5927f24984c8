import type { MessagePart } from '../../contract/request.ts'
import { unsupportedFunctionality } from './errors.ts'
import { sniffMediaType } from './media-type.ts'
import type { FileData } from './specification.ts'

type ImagePart = MessagePart & { type: 'image' }
type FilePart = MessagePart & { type: 'file' }

export interface File {
  data: FileData
  mediaType: string
  filename?: string | undefined
}

/**
 * A file as Airlock takes it: images are parts of their own.
 * @throws `AI_UnsupportedFunctionalityError` for a file that another service keeps, and for bytes whose kind is not told.
 */
export function toFilePart({ data, mediaType, filename }: File): ImagePart | FilePart {
  const { source, isUrl } = readSource(data)
  const full = fullMediaType(mediaType, source, isUrl)
  if (mediaType === 'image' || mediaType.startsWith('image/'))
    return { type: 'image', source, ...(full && { mediaType: full }) }
  const name = filename === undefined ? {} : { name: filename }
  return { type: 'file', source, mediaType: full ?? mediaType, ...name }
}

/** The text of a text file that came along; undefined for anything else. */
export function readTextFile({ data, mediaType }: File): string | undefined {
  if (!isText(mediaType)) return undefined
  const { source, isUrl } = readSource(data)
  return isUrl ? undefined : Buffer.from(source, 'base64').toString('utf8')
}

function isText(mediaType: string): boolean {
  return mediaType === 'text' || mediaType.startsWith('text/')
}

/** Base64, or a URL. */
function readSource(data: FileData): { source: string; isUrl: boolean } {
  if (data instanceof Uint8Array) return { source: base64(data), isUrl: false }
  if (data instanceof URL) return readUrl(data.href)
  if (typeof data === 'string')
    return /^(?:https?|data):/i.test(data) ? readUrl(data) : { source: data, isUrl: false }
  switch (data.type) {
    case 'data':
      return readSource(data.data)
    case 'url':
      return readUrl(data.originalUrl ?? data.url.href)
    case 'text':
      return { source: base64(Buffer.from(data.text)), isUrl: false }
    case 'reference':
      throw unsupportedFunctionality(
        'a file by reference: no service that Airlock reaches keeps it. Send its bytes instead',
      )
    default:
      data satisfies never
      throw unsupportedFunctionality(`file data of type ${JSON.stringify((data as { type?: unknown }).type)}`)
  }
}

/** RFC 2397: what follows the comma is base64 where the head says so, else percent-encoded text. */
function readUrl(url: string): { source: string; isUrl: boolean } {
  const match = /^data:([^,]*),/i.exec(url)
  if (!match) return { source: url, isUrl: true }
  const [whole, head = ''] = match
  const payload = url.slice(whole.length)
  const source = /;\s*base64\s*$/i.test(head) ? payload : base64(Buffer.from(decodeURIComponent(payload)))
  return { source, isUrl: false }
}

/** Undefined for a URL of which nobody said the whole. */
function fullMediaType(mediaType: string, source: string, isUrl: boolean): string | undefined {
  const [topLevel = '', subtype] = mediaType.toLowerCase().split('/')
  if (subtype && subtype !== '*') return mediaType
  if (topLevel === 'text') return 'text/plain'
  if (isUrl) return undefined
  const sniffed = sniffMediaType(topLevel, source)
  if (sniffed !== undefined) return sniffed
  throw unsupportedFunctionality(
    `a file of media type "${mediaType}" whose first bytes do not tell its kind. Give the whole media type`,
  )
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
