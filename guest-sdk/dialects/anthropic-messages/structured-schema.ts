import { isRecord } from '../../is-record.ts'

/** Keywords that the API's structured output takes; it refuses a schema with any other. */
const KEPT = new Set(['type', '$ref', 'enum', 'const', 'description', 'title', 'required', 'format'])
const SCHEMAS = new Set(['items'])
const LISTS = new Set(['anyOf', 'allOf'])
const MAPS = new Set(['properties', '$defs', 'definitions'])
const FORMATS = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email'],
  ...['hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
])

/**
 * A schema as structured output takes it: objects closed, and what the API refuses (bounds, patterns, defaults)
 * said in the description instead. https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function toStructuredSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema === false ? { not: {} } : {}
  const written: Record<string, unknown> = {}
  const words: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$schema' || keyword === 'additionalProperties') continue
    if (keyword === 'oneOf' && Array.isArray(value)) written.anyOf = value.map(toStructuredSchema)
    else if (SCHEMAS.has(keyword) && isRecord(value)) written[keyword] = toStructuredSchema(value)
    else if (LISTS.has(keyword) && Array.isArray(value)) written[keyword] = value.map(toStructuredSchema)
    else if (MAPS.has(keyword) && isRecord(value)) {
      // fromEntries defines own properties, so `__proto__` stays a plain key.
      written[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, toStructuredSchema(inner)]),
      )
    } else if (isKept(keyword, value)) written[keyword] = value
    else words.push(`${keyword}: ${JSON.stringify(value)}`)
  }
  if (schema.type === 'object' || isRecord(schema.properties)) {
    written.additionalProperties = false
    if (isRecord(schema.additionalProperties)) {
      words.push(`additionalProperties: ${JSON.stringify(schema.additionalProperties)}`)
    }
  }
  if (words.length > 0) {
    const own = typeof schema.description === 'string' ? `${schema.description} ` : ''
    written.description = `${own}(${words.join('; ')})`
  }
  return written
}

function isKept(keyword: string, value: unknown): boolean {
  if (keyword === 'minItems') return value === 0 || value === 1
  return KEPT.has(keyword) && (keyword !== 'format' || FORMATS.has(String(value)))
}
