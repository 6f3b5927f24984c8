import * as z from 'zod'
import { nearestNames } from './nearest-names.ts'

/** Longest value that a message repeats. */
const MAX_SHOWN_CHARS = 60

export interface DescribeOptions {
  /** What the value itself is called, e.g. `the file`. */
  whole: string
  /** Messages may repeat what was written. Not where it is somebody's conversation. */
  repeatsValues: boolean
}

/**
 * What is wrong with a value that somebody wrote: the key, what was expected there, and for an unknown key the nearest
 * known one. The issue is one of `schema.safeParse(value, { reportInput: true })`.
 */
export function describeIssue(
  found: z.core.$ZodIssue,
  schema: z.ZodType,
  { whole, repeatsValues }: DescribeOptions,
): string {
  const issue = innermostIssue(found)
  const at = formatPath(issue.path) || whole
  const show = (value: unknown) => (repeatsValues ? showValue(value) : nameType(value))
  const shouldBe = (expected: string) =>
    issue.input === undefined
      ? `${at} is missing: expected ${expected}`
      : `${at} must be ${expected}, not ${show(issue.input)}`

  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const known = knownKeys(schema, issue.path)
    const [nearest] = nearestNames(key, known)
    const hint = nearest
      ? `: did you mean "${nearest}"?`
      : known.length > 0
        ? `: known are ${known.join(', ')}`
        : ''
    return `unknown key "${formatPath([...issue.path, key])}"${hint}`
  }
  if (issue.code === 'invalid_key') return `${at}: ${issue.issues[0]?.message ?? issue.message}`
  if (issue.code === 'too_small' && issue.origin === 'array') return `${at} must not be empty`
  const expected = expectedIn(issue)
  // An object was there, only its kind is unknown.
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined)
    return expected ? `${at} must be ${expected}` : `${at} is of no known kind`
  if (expected) return shouldBe(expected)
  return `${at}: ${issue.input === undefined || !repeatsValues ? issue.message : `${showValue(issue.input)} ${issue.message}`}`
}

/** Of the alternatives that do not fit, the one that fits furthest is the one that was meant. */
function innermostIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  let deepest: z.core.$ZodIssue | undefined
  for (const [first] of issue.errors) {
    const inner = first && innermostIssue(first)
    if (inner && inner.path.length > (deepest?.path.length ?? 0)) deepest = inner
  }
  return deepest ? { ...deepest, path: [...issue.path, ...deepest.path] } : issue
}

/** What would fit, for a person; empty where there are no words for it. */
function expectedIn(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return { int: 'a whole number', record: 'an object' }[issue.expected as string] ?? article(issue.expected)
  if (issue.code === 'invalid_value') return issue.values.map(value => JSON.stringify(value)).join(' or ')
  if (issue.code === 'invalid_union') {
    // Of a discriminated union; the types do not say so.
    const options: unknown = 'options' in issue ? issue.options : undefined
    if (Array.isArray(options)) return options.map(value => JSON.stringify(value)).join(' or ')
    const all = issue.errors.map(([first]) => (first ? expectedIn(first) : ''))
    return [...new Set(all.filter(Boolean))].join(' or ')
  }
  return ''
}

function article(expected: string): string {
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

function showValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return nameType(value)
  const text = JSON.stringify(value) ?? typeof value
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}...` : text
}

function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return article(Array.isArray(value) ? 'array' : typeof value)
}

export function formatPath(path: readonly PropertyKey[]): string {
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
