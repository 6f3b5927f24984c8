type Schema = Record<string, unknown>

const MAX_DEPTH = 32
const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/

/**
 * What was likely meant where a value is not of the schema's type: models write JSON as text where an object or
 * array belongs, and numbers and booleans in quotes. What fits is left alone. Does not change `value`.
 */
export function repairInput(value: unknown, schema: Schema): unknown {
  return repair(value, schema, schema, 0)
}

function repair(value: unknown, given: unknown, root: Schema, depth: number): unknown {
  const schema = resolve(given, root)
  if (!schema || depth > MAX_DEPTH) return value
  if (typeof value === 'string') {
    const read = readText(value, schema, root)
    return read === value ? value : repair(read, schema, root, depth + 1)
  }
  if (Array.isArray(value)) {
    const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
    return value.map((item, index) => repair(item, prefix[index] ?? schema.items, root, depth + 1))
  }
  if (typeof value !== 'object' || value === null) return value
  const properties = isSchema(schema.properties) ? schema.properties : {}
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
      return [key, repair(item, known, root, depth + 1)]
    }),
  )
}

function readText(text: string, schema: Schema, root: Schema): unknown {
  const types = typesOf(schema, root, 0)
  if (types.size === 0 || types.has('string')) return text
  if (types.has('object') || types.has('array')) {
    const parsed = parse(text)
    if (Array.isArray(parsed) ? types.has('array') : isSchema(parsed) && types.has('object')) return parsed
  }
  if ((types.has('number') || types.has('integer')) && NUMBER.test(text)) return Number(text)
  if (types.has('boolean') && /^(?:true|false)$/.test(text)) return text === 'true'
  if (types.has('null') && text === 'null') return null
  return text
}

/** The types that fit; none where anything may. */
function typesOf(given: unknown, root: Schema, depth: number): Set<unknown> {
  const schema = resolve(given, root)
  if (!schema || depth > MAX_DEPTH) return new Set()
  if (schema.type !== undefined) return new Set([schema.type].flat())
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(jsonType))
  if ('const' in schema) return new Set([jsonType(schema.const)])
  const branches = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(branches)) return new Set()
  const each = branches.map(branch => typesOf(branch, root, depth + 1))
  return each.some(types => types.size === 0) ? new Set() : new Set(each.flatMap(types => [...types]))
}

/** Follows references inside the schema itself. */
function resolve(given: unknown, root: Schema): Schema | undefined {
  let schema = given
  for (let hops = 0; hops < MAX_DEPTH && isSchema(schema); hops++) {
    const { $ref } = schema
    if (typeof $ref !== 'string') return schema
    if (!$ref.startsWith('#')) return undefined
    let at: unknown = root
    for (const step of $ref.split('/').slice(1)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Schema)[key] : undefined
    }
    schema = at
  }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not what was meant
  }
}

function jsonType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
