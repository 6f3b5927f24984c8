import { isRecord } from '../is-record.ts'

type Schema = Record<string, unknown>

const KEPT = new Set([
  ...['type', 'enum', 'const', '$ref', 'required', 'description', 'title'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems'],
])
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
/** Refused by the service, and bounds of what `type` allows all the same: the words of the description say them. */
const IN_WORDS = new Set(['minLength', 'maxLength', 'uniqueItems', 'format', 'pattern'])
/** Refused by the service, and nothing that an answer is held to. */
const DROPPED = new Set([
  '$schema',
  '$id',
  '$comment',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])
const MAPS = new Set(['properties', '$defs', 'definitions'])

/** What the log is told where there is no such form. */
export const NOT_STRICT =
  'The service does not guarantee this schema, since not each of its objects is closed and requires all of its properties, or it has keywords that the service does not know: it is sent without strict'

/**
 * The schema in the form that OpenAI's services guarantee, which refuse any other one as strict: objects are closed
 * and require all of their properties, and few keywords are known. What fits it fits the given schema, but for what
 * the descriptions say. Undefined where it has no such form. https://platform.openai.com/docs/guides/structured-outputs
 */
export function toStrictSchema(schema: unknown): Schema | undefined {
  const isObject = isRecord(schema) && schema.type === 'object' && !schema.anyOf && !schema.oneOf
  return isObject ? strict(schema) : undefined
}

function strict(schema: unknown): Schema | undefined {
  if (!isRecord(schema) || !saysWhat(schema)) return undefined
  const { properties, required, additionalProperties } = schema
  const written: Schema = {}
  const words: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (DROPPED.has(keyword) || keyword === 'additionalProperties') continue
    if (isKept(keyword, value)) written[keyword] = value
    else if (IN_WORDS.has(keyword)) words.push(`${keyword}: ${JSON.stringify(value)}`)
    else {
      const inner = strictInside(keyword, value)
      if (!inner) return undefined
      Object.assign(written, inner)
    }
  }
  if (schema.type === 'object' || properties !== undefined) {
    // Closed, an object of which nothing is said would always be empty.
    if (!isRecord(properties) || (additionalProperties !== undefined && additionalProperties !== false))
      return undefined
    if (Object.keys(properties).some(name => !Array.isArray(required) || !required.includes(name)))
      return undefined
    written.additionalProperties = false
  }
  if (words.length > 0) {
    const own = typeof schema.description === 'string' ? `${schema.description} ` : ''
    written.description = `${own}(${words.join('; ')})`
  }
  return written
}

/** Each schema must say what it is of. */
function saysWhat({ type, $ref, anyOf, oneOf }: Schema): boolean {
  return [type, $ref, anyOf, oneOf].some(keyword => keyword !== undefined)
}

function isKept(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return FORMATS.includes(String(value))
  // The service's patterns cannot look around.
  if (keyword === 'pattern') return !/\(\?(?:[=!]|<[=!])/.test(String(value))
  return KEPT.has(keyword)
}

function strictInside(keyword: string, value: unknown): Schema | undefined {
  if (keyword === 'items') {
    const items = strict(value)
    return items && { items }
  }
  if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) {
    const anyOf = value.map(strict)
    return anyOf.includes(undefined) ? undefined : { anyOf }
  }
  if (!MAPS.has(keyword) || !isRecord(value)) return undefined
  const inner = Object.entries(value).map(([name, each]) => [name, strict(each)] as const)
  // fromEntries defines own properties, so `__proto__` stays a plain key.
  return inner.some(([, each]) => each === undefined) ? undefined : { [keyword]: Object.fromEntries(inner) }
}
