import { isTextType, ToolResult, type ToolResultPart } from '../../tools/tool-result.ts'
import { LanguageModelDataPart, LanguageModelPromptTsxPart, LanguageModelTextPart } from './parts.ts'
import { promptText } from './prompt-tsx.ts'

/**
 * What a tool call came to: its parts in order, and by their content types; `toString()` for a prompt. A tool may
 * return one, or any object whose keys are content types.
 */
export class LanguageModelToolResult {
  // biome-ignore lint/suspicious/noExplicitAny: what stands under a content type is between its tool and its caller.
  [contentType: string]: any
  content: unknown[]

  constructor(content: unknown[]) {
    this.content = content
  }

  toString(): string {
    return this.content.map(textOf).join('\n')
  }
}

/** Results as their tool made them, which the parts of Airlock's cannot say in full. */
const originals = new WeakMap<ToolResult, LanguageModelToolResult>()

/**
 * What a tool returned, as Airlock's result. What is none goes on as it is: the registry says so to its author.
 * @throws {TypeError} a part of it is none
 */
export function toToolOutput(returned: unknown): unknown {
  if (typeof returned === 'string' || returned instanceof ToolResult) return returned
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) return returned
  const result = returned as LanguageModelToolResult
  const parts = Array.isArray(result.content) ? result.content.map(toPart) : partsByType(result)
  if (parts.length === 0 && !Array.isArray(result.content)) return returned
  const made = new ToolResult({ parts, isError: result.isError === true })
  originals.set(made, result)
  return made
}

/** Airlock's result as the caller reads it: the tool's own where it is one of this interface. */
export function fromToolResult(result: ToolResult): LanguageModelToolResult {
  const original = originals.get(result)
  if (original) return original
  const made = new LanguageModelToolResult(result.parts.map(fromPart))
  for (const { contentType, data } of result.parts) made[contentType] ??= valueIn(contentType, data)
  if (result.isError) made.isError = true
  // It is no part of the content.
  Object.defineProperty(made, 'toString', { value: () => result.toString(), enumerable: false })
  return made
}

function toPart(part: unknown, at: number): ToolResultPart {
  if (part instanceof LanguageModelTextPart || part instanceof LanguageModelPromptTsxPart)
    return { contentType: 'text/plain', data: textOf(part) }
  if (!(part instanceof LanguageModelDataPart))
    throw new TypeError(`content[${at}] of what it returned is no text, data or prompt part`)
  const { mimeType: contentType, data } = part
  return { contentType, data: isTextType(contentType) ? decode(data) : Buffer.from(data).toString('base64') }
}

/** A content type for each key; what the result says of itself as a whole is its plain text. */
function partsByType(result: LanguageModelToolResult): ToolResultPart[] {
  const types = Object.keys(result).filter(key => key.includes('/'))
  const parts = types.map((contentType): ToolResultPart => {
    const value: unknown = result[contentType]
    if (value instanceof Uint8Array) return toPart(new LanguageModelDataPart(value, contentType), 0)
    return { contentType, data: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') }
  })
  if (types.includes('text/plain') || result.toString === Object.prototype.toString) return parts
  return [{ contentType: 'text/plain', data: result.toString() }, ...parts]
}

function fromPart({ contentType, data }: ToolResultPart): LanguageModelTextPart | LanguageModelDataPart {
  if (contentType.startsWith('text/plain')) return new LanguageModelTextPart(data)
  if (isTextType(contentType)) return LanguageModelDataPart.text(data, contentType)
  return new LanguageModelDataPart(Buffer.from(data, 'base64'), contentType)
}

function valueIn(contentType: string, data: string): unknown {
  if (!isTextType(contentType)) return Buffer.from(data, 'base64')
  if (!/[/+]json\b/.test(contentType)) return data
  try {
    return JSON.parse(data)
  } catch {
    return data // whoever wrote it calls it JSON
  }
}

function textOf(part: unknown): string {
  if (part instanceof LanguageModelTextPart) return part.value
  if (part instanceof LanguageModelPromptTsxPart) return promptText(part.value)
  if (!(part instanceof LanguageModelDataPart)) return ''
  const { mimeType, data } = part
  return isTextType(mimeType) ? decode(data) : `[${mimeType}, ${data.byteLength} bytes]`
}

function decode(data: Uint8Array): string {
  return new TextDecoder().decode(data)
}
