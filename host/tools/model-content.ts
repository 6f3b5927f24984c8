import type { MessagePart } from '../contract/request.ts'
import { InvalidToolInputError, ToolError, UnknownNameError } from '../errors.ts'
import { partToText, ToolResult } from './tool-result.ts'

export type ToolResultContent = (MessagePart & { type: 'tool-result' })['content']

// Some services refuse a result with nothing in it.
const NOTHING = '(no output)'
// What models see; of any other image they are told that it is there.
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** A result as the content of a message to the model: text and images; of anything else its type and size. */
export function toModelContent({ parts }: ToolResult): ToolResultContent {
  const pieces = parts.map(part => {
    const mediaType = part.contentType.split(';')[0]?.trim().toLowerCase() ?? ''
    return IMAGES.has(mediaType)
      ? { type: 'image' as const, source: part.data, mediaType }
      : { type: 'text' as const, text: partToText(part) }
  })
  const content = pieces.filter(piece => piece.type === 'image' || piece.text.trim() !== '')
  if (content.length === 0) return NOTHING
  return content.every(piece => piece.type === 'text') ? content.map(({ text }) => text).join('\n') : content
}

/** What went wrong with a call, for the model to read. */
export function toErrorResult(id: string, error: unknown): ToolResult {
  if (error instanceof UnknownNameError || error instanceof ToolError) {
    const hint =
      error instanceof InvalidToolInputError
        ? '. It was not run: call it again with what fits its schema.'
        : ''
    return ToolResult.text(error.message + hint, { isError: true })
  }
  const why = error instanceof Error ? error.message : String(error)
  return ToolResult.text(`The tool "${id}" could not be called: ${why}`, { isError: true })
}
