import { ToolError } from '../errors.ts'

/** One representation, or one piece, of what a tool found. */
export interface ToolResultPart {
  /** IANA media type, e.g. "text/plain". */
  contentType: string
  /** Text, or base64 for a type that is not text. */
  data: string
}

/** What a tool call came to. Immutable. */
export class ToolResult {
  readonly parts: readonly ToolResultPart[]
  /** The call failed; the parts say why. */
  readonly isError: boolean
  /** The tool did not run: the host's policy or the user said no, or to go on without it. */
  readonly withheld?: 'denied' | 'skipped'

  constructor(result: {
    parts: readonly ToolResultPart[]
    isError?: boolean
    withheld?: 'denied' | 'skipped'
  }) {
    this.parts = Object.freeze(
      result.parts.map(({ contentType, data }) => Object.freeze({ contentType, data })),
    )
    this.isError = result.isError ?? false
    if (result.withheld !== undefined) this.withheld = result.withheld
    Object.freeze(this)
  }

  static text(
    text: string,
    options: { isError?: boolean; withheld?: 'denied' | 'skipped' } = {},
  ): ToolResult {
    return new ToolResult({ parts: [{ contentType: 'text/plain', data: text }], ...options })
  }

  /** The data of the first part of this type. Parameters (`; charset=utf-8`) and case do not count. */
  get(contentType: string): string | undefined {
    const wanted = essence(contentType)
    return this.parts.find(part => essence(part.contentType) === wanted)?.data
  }

  /** What can be read, for a prompt: text as it is, and of anything else its type and size. */
  toString(): string {
    return this.parts.map(partToText).join('\n')
  }
}

/** Whether `data` of this type is text, and not base64. */
export function isTextType(contentType: string): boolean {
  const type = essence(contentType)
  return (
    type.startsWith('text/') ||
    /^application\/(?:json|xml|yaml|javascript|sql|[\w.-]+\+(?:json|xml|yaml))$/.test(type) ||
    /^image\/svg\+xml$/.test(type)
  )
}

/** A part as text. */
export function partToText({ contentType, data }: ToolResultPart): string {
  if (isTextType(contentType)) return data
  const bytes = Math.floor((data.replace(/=+$/, '').length * 3) / 4)
  return `[${essence(contentType)}, ${bytes} bytes]`
}

function essence(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

/**
 * What a tool returned, as a result.
 * @throws {ToolError} `tool-broke-contract`, to its author: nothing, or something that is no result
 */
export function readOutput(tool: string, output: unknown): ToolResult {
  const refuse = (problem: string) => {
    throw new ToolError('tool-broke-contract', tool, `The tool "${tool}" ${problem}`)
  }
  if (output instanceof ToolResult) return output
  if (typeof output === 'string') return ToolResult.text(output)
  if (output === undefined || output === null)
    return refuse(`returned ${output}: a tool with nothing to say returns an empty text`)
  if (typeof output !== 'object' || !('parts' in output) || !Array.isArray(output.parts))
    return refuse('returned neither text nor { parts: [{ contentType, data }] }')
  const isError = 'isError' in output ? output.isError : undefined
  if (isError !== undefined && typeof isError !== 'boolean')
    return refuse('returned an isError that is neither true nor false')
  const parts = output.parts.map((part: unknown, index): ToolResultPart => {
    const { contentType, data } = (part ?? {}) as Partial<Record<'contentType' | 'data', unknown>>
    if (typeof contentType !== 'string' || !MEDIA_TYPE.test(contentType))
      return refuse(`returned parts[${index}] whose contentType is no media type such as "text/plain"`)
    if (typeof data !== 'string')
      return refuse(`returned parts[${index}] whose data is no text (base64 for a type that is not text)`)
    return { contentType, data }
  })
  return new ToolResult({ parts, ...(isError !== undefined && { isError }) })
}

// RFC 6838, 4.2, with parameters behind it.
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;.*)?$/s
