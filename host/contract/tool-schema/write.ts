import type { Facts } from './facts.ts'
import { childPath, type JsonSchema, type SchemaLoss, type ToolInputFormat } from './schema.ts'

type Reduced = Exclude<ToolInputFormat, 'json-schema'>

/** One schema being written. */
export interface Node {
  readonly type: string | undefined
  writeValue(types: ReadonlySet<string> | undefined): void
  set(keyword: string, value: unknown): void
  /** A bound that the schema implies; the tighter one counts. */
  bound(keyword: string, value: number): void
  lose(keyword: string, reason: string, hint?: string): void
  /** A schema for "any value". */
  anything(): JsonSchema
  finish(): JsonSchema
}

// What Google's API takes: https://ai.google.dev/api/caching#Schema. Other string formats are refused there.
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}

const BOUNDS_OF: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
}

const MAX_HINT_CHARACTERS = 300

export function createNode(format: Reduced, facts: Facts, path: string, losses: SchemaLoss[]): Node {
  const schema: JsonSchema = {}
  const hints: string[] = []
  let type: string | undefined

  const lose = (keyword: string, reason: string, hint?: string): void => {
    losses.push({ path, keyword, reason })
    if (hint !== undefined && hint.length <= MAX_HINT_CHARACTERS) hints.push(hint)
  }
  const inWords = (keyword: string, hint: string) => lose(keyword, 'said in the description only', hint)

  function writeType(types: ReadonlySet<string> | undefined): void {
    const named = types && [...types].filter(each => each !== 'null')
    type = named?.[0]
    if (types?.has('null')) {
      // Nothing but null: see `settleNull`.
      if (type === undefined) type = 'null'
      else if (format === 'json-schema-subset') schema.nullable = true
      else inWords('type', 'may be null')
    }
    if (types === undefined) {
      // A schema without a type is refused. Text can carry what is meant.
      if (format === 'json-schema-subset') type = 'string'
      lose('type', type ? 'any value became text' : 'any value', 'any JSON value')
    }
  }

  function writeEnum(values: readonly unknown[], types: ReadonlySet<string> | undefined): void {
    const kept = values.filter(value => value !== null)
    const isNullable = kept.length < values.length && (types === undefined || types.has('null'))
    const kinds = new Set(kept.map(value => typeof value))
    const nullType = isNullable ? ['null'] : []
    if (kept.length === 0) writeType(new Set(['null']))
    else if (kinds.size === 1 && kinds.has('string')) {
      writeType(new Set(['string', ...nullType]))
      schema.enum = kept
    } else if (kinds.size === 1 && kinds.has('boolean')) {
      writeType(new Set(['boolean', ...nullType]))
      if (kept.length === 1) inWords('const', `always ${String(kept[0])}`)
    } else if (!kinds.has('object') && format === 'json-schema-subset') {
      writeType(new Set(['string', ...nullType]))
      schema.enum = kept.map(String)
      lose('enum', 'values that are no text became text')
    } else if (!kinds.has('object') && kinds.size === 1) {
      writeType(new Set([kept.every(Number.isInteger) ? 'integer' : 'number', ...nullType]))
      schema.enum = kept
    } else {
      writeType(types ?? typesOfValues(kept))
      inWords('enum', `one of: ${kept.map(value => JSON.stringify(value)).join(', ')}`)
    }
  }

  function writeBounds(): void {
    const bounds = new Map(facts.bounds)
    if (type === 'integer' || type === 'number') makeInclusive(bounds)
    for (const keyword of BOUNDS_OF[type ?? ''] ?? []) {
      const value = bounds.get(keyword)
      if (value === undefined) continue
      if (format === 'json-schema-subset') schema[keyword] = value
      else inWords(keyword, `${keyword} ${value}`)
    }
  }

  /** "More than 0" is "at least 1" of whole numbers; of others only the words say it. */
  function makeInclusive(bounds: Map<string, number>): void {
    const above = bounds.get('exclusiveMinimum')
    const below = bounds.get('exclusiveMaximum')
    if (above !== undefined) {
      const least = type === 'integer' ? Math.floor(above) + 1 : above
      bounds.set('minimum', Math.max(least, bounds.get('minimum') ?? least))
      if (type !== 'integer')
        lose('exclusiveMinimum', 'the bound itself is allowed now', `more than ${above}`)
    }
    if (below !== undefined) {
      const most = type === 'integer' ? Math.ceil(below) - 1 : below
      bounds.set('maximum', Math.min(most, bounds.get('maximum') ?? most))
      if (type !== 'integer')
        lose('exclusiveMaximum', 'the bound itself is allowed now', `less than ${below}`)
    }
    bounds.delete('exclusiveMinimum')
    bounds.delete('exclusiveMaximum')
  }

  function writeText(): void {
    const { patterns, formats } = facts
    for (const [at, pattern] of patterns.entries()) {
      if (type !== 'string') break
      if (at === 0 && format === 'json-schema-subset') schema.pattern = pattern
      else inWords('pattern', `matches ${pattern}`)
    }
    for (const [at, name] of formats.entries()) {
      const takes = format === 'json-schema-subset' && FORMATS[type ?? '']?.includes(name)
      if (at === 0 && takes) schema.format = name
      else inWords('format', `format: ${name}`)
    }
  }

  function writeOthers(): void {
    for (const [keyword, value] of facts.others) {
      if (keyword === 'default') hints.push(`default: ${JSON.stringify(value)}`)
      else if (keyword === 'additionalProperties' && (value === true || value === false)) {
        if (value === false) lose(keyword, 'other properties are no longer refused')
      } else inWords(keyword, `${keyword}: ${JSON.stringify(value)}`)
    }
  }

  return {
    get type() {
      return type
    },
    writeValue(types) {
      if (facts.values) writeEnum(facts.values, types)
      else writeType(types)
      writeBounds()
      writeText()
      writeOthers()
    },
    set: (keyword, value) => (schema[keyword] = value),
    bound(keyword, value) {
      if (format === 'simplified') return inWords(keyword, `${keyword} ${value}`)
      const known = schema[keyword]
      schema[keyword] = typeof known === 'number' ? Math.min(known, value) : value
    },
    lose,
    anything() {
      losses.push({ path: childPath(path, 'items'), keyword: 'type', reason: 'any value became text' })
      return { type: 'string', description: 'any JSON value' }
    },
    finish() {
      const words = [facts.descriptions.join(' '), hints.length > 0 ? `(${hints.join('; ')})` : '']
      const description = words.filter(Boolean).join(' ')
      return {
        ...(type !== undefined && { type }),
        ...(facts.title !== undefined && format === 'json-schema-subset' && { title: facts.title }),
        ...(description !== '' && { description }),
        ...schema,
      }
    },
  }
}

/** No target format has a type for null alone, so a value that is always null is a text that may be null. */
export function settleNull(
  schema: JsonSchema,
  format: Reduced,
  path: string,
  losses: SchemaLoss[],
): JsonSchema {
  if (schema.type !== 'null') return schema
  losses.push({ path, keyword: 'type', reason: 'said in the description only' })
  const description = [schema.description, '(always null)'].filter(Boolean).join(' ')
  return {
    ...schema,
    type: 'string',
    description,
    ...(format === 'json-schema-subset' && { nullable: true }),
  }
}

function typesOfValues(values: readonly unknown[]): ReadonlySet<string> | undefined {
  if (values.every(Array.isArray)) return new Set(['array'])
  return values.every(value => typeof value === 'object' && !Array.isArray(value))
    ? new Set(['object'])
    : undefined
}
