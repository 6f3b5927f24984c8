import * as z from 'zod'
import { describeIssue } from '../contract/describe-issue.ts'

/** What an extension says of one of its tools, as `tools` of the contract has it. */
export interface GuestDescription {
  id: string
  displayName?: string
  description: string
  inputSchema?: Record<string, unknown>
}

// A model reads these with every request: what is longer than this is a mistake.
const MAX_DESCRIPTION_UNITS = 32_768
const MAX_SCHEMA_UNITS = 262_144
/** As many as a manifest may name. */
const MAX_TOOLS = 64

const description = z.object({
  id: z.string().max(64),
  displayName: z.string().max(200).optional(),
  modelDescription: z.string().max(MAX_DESCRIPTION_UNITS),
  parametersSchema: z.string().max(MAX_SCHEMA_UNITS).optional(),
})

/**
 * Reads what `tools` returned. A description that does not fit is an error under its id, and hides no other.
 * `declared`: the ids that the manifest names.
 */
export function readGuestDescriptions(
  value: unknown,
  declared: readonly string[],
): Map<string, GuestDescription | Error> {
  const listed = z.array(z.unknown()).max(MAX_TOOLS).parse(value)
  const found = new Map<string, GuestDescription | Error>()
  for (const [index, one] of listed.entries()) {
    const { id } = z
      .object({ id: z.string().catch('') })
      .catch({ id: '' })
      .parse(one)
    const name = id === '' ? `tool ${index + 1}` : id.slice(0, 64)
    if (found.has(name)) found.set(name, new Error(`The extension describes two tools "${name}"`))
    else found.set(name, readOne(one, name, declared))
  }
  for (const id of declared)
    if (!found.has(id))
      found.set(id, new Error(`There is no tool "${id}": the manifest names it, and the extension has none`))
  return found
}

function readOne(value: unknown, name: string, declared: readonly string[]): GuestDescription | Error {
  const refuse = (problem: string) => new Error(`Cannot offer the tool "${name}": ${problem}`)
  const parsed = description.safeParse(value, { reportInput: true })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const options = { whole: 'its description', repeatsValues: false }
    return refuse(issue ? describeIssue(issue, description, options) : 'its description does not fit')
  }
  const { id, displayName, modelDescription, parametersSchema } = parsed.data
  if (!declared.includes(id)) return refuse('tools of extension.json does not name it')
  const read: GuestDescription = {
    id,
    ...(displayName !== undefined && { displayName }),
    description: modelDescription,
  }
  if (parametersSchema === undefined) return read
  try {
    const schema: unknown = JSON.parse(parametersSchema)
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      return refuse('parameters-schema must be a JSON object')
    return { ...read, inputSchema: { ...schema } }
  } catch {
    return refuse('parameters-schema is not JSON')
  }
}
