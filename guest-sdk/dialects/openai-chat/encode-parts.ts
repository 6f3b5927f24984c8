import { ProviderError } from '../../provider-error.ts'
import type { MessagePart } from '../../request.ts'
import { dataUri, isHttpUrl, readBase64 } from '../media.ts'
import type { ChatQuirks } from './quirks.ts'

export type ContentPart = Record<string, unknown> & { type: string }
type ImagePart = Extract<MessagePart, { type: 'image' }>
type FilePart = Extract<MessagePart, { type: 'file' }>

/** What a request's parts are encoded for, and what to call it in a refusal. */
export interface PartRules {
  model: string
  quirks: ChatQuirks
}

/** @param path Where the part stands in the request, e.g. `messages[1].content[0]`. */
export function encodeImage(image: ImagePart, path: string, { model, quirks }: PartRules): ContentPart {
  if (!quirks.images || !quirks.contentParts) throw unsupported(path, 'image', 'supportsImages', model)
  const url = isHttpUrl(image.source)
    ? image.source
    : dataUri(readBase64(image.source, image.mediaType, 'image/png'))
  return { type: 'image_url', image_url: { url } }
}

/** @param path Where the part stands in the request, e.g. `messages[1].content[0]`. */
export function encodeFile(file: FilePart, path: string, rules: PartRules): ContentPart {
  const { model, quirks } = rules
  const isUrl = isHttpUrl(file.source)
  const media = isUrl ? undefined : readBase64(file.source, file.mediaType, 'application/octet-stream')
  const mediaType = media?.mediaType ?? file.mediaType.toLowerCase()
  if (mediaType.startsWith('image/')) {
    return encodeImage({ type: 'image', source: file.source, mediaType }, path, rules)
  }
  if (!quirks.files || !quirks.contentParts) throw unsupported(path, 'file', 'supportsFiles', model)
  const audio = media && AUDIO_FORMATS[mediaType]
  if (quirks.filePart === 'document_url') {
    if (audio || mediaType.startsWith('audio/')) throw unsupported(path, 'audio file', 'supportsFiles', model)
    const name = file.name ? { document_name: file.name } : {}
    return { type: 'document_url', document_url: media ? dataUri(media) : file.source, ...name }
  }
  if (audio) return { type: 'input_audio', input_audio: { data: media.base64, format: audio } }
  return {
    type: 'file',
    // Services refuse file data without a name.
    file: { filename: file.name || nameFor(mediaType), file_data: media ? dataUri(media) : file.source },
  }
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

function nameFor(mediaType: string): string {
  const extension = /^text\/plain\b/.test(mediaType) ? 'txt' : /\/(?:x-)?([a-z0-9]+)/.exec(mediaType)?.[1]
  return `file.${extension ?? 'bin'}`
}

function unsupported(path: string, what: string, capability: string, model: string): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${path}: the model "${model}" takes no ${what}s (${capability} is false). Take the ${what} out, or choose another model.`,
  })
}
