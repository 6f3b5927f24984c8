import { parse as parseWithPlace } from '@humanwhocodes/momoa'
import * as z from 'zod'
import { nearestNames } from '../contract/nearest-names.ts'
import { InvalidFileError } from '../errors.ts'

export type FileCode = 'invalid-manifest' | 'invalid-settings' | 'invalid-lock'

/** Longest value that a message repeats. */
const MAX_SHOWN_CHARS = 60

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
  throw new InvalidFileError(code, file, `${file}: ${issue ? describe(issue, schema) : 'is not valid'}`)
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

function describe(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  const at = formatPath(issue.path)
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const known = knownKeys(schema, issue.path)
    const [nearest] = nearestNames(key, known)
    const hint = nearest ? `did you mean "${nearest}"?` : `known are ${known.join(', ')}`
    return `unknown key "${formatPath([...issue.path, key])}": ${hint}`
  }
  if (issue.code === 'invalid_key') return `${at}: ${issue.issues[0]?.message ?? issue.message}`
  if (issue.code === 'invalid_type') {
    const expected =
      { int: 'a whole number', record: 'an object' }[issue.expected as string] ?? article(issue.expected)
    if (issue.input === undefined) return `${at || 'the file'} is missing: expected ${expected}`
    return `${at || 'the file'} must be ${expected}, not ${show(issue.input)}`
  }
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(value => JSON.stringify(value)).join(' or ')
    if (issue.input === undefined) return `${at} is missing: expected ${values}`
    return `${at} must be ${values}, not ${show(issue.input)}`
  }
  const message = issue.message
  return `${at || 'the file'}: ${issue.input === undefined ? message : `${show(issue.input)} ${message}`}`
}

function article(expected: string): string {
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

function show(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value) ?? typeof value
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}...` : text
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((whole, key) => {
    if (typeof key === 'number') return `${whole}[${key}]`
    const name = String(key)
    if (!/^[\w-]+$/.test(name)) return `${whole}[${JSON.stringify(name)}]`
    return whole ? `${whole}.${name}` : name
  }, '')
}

/** The keys that the object schema at `path` knows. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const at = schemaAt(schema, path)
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  const inner = unwrap(schema)
  const [key, ...rest] = path
  if (key === undefined) return inner
  let next: z.core.$ZodType | undefined
  if (inner instanceof z.ZodObject) next = inner.shape[key as string]
  else if (inner instanceof z.ZodArray) next = inner.element
  else if (inner instanceof z.ZodRecord) next = inner.valueType
  return next && schemaAt(next, rest)
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return unwrap(schema.unwrap())
  if (schema instanceof z.ZodPipe) return unwrap(schema.in)
  return schema
}
