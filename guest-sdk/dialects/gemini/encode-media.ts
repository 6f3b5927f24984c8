import type { MessagePart } from '../../request.ts'
import { isHttpUrl, readBase64 } from '../media.ts'

export type Part = Record<string, unknown>
type FilePart = Extract<MessagePart, { type: 'file' }>
type ImagePart = Extract<MessagePart, { type: 'image' }>

/** Media types by the end of a URL's path, for sources of which nobody said one: the API wants a type. */
const TYPE_OF_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
}

export function encodeImage({ source, mediaType }: Omit<ImagePart, 'type'>): Part {
  if (!isHttpUrl(source)) return inlineData(source, mediaType, 'image/png')
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(source)?.[1]?.toLowerCase() ?? ''
  const known = Object.hasOwn(TYPE_OF_ENDING, ending) ? TYPE_OF_ENDING[ending] : undefined
  return { fileData: { mimeType: mediaType ?? known ?? 'image/jpeg', fileUri: source } }
}

/** Which types it takes depends on the model; the service names those that it does not. */
export function encodeFile({ source, mediaType }: FilePart): Part {
  return isHttpUrl(source)
    ? { fileData: { mimeType: mediaType, fileUri: source } }
    : inlineData(source, mediaType, 'application/octet-stream')
}

function inlineData(source: string, declared: string | undefined, fallback: string): Part {
  const { base64, mediaType } = readBase64(source, declared, fallback)
  return { inlineData: { mimeType: mediaType, data: base64 } }
}
