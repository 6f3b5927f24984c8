type JsonSchema = Record<string, unknown>

/** The one property of an answer that is wrapped in an object. */
export const WRAPPER = 'answer'

/** Whether only objects fit, as the schema itself says: a reference at its top is not followed. */
export function isObjectSchema(schema: JsonSchema): boolean {
  return schema.type === 'object'
}

/**
 * The schema of an object whose only property is what the given schema describes. Services take no lists, choices or
 * single values as the whole of an answer, and tools take none as their input.
 */
export function wrapSchema(schema: JsonSchema): JsonSchema {
  const { $schema, $id: _, ...inner } = schema
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { [WRAPPER]: moveReferences(inner) },
    required: [WRAPPER],
    additionalProperties: false,
  }
}

const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
const SINGLES = [
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'additionalProperties'],
  ...['unevaluatedProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
]

/** References from the top of the schema, which stands one step deeper now. */
function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences)
  if (typeof schema !== 'object' || schema === null) return schema
  // fromEntries defines own properties: `__proto__` is a name like any other.
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, moveIn(key, value)]))
}

function moveIn(key: string, value: unknown): unknown {
  if (key === '$ref' && typeof value === 'string')
    return value.replace(/^#(?=\/|$)/, `#/properties/${WRAPPER}`)
  if (Array.isArray(value)) return LISTS.includes(key) ? value.map(moveReferences) : value
  if (typeof value !== 'object' || value === null) return value
  if (SINGLES.includes(key)) return moveReferences(value)
  if (!MAPS.includes(key)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, moveReferences(inner)]))
}
