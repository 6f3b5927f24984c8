import { ProviderError } from '../../provider-error.ts'
import type { MessagePart } from '../../request.ts'
import { dataUri, isHttpUrl, readBase64 } from '../media.ts'
import type { ResponsesRules } from './rules.ts'

export type Content = Record<string, unknown> & { type: string }
type ImagePart = Extract<MessagePart, { type: 'image' }>
type FilePart = Extract<MessagePart, { type: 'file' }>

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** @param path Where the part stands in the request, for the message of a refusal. */
export function encodeImage(image: Omit<ImagePart, 'type'>, path: string, rules: ResponsesRules): Content {
  if (!rules.images) throw refuse(path, 'this model takes no images')
  const { source } = image
  if (isHttpUrl(source)) return { type: 'input_image', image_url: source, detail: 'auto' }
  const media = readBase64(source, image.mediaType, 'image/png')
  if (!IMAGE_TYPES.includes(media.mediaType)) {
    throw refuse(path, `the service takes ${IMAGE_TYPES.join(', ')}: the media type is ${media.mediaType}`)
  }
  return { type: 'input_image', image_url: dataUri(media), detail: 'auto' }
}

/** @param path Where the part stands in the request, for the message of a refusal. */
export function encodeFile(file: FilePart, path: string, rules: ResponsesRules): Content {
  const isUrl = isHttpUrl(file.source)
  const media = isUrl ? undefined : readBase64(file.source, file.mediaType, 'application/octet-stream')
  const mediaType = media?.mediaType ?? file.mediaType.toLowerCase()
  if (mediaType.startsWith('image/')) return encodeImage({ source: file.source, mediaType }, path, rules)
  if (!rules.files) throw refuse(path, 'this model takes no files')
  if (/^(audio|video)\//.test(mediaType)) {
    throw refuse(path, `the service takes documents and images: the media type is ${mediaType}`)
  }
  if (!media) return { type: 'input_file', file_url: file.source }
  // Data without a name is refused.
  return { type: 'input_file', filename: file.name || nameFor(mediaType), file_data: dataUri(media) }
}

const ENDING: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/octet-stream': 'bin',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
}

function nameFor(mediaType: string): string {
  const type = mediaType.split(';')[0]!.trim()
  const ending = Object.hasOwn(ENDING, type) ? ENDING[type] : /\/(?:x-)?([a-z0-9]+)$/.exec(type)?.[1]
  return `file.${ending ?? 'bin'}`
}

function refuse(path: string, why: string): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${path}: ${why}. Convert it, take it out, or choose another model.`,
  })
}
