import { isRecord } from '../../is-record.ts'

/**
 * Whether structured output can hold an answer to the schema. Objects are closed there, so one whose properties the
 * schema does not name would always be empty; and a schema may not lead back to itself.
 */
export function fitsStructured(schema: unknown): boolean {
  return fits(schema, schema, new Set())
}

function fits(schema: unknown, root: unknown, within: ReadonlySet<unknown>): boolean {
  if (Array.isArray(schema)) return schema.every(each => fits(each, root, within))
  if (!isRecord(schema)) return true
  const { $ref, type, properties, additionalProperties } = schema
  if (type === 'object' && additionalProperties !== false && Object.keys(properties ?? {}).length === 0)
    return false
  if (typeof $ref === 'string') {
    if (within.has($ref)) return false
    if (!fits(findAt($ref, root), root, new Set([...within, $ref]))) return false
  }
  const { items, anyOf, oneOf, allOf } = schema
  const named = isRecord(properties) ? Object.values(properties) : []
  return [items, anyOf, oneOf, allOf, ...named].every(inner => fits(inner, root, within))
}

/** What a reference inside the schema leads to: a JSON Pointer (RFC 6901). */
function findAt(reference: string, root: unknown): unknown {
  let at = root
  for (const step of reference.replace(/^#/, '').split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined
  }
  return at
}
