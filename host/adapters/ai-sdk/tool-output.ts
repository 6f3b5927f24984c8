import type { MessagePart } from '../../contract/request.ts'
import { readTextFile, toFilePart } from './file-data.ts'
import type { FileData, ToolOutput, ToolOutputPart } from './specification.ts'
import type { Concern } from './warnings.ts'

type ToolResult = Pick<MessagePart & { type: 'tool-result' }, 'content' | 'isError'>
type ResultPart = Exclude<ToolResult['content'], string>[number]

/** What a tool gave back, as Airlock takes it: text and images. */
export function toToolResult(output: ToolOutput, warn: (concern: Concern) => void): ToolResult {
  switch (output.type) {
    case 'text':
      return { content: output.value }
    case 'json':
      return { content: toJson(output.value) }
    case 'error-text':
      return { content: output.value, isError: true }
    case 'error-json':
      return { content: toJson(output.value), isError: true }
    case 'execution-denied':
      return { content: output.reason ?? 'The user denied the execution of this tool.', isError: true }
    case 'content':
      return { content: output.value.map(part => toResultPart(part, warn)) }
    default:
      output satisfies never
      // What a later version may say: the model still gets its answer.
      return { content: toJson(output) }
  }
}

function toResultPart(part: ToolOutputPart, warn: (concern: Concern) => void): ResultPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image-url':
      return toFileResult({ ...part, data: part.url, mediaType: part.mediaType ?? 'image/*' }, warn)
    case 'file-url':
      return toFileResult(
        { ...part, data: part.url, mediaType: part.mediaType ?? typeByName(part.url) },
        warn,
      )
    case 'media':
    case 'image-data':
    case 'file-data':
    case 'file':
      return toFileResult(part, warn)
    default:
      return leftOut(part.type, 'Airlock has no such part in the result of a tool', warn)
  }
}

function toFileResult(
  part: { type: string; data: FileData; mediaType: string; filename?: string | undefined },
  warn: (concern: Concern) => void,
): ResultPart {
  const text = readTextFile(part)
  if (text !== undefined) return { type: 'text', text }
  if (typeof part.data === 'object' && 'type' in part.data && part.data.type === 'reference')
    return leftOut(part.type, 'no service that Airlock reaches keeps the file', warn)
  const file = toFilePart(part)
  if (file.type === 'image') return file
  return leftOut(`${part.type} (${file.mediaType})`, 'a tool gives back text and images', warn)
}

/** The model learns that there was something, and the app that the model did not get it. */
function leftOut(what: string, why: string, warn: (concern: Concern) => void): ResultPart {
  warn({ about: 'setting', name: `tool result part ${what}`, details: `Left out: ${why}.` })
  return { type: 'text', text: `[${what}: left out, since it cannot be shown]` }
}

/** Of a URL that nobody said the type of: an image by its name, else unknown. */
function typeByName(url: string): string {
  return /\.(?:png|jpe?g|gif|webp|avif)(?:[?#]|$)/i.test(url) ? 'image/*' : 'application/octet-stream'
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
