import { parse as parseWithPlace } from '@humanwhocodes/momoa'
import type * as z from 'zod'
import { describeIssue } from '../contract/describe-issue.ts'
import { InvalidFileError } from '../errors.ts'

export type FileCode = 'invalid-manifest' | 'invalid-settings' | 'invalid-lock'

/**
 * Parses the JSON text of a file that a person may have written, and checks it.
 * @throws {InvalidFileError} naming line and column of broken JSON, or the key that is wrong, what was expected
 * there, and for an unknown key the nearest known one.
 */
export function checkedJson<S extends z.ZodType>(
  text: string,
  file: string,
  code: FileCode,
  schema: S,
): z.output<S> {
  const value = parseJson(text.replace(/^\uFEFF/, ''), file, code)
  return checkedValue(value, file, code, schema)
}

/** The second half of `checkedJson`, for a value that is about to become the file. */
export function checkedValue<S extends z.ZodType>(
  value: unknown,
  file: string,
  code: FileCode,
  schema: S,
): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new InvalidFileError(
    code,
    file,
    `${file}: ${issue ? describeIssue(issue, schema, { whole: 'the file', repeatsValues: true }) : 'is not valid'}`,
  )
}

function parseJson(text: string, file: string, code: FileCode): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const { line, column } = placeOfError(text, reason)
    // What V8 appends is its own place, or the text itself, which may hold something private.
    const what = reason.replace(/ in JSON at position.*$| after JSON at position.*$|, (\.\.\.)?".*$/s, '')
    throw new InvalidFileError(
      code,
      file,
      `${file}: is not JSON: ${what} at line ${line}, column ${column}`,
      { cause },
    )
  }
}

/** V8 gives the place for some errors only; for the rest a second parser finds it. */
function placeOfError(text: string, reason: string): { line: number; column: number } {
  const position = /at position (\d+)/.exec(reason)?.[1]
  if (position !== undefined) return placeAt(text, Number(position))
  if (/^Unexpected end/.test(reason)) return placeAt(text, text.length)
  try {
    parseWithPlace(text, { mode: 'json' })
  } catch (error) {
    if (error instanceof Error && 'line' in error && 'column' in error)
      return { line: Number(error.line), column: Number(error.column) }
  }
  return placeAt(text, 0)
}

function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
