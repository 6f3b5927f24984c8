import * as z from 'zod'
import { manifestSchema } from './manifest.ts'

/** Width that the repository's formatter wraps at. */
const LINE_WIDTH = 110

/**
 * The JSON Schema of `extension.json`, as text for `extension.schema.json`, laid out as the formatter would.
 * What JSON Schema cannot say (origins, duplicates, files that exist) only the host checks.
 */
export function manifestSchemaText(): string {
  const schema = z.toJSONSchema(manifestSchema, { io: 'input' })
  const text = JSON.stringify({ ...schema, title: 'Airlock extension manifest' }, null, 2)
  // The formatter keeps an array of plain values on one line where it fits.
  const joined = text.replace(/^(.*?)\[\n\s+([^[\]{}]*?)\n\s+\](.*)$/gm, (whole, head, inner, tail) => {
    const line = `${head}[${inner.replace(/\n\s+/g, ' ')}]${tail}`
    return line.length <= LINE_WIDTH ? line : whole
  })
  return `${joined}\n`
}
