import { base64ToBytes } from '../../base64.ts'
import { ProviderError } from '../../provider-error.ts'
import type { MessagePart } from '../../request.ts'
import { isHttpUrl, readBase64 } from '../media.ts'

export type Block = Record<string, unknown> & { type: string }
type ImagePart = Extract<MessagePart, { type: 'image' }>
type FilePart = Extract<MessagePart, { type: 'file' }>

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** @param path Where the part stands in the request, for the message of a refusal. */
export function encodeImage(image: Omit<ImagePart, 'type'>, path: string): Block {
  if (isHttpUrl(image.source)) return { type: 'image', source: { type: 'url', url: image.source } }
  const { base64, mediaType } = readBase64(image.source, image.mediaType, 'image/png')
  if (!IMAGE_TYPES.includes(mediaType)) throw wrongType(path, mediaType, IMAGE_TYPES.join(', '))
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } }
}

/** @param path Where the part stands in the request, for the message of a refusal. */
export function encodeFile(file: FilePart, path: string): Block {
  const isUrl = isHttpUrl(file.source)
  const media = isUrl ? undefined : readBase64(file.source, file.mediaType, 'application/octet-stream')
  const mediaType = media?.mediaType ?? file.mediaType.toLowerCase()
  if (mediaType.startsWith('image/')) return encodeImage({ source: file.source, mediaType }, path)
  const title = file.name ? { title: file.name } : {}
  if (mediaType === 'application/pdf') {
    const source = media
      ? { type: 'base64', media_type: mediaType, data: media.base64 }
      : { type: 'url', url: file.source }
    return { type: 'document', source, ...title }
  }
  if (media && isText(mediaType)) {
    const data = new TextDecoder().decode(bytesOf(media.base64, path))
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title }
  }
  throw wrongType(path, mediaType, `application/pdf, text${isUrl ? ' (as base64)' : ''} and images`)
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|javascript|x-[a-z]+script)\b|\+(json|xml)$/.test(mediaType)
}

function bytesOf(base64: string, path: string): Uint8Array {
  try {
    return base64ToBytes(base64)
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

function wrongType(path: string, mediaType: string, taken: string): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${path}: the service takes ${taken}: the media type is ${mediaType || 'missing'}. Convert it, or take it out.`,
  })
}
