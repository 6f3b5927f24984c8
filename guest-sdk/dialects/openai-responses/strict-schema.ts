import { isRecord } from '../../is-record.ts'

/**
 * The service guarantees a schema only where each object is closed and requires all of its properties; it refuses
 * others. https://platform.openai.com/docs/guides/structured-outputs
 */
export function fitsStrict(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'object' && !Array.isArray(schema.anyOf) && fits(schema)
}

function fits(schema: unknown): boolean {
  if (!isRecord(schema)) return schema === true
  const { properties, required } = schema
  const isObject = schema.type === 'object' || isRecord(properties)
  if (isObject) {
    const names = isRecord(properties) ? Object.keys(properties) : []
    if (schema.additionalProperties !== false) return false
    if (names.some(name => !Array.isArray(required) || !required.includes(name))) return false
  }
  const inner = [
    ...[properties, schema.$defs, schema.definitions].flatMap(map =>
      isRecord(map) ? Object.values(map) : [],
    ),
    ...(Array.isArray(schema.anyOf) ? schema.anyOf : []),
    ...(isRecord(schema.items) ? [schema.items] : []),
  ]
  return inner.every(fits)
}
