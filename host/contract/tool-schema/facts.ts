import type { References } from './references.ts'
import { isSchemaObject, type JsonSchema, schemaList } from './schema.ts'

/** A schema, and the references that led to it. */
export interface Bound {
  schema: unknown
  within: ReadonlySet<string>
}

/** What one value must meet: references followed, `allOf` merged, each keyword in one place. */
export interface Facts {
  /** False where no value fits. */
  possible: boolean
  /** The types allowed; undefined where all are. */
  types: Set<string> | undefined
  /** The values allowed, from `enum` and `const`; undefined where all are. */
  values: unknown[] | undefined
  properties: Map<string, Bound[]>
  required: Set<string>
  /** What every further item must meet. */
  items: Bound[]
  /** What the items at the beginning must meet, by place. */
  prefix: Bound[][]
  /** The tightest of each. */
  bounds: Map<string, number>
  patterns: string[]
  formats: string[]
  title: string | undefined
  descriptions: string[]
  /** `anyOf` and `oneOf`: one of these in the first list, and the rest of the schemas without that list. */
  union: { keyword: string; branches: Bound[]; rest: Bound[] } | undefined
  /** What no target format can say. */
  others: Map<string, unknown>
}

const TIGHTEST: Readonly<Record<string, (a: number, b: number) => number>> = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
}

/** Say nothing of the value, or are read with others. */
const SILENT = new Set([
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$comment', '$defs', '$vocabulary'],
  ...['definitions', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly', 'propertyOrdering'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', 'allOf', 'anyOf', 'oneOf', 'nullable', 'type'],
  ...['additionalItems', 'id', 'xml', 'externalDocs', 'discriminator'],
])

export function gatherFacts(bounds: readonly Bound[], path: string, references: References): Facts {
  const facts: Facts = {
    possible: true,
    types: undefined,
    values: undefined,
    properties: new Map(),
    required: new Set(),
    items: [],
    prefix: [],
    bounds: new Map(),
    patterns: [],
    formats: [],
    title: undefined,
    descriptions: [],
    union: undefined,
    others: new Map(),
  }
  const flat: { schema: JsonSchema; within: ReadonlySet<string> }[] = []
  const flatten = ({ schema, within }: Bound): void => {
    if (schema === false) facts.possible = false
    if (!isSchemaObject(schema)) return
    const resolved = references.resolve(schema, path, within)
    for (const each of resolved.schemas) {
      flat.push({ schema: each, within: resolved.within })
      for (const part of schemaList(each.allOf)) flatten({ schema: part, within: resolved.within })
    }
  }
  for (const bound of bounds) flatten(bound)
  flat.forEach(({ schema, within }, at) => {
    readKeywords(facts, schema, within)
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = schemaList(schema[keyword])
      if (facts.union || branches.length === 0) continue
      const { [keyword]: _, ...others } = schema
      const rest = flat.map((each, place) => {
        const { allOf: __, ...own } = place === at ? others : each.schema
        return { schema: own, within: each.within }
      })
      facts.union = { keyword, branches: branches.map(branch => ({ schema: branch, within })), rest }
    }
  })
  return facts
}

function readKeywords(facts: Facts, schema: JsonSchema, within: ReadonlySet<string>): void {
  const bind = (inner: unknown): Bound => ({ schema: inner, within })
  readTypes(facts, schema)
  // Draft 4 has these as marks beside the bound.
  const exclusive = { minimum: schema.exclusiveMinimum === true, maximum: schema.exclusiveMaximum === true }
  for (const [keyword, value] of Object.entries(schema)) {
    const tightest = TIGHTEST[keyword]
    if (tightest) {
      const marked = exclusive[keyword as 'minimum' | 'maximum']
      const name = marked ? `exclusive${keyword[0]!.toUpperCase()}${keyword.slice(1)}` : keyword
      if (typeof value !== 'number') continue
      const known = facts.bounds.get(name)
      facts.bounds.set(name, known === undefined ? value : tightest(known, value))
      continue
    }
    switch (keyword) {
      case 'enum':
        if (Array.isArray(value)) allowValues(facts, value)
        break
      case 'const':
        allowValues(facts, [value])
        break
      case 'properties':
        if (!isSchemaObject(value)) break
        for (const [name, inner] of Object.entries(value)) {
          facts.properties.set(name, [...(facts.properties.get(name) ?? []), bind(inner)])
        }
        break
      case 'required':
        for (const name of schemaList(value)) if (typeof name === 'string') facts.required.add(name)
        break
      case 'items':
        // Before 2020-12 a list here was what `prefixItems` is now.
        if (Array.isArray(value)) {
          addPrefix(facts, value.map(bind))
          if (schema.additionalItems !== undefined) facts.items.push(bind(schema.additionalItems))
        } else facts.items.push(bind(value))
        break
      case 'prefixItems':
        addPrefix(facts, schemaList(value).map(bind))
        break
      case 'pattern':
        if (typeof value === 'string' && !facts.patterns.includes(value)) facts.patterns.push(value)
        break
      case 'format':
        if (typeof value === 'string' && !facts.formats.includes(value)) facts.formats.push(value)
        break
      case 'title':
        if (typeof value === 'string') facts.title ??= value
        break
      case 'description':
        if (typeof value === 'string' && value !== '' && !facts.descriptions.includes(value)) {
          facts.descriptions.push(value)
        }
        break
      case 'not':
        // What meets nothing at all: how `false` is written as an object.
        if (value === true || (isSchemaObject(value) && Object.keys(value).length === 0))
          facts.possible = false
        else facts.others.set(keyword, value)
        break
      default:
        if (!SILENT.has(keyword) && !facts.others.has(keyword)) facts.others.set(keyword, value)
    }
  }
}

function addPrefix(facts: Facts, places: readonly Bound[]): void {
  for (const [at, bound] of places.entries()) facts.prefix[at] = [...(facts.prefix[at] ?? []), bound]
}

function readTypes(facts: Facts, { type, nullable }: JsonSchema): void {
  const named = typeof type === 'string' ? [type] : schemaList(type).filter(each => typeof each === 'string')
  if (named.length === 0) return
  // OpenAPI 3.0 writes `nullable`, and Google's types are in upper case.
  const types = new Set(named.map(each => String(each).toLowerCase()))
  if (nullable === true) types.add('null')
  facts.types = facts.types === undefined ? types : intersectTypes(facts.types, types)
  if (facts.types.size === 0) facts.possible = false
}

function intersectTypes(a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> {
  const both = new Set<string>()
  for (const type of a) {
    if (b.has(type)) both.add(type)
    else if (type === 'integer' && b.has('number')) both.add('integer')
    else if (type === 'number' && b.has('integer')) both.add('integer')
  }
  return both
}

function allowValues(facts: Facts, values: readonly unknown[]): void {
  const keys = new Set(values.map(value => JSON.stringify(value)))
  facts.values = facts.values
    ? facts.values.filter(value => keys.has(JSON.stringify(value)))
    : values.filter((value, at) => values.findIndex(other => same(other, value)) === at)
  if (facts.values.length === 0) facts.possible = false
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
