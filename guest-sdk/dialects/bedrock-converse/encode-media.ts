import { base64ToBytes } from '../../base64.ts'
import { ProviderError } from '../../provider-error.ts'
import type { MessagePart } from '../../request.ts'
import { isHttpUrl, readBase64 } from '../media.ts'

export type Block = Record<string, unknown>
type ImagePart = Extract<MessagePart, { type: 'image' }>
type FilePart = Extract<MessagePart, { type: 'file' }>

const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
}

/** The names of a request's documents: restricted letters, and each name once. */
export interface DocumentNames {
  nameOf(file: FilePart): string
}

export function createDocumentNames(): DocumentNames {
  const used = new Set<string>()
  return {
    nameOf({ name = '' }) {
      // Letters, digits, single blanks, hyphens, parentheses and brackets. The ending is told by the format.
      const bare = name
        .replace(/\.[a-z0-9]{1,5}$/i, '')
        .replace(/[^a-zA-Z0-9\s()[\]-]/g, '-')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 150)
      const wanted = bare === '' ? 'document' : bare
      let fitted = wanted
      for (let at = 2; used.has(fitted); at++) fitted = `${wanted} (${at})`
      used.add(fitted)
      return fitted
    },
  }
}

/** @param path Where the part stands in the request, for the message of a refusal. */
export function encodeImage(image: Omit<ImagePart, 'type'>, path: string): Block {
  refuseUrl(image.source, path)
  const { base64, mediaType } = readBase64(image.source, image.mediaType, 'image/png')
  const format = Object.hasOwn(IMAGE_FORMATS, mediaType) ? IMAGE_FORMATS[mediaType] : undefined
  if (format === undefined) throw wrongType(path, mediaType, Object.keys(IMAGE_FORMATS))
  checkBase64(base64, path)
  return { image: { format, source: { bytes: base64 } } }
}

/** @param path Where the part stands in the request, for the message of a refusal. */
export function encodeFile(file: FilePart, path: string, names: DocumentNames): Block {
  refuseUrl(file.source, path)
  const { base64, mediaType } = readBase64(file.source, file.mediaType, 'application/octet-stream')
  const [bare = ''] = mediaType.split(';')
  if (bare.startsWith('image/')) return encodeImage({ source: file.source, mediaType: bare }, path)
  const known = Object.hasOwn(DOCUMENT_FORMATS, bare) ? DOCUMENT_FORMATS[bare] : undefined
  const format = known ?? (/^text\//.test(bare) ? 'txt' : undefined)
  if (format === undefined) throw wrongType(path, mediaType, Object.keys(DOCUMENT_FORMATS))
  checkBase64(base64, path)
  return { document: { format, name: names.nameOf(file), source: { bytes: base64 } } }
}

function refuseUrl(source: string, path: string): void {
  if (!isHttpUrl(source)) return
  throw new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${path}: the service fetches nothing from the web. Send what is behind the URL, as base64.`,
  })
}

/** The service answers what is no base64 with an error that names nothing. */
function checkBase64(base64: string, path: string): void {
  try {
    base64ToBytes(base64)
  } catch (cause) {
    throw new ProviderError(
      {
        kind: 'invalid-request',
        message: `Cannot send ${path}: its source is neither base64 nor an https URL`,
      },
      { cause },
    )
  }
}

function wrongType(path: string, mediaType: string, taken: readonly string[]): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${path}: the service takes ${taken.join(', ')}: the media type is ${mediaType || 'missing'}. Convert it, or take it out.`,
  })
}
