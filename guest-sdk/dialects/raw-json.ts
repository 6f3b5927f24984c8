/** JSON text that goes into a document as it is: parsing and writing it again would change large numbers. */
class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A value for `writeJson` that stands for its own text.
 * @returns Undefined where the text is no JSON object. Half a surrogate pair in it, also as an escape, becomes U+FFFD.
 */
export function rawJsonObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  } catch {
    return undefined
  }
  return new RawJson(repairEscapes(text.toWellFormed().trim()))
}

/**
 * `JSON.stringify` for requests: raw texts go in as they are, and no string holds half a surrogate pair, for which
 * services refuse a whole request for as long as it stays in the history. Fields that are undefined are left out.
 */
export function writeJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.toWellFormed())
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null'
    case 'bigint':
      return String(value)
    case 'boolean':
      return String(value)
    case 'object':
      break
    default:
      return 'null'
  }
  if (value === null) return 'null'
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  const fields = Object.entries(value).filter(([, item]) => item !== undefined)
  return `{${fields.map(([key, item]) => `${JSON.stringify(key.toWellFormed())}:${writeJson(item)}`).join(',')}}`
}

/** An escaped half of a pair without its other half, in a text that holds no bare one. */
function repairEscapes(json: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return json
  // Whole pairs and other escapes first, so that an escaped backslash is never the start of one.
  return json.replace(
    /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[\s\S]/g,
    found => (found.length === 6 ? '\\ufffd' : found),
  )
}
