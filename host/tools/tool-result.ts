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
