import { formatPath } from '../../contract/describe-issue.ts'
import type { SchemaIssue } from '../../contract/json-schema.ts'
import { InvalidAnswerError } from '../../errors.ts'
import type { CollectedAnswer } from '../collect-result.ts'
import type { AnswerFormat } from './answer-format.ts'
import { findJson } from './find-json.ts'
import { WRAPPER } from './wrap-schema.ts'

/**
 * The answer's object, held to the caller's schema.
 * @throws {InvalidAnswerError} where there is none that fits
 */
export async function readAnswer(
  { text, stopReason, toolUses }: Pick<CollectedAnswer, 'text' | 'stopReason' | 'toolUses'>,
  format: AnswerFormat,
): Promise<unknown> {
  const invalid = (message: string, issues: readonly SchemaIssue[] = [], cause?: unknown) =>
    new InvalidAnswerError(message, { text, issues, stopReason, ...(cause !== undefined && { cause }) })

  if (stopReason === 'refusal') throw invalid('There is no answer: the model refused to give one')
  if (stopReason === 'content-filter') throw invalid('There is no answer: the service filtered it')
  const found = findJson(text)
  let nearest: { issues: SchemaIssue[]; cause?: unknown } | undefined
  for (const value of found) {
    const checked = await checkEach(format.isWrapped ? [value, ...unwrapped(value)] : [value], format)
    if ('answer' in checked) return checked.answer
    nearest ??= checked
  }
  if (nearest)
    throw invalid(
      `The answer does not fit its schema: ${listIssues(nearest.issues)}`,
      nearest.issues,
      nearest.cause,
    )
  if (stopReason === 'max-tokens')
    throw invalid('The answer was cut off before its JSON was complete: allow more with maxTokens')
  if (toolUses.length > 0) {
    const names = [...new Set(toolUses.map(({ name }) => JSON.stringify(name)))].join(', ')
    throw invalid(`There is no answer yet: the model called ${names} first`)
  }
  throw invalid(text.trim() === '' ? 'The answer is empty' : 'The answer is no JSON, nor is there any in it')
}

/** The first that fits, else what is wrong with the first. */
async function checkEach(values: readonly unknown[], format: AnswerFormat) {
  let first: { issues: SchemaIssue[]; cause?: unknown } | undefined
  for (const value of values) {
    const key = findProto(value)
    const checked = key === undefined ? await format.check(value) : { issues: [refuseProto(key)] }
    if ('answer' in checked) return checked
    first ??= checked
  }
  return first ?? { issues: [] }
}

/** A service that was asked for an object with the answer in it. */
function unwrapped(value: unknown): unknown[] {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, WRAPPER)
  return isObject ? [(value as Record<string, unknown>)[WRAPPER]] : []
}

/** A program that copies its answer key by key would set a prototype. */
function refuseProto(path: string): SchemaIssue {
  return { path, message: `${path} must not be there` }
}

interface Place {
  value: unknown
  key: PropertyKey
  outer: Place | undefined
}

/** Where a key of that name is. A loop, since an answer may be nested as deep as it likes. */
function findProto(value: unknown): string | undefined {
  const open: Place[] = [{ value, key: '', outer: undefined }]
  for (let place = open.pop(); place; place = open.pop()) {
    const { value } = place
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) return formatPath([...pathTo(place), '__proto__'])
    for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value))
      if (typeof inner === 'object') open.push({ value: inner, key, outer: place })
  }
  return undefined
}

function pathTo(place: Place): PropertyKey[] {
  const path: PropertyKey[] = []
  for (let at: Place | undefined = place; at?.outer; at = at.outer) path.unshift(at.key)
  return path
}

const MAX_SHOWN_ISSUES = 10

function listIssues(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, MAX_SHOWN_ISSUES).map(({ message }) => message)
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return shown.join('; ')
}
