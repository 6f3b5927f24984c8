import type { Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { isHttpUrl, readBase64 } from '../media.ts'

/** A text that says something. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The model's thinking, from the first field that has some: some services fill two of them alike. */
export function readThinking(delta: Record<string, unknown>): string | undefined {
  return readText(delta.reasoning_content) ?? readText(delta.reasoning) ?? readText(delta.reasoning_text)
}

/** Content as a list of parts, or one part. True where something was emitted. */
export function emitContent(content: unknown, emit: Emit): boolean {
  let emitted = false
  for (const part of Array.isArray(content) ? content : [content]) {
    if (!isRecord(part)) continue
    if (part.type === 'thinking' || part.type === 'reasoning') {
      const text = joinTexts(part.thinking ?? part.reasoning ?? part.text)
      if (text === '') continue
      emit({ type: 'thinking', text })
      emitted = true
    } else if (part.type === 'image_url' || part.type === 'image') {
      emitted = emitImages(part, emit) || emitted
    } else {
      const text = readText(part.text) ?? readText(part.refusal)
      if (text === undefined) continue
      emit({ type: 'text', text })
      emitted = true
    }
  }
  return emitted
}

/** Images as `image_url` parts. True where something was emitted. */
export function emitImages(images: unknown, emit: Emit): boolean {
  let emitted = false
  for (const image of Array.isArray(images) ? images : [images]) {
    if (!isRecord(image)) continue
    const holder = isRecord(image.image_url) ? image.image_url.url : image.image_url
    const source = readText(holder) ?? readText(image.url) ?? readText(image.b64_json)
    if (source === undefined) continue
    if (isHttpUrl(source)) {
      emit({ type: 'image', source })
    } else {
      const { base64, mediaType } = readBase64(source, undefined, 'image/png')
      emit({ type: 'image', source: base64, mediaType })
    }
    emitted = true
  }
  return emitted
}

function joinTexts(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map(part => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join('')
}
