import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { readGuestOutcome } from '../guest-outcome.ts'
import { isTextType, type ToolResult, type ToolResultPart } from '../tool-result.ts'

/** What `tools/call` answers, before each block is looked at. */
const mcpResult = z.looseObject({
  content: z.array(z.unknown()).nullish(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().nullish(),
})

const mimeType = z.string().nullish()
const resource = z.object({
  uri: z.string(),
  mimeType,
  text: z.string().optional(),
  blob: z.string().optional(),
})

const block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string().nullish(),
    title: z.string().nullish(),
    description: z.string().nullish(),
  }),
  z.object({ type: z.literal('resource'), resource }),
])

/**
 * What an MCP server's tool found, in parts. A link is a part of `text/uri-list`, structured content one of
 * `application/json`.
 * @throws {TypeError} saying what of it cannot be used
 */
export function readMcpResult(answer: unknown): ToolResult {
  const { success, data: result } = mcpResult.safeParse(answer)
  if (!success) throw new TypeError('it is no result of a tool')
  const parts = (result.content ?? []).map(readBlock)
  const { structuredContent } = result
  if (structuredContent !== undefined && structuredContent !== null) {
    // Servers say it again in text, for clients that know nothing else: that is then the same part.
    const twin = parts.find(
      part => part.contentType === 'text/plain' && isJsonOf(part.data, structuredContent),
    )
    if (twin) twin.contentType = 'application/json'
    else parts.push({ contentType: 'application/json', data: JSON.stringify(structuredContent) })
  }
  return readGuestOutcome({ parts, isError: result.isError ?? false })
}

function readBlock(value: unknown): ToolResultPart {
  const parsed = block.safeParse(value)
  if (!parsed.success) {
    const { type } = z.object({ type: z.string() }).catch({ type: 'unknown' }).parse(value)
    return {
      contentType: 'text/plain',
      data: `[content of type "${type.slice(0, 64)}", which cannot be shown]`,
    }
  }
  const content = parsed.data
  switch (content.type) {
    case 'text':
      return { contentType: 'text/plain', data: content.text }
    case 'image':
    case 'audio':
      return { contentType: binaryType(content.mimeType), data: content.data }
    case 'resource_link': {
      // RFC 2483, 5: lines that begin with "#" are comments.
      const about = [content.title ?? content.name, content.description]
        .filter(text => text != null)
        .join(': ')
      const comment = about === '' ? '' : `${about.replace(/^/gm, '# ')}\n`
      return { contentType: 'text/uri-list', data: `${comment}${content.uri}` }
    }
    case 'resource':
      return readResource(content.resource)
    default:
      return content satisfies never
  }
}

function readResource({ uri, mimeType, text, blob }: z.output<typeof resource>): ToolResultPart {
  if (text !== undefined)
    return { contentType: mimeType && isTextType(mimeType) ? mimeType : 'text/plain', data: text }
  if (blob === undefined) return { contentType: 'text/uri-list', data: uri }
  // Text may come as base64, too.
  if (mimeType && isTextType(mimeType))
    return { contentType: mimeType, data: Buffer.from(blob, 'base64').toString('utf8') }
  return { contentType: binaryType(mimeType), data: blob }
}

/** Of data in base64: a type that says text would be taken for text. */
function binaryType(mimeType: string | null | undefined): string {
  return mimeType && !isTextType(mimeType) ? mimeType : 'application/octet-stream'
}

function isJsonOf(text: string, value: unknown): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    return isDeepStrictEqual(JSON.parse(text), value)
  } catch {
    return false
  }
}
