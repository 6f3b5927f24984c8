// A credential may be more than one secret: tokens with the time they end. Stored as a JSON object, each of its string
// fields is a secret of its own; numbers, booleans, lists, and all below the field `public` are no secrets.

type Document = Readonly<Record<string, unknown>>

/** The field of a document that holds what a guest may read: an address, a name. */
const PUBLIC = 'public'
/** More than any set of tokens has. What is larger is one opaque secret as a whole. */
const MAX_DEPTH = 4
const MAX_FIELDS = 32

/** When the service stops taking it, milliseconds since 1970: the number `expiresAt` of a document. */
export function expiryOf(value: string): number | undefined {
  const expiresAt = readDocument(value)?.expiresAt
  return typeof expiresAt === 'number' && Number.isFinite(expiresAt) && expiresAt > 0 ? expiresAt : undefined
}

/**
 * The value with each secret in it replaced. `replace` gets the secret's field, `accessToken` or `nested.field`; an
 * empty name where the whole value is the secret.
 */
export function replaceSecrets(value: string, replace: (field: string, secret: string) => string): string {
  const document = readDocument(value)
  if (document === undefined) return value === '' ? value : replace('', value)
  let isChanged = false
  const walk = (fields: Document, path: string): Document =>
    Object.fromEntries(
      Object.entries(fields).map(([name, held]) => {
        const field = path === '' ? name : `${path}.${name}`
        if (field === PUBLIC || held === '') return [name, held]
        if (isFields(held)) return [name, walk(held, field)]
        if (typeof held !== 'string') return [name, held]
        const next = replace(field, held)
        isChanged ||= next !== held
        return [name, next]
      }),
    )
  const replaced = walk(document, '')
  return isChanged ? JSON.stringify(replaced) : value
}

function readDocument(value: string): Document | undefined {
  if (!value.startsWith('{')) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    return undefined
  }
  return isFields(parsed) && countFields(parsed, 1) <= MAX_FIELDS ? parsed : undefined
}

function countFields(fields: Document, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY
  const held = Object.values(fields)
  return held.reduce((sum: number, value) => sum + (isFields(value) ? countFields(value, depth + 1) : 1), 0)
}

function isFields(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
