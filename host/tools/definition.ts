import { createHash } from 'node:crypto'
import * as z from 'zod'
import { describeIssue, formatPath } from '../contract/describe-issue.ts'
import { createJsonValidator } from '../contract/json-schema.ts'
import { nearestNames } from '../contract/nearest-names.ts'
import { InvalidOptionError, InvalidToolInputError } from '../errors.ts'
import { copyJson, type InputIssue } from './copy-json.ts'
import { repairInput } from './repair-input.ts'
import type { Tool, ToolDescription, ToolOrigin } from './tool.ts'

/** A tool whose definition has been checked. */
export interface RegisteredTool {
  readonly tool: Tool
  readonly description: ToolDescription
  /** Another one where the tool's description or schema is: what was agreed to is not what is there now. */
  readonly fingerprint: string
  /**
   * Checks what the tool is called with.
   * @throws {InvalidToolInputError}
   */
  read(parameters: unknown, repair: boolean): Promise<ToolInput>
}

export interface ToolInput {
  /** A copy of what was written, mended where that was asked for. */
  written: unknown
  /** What the tool gets: with a zod schema, its output. */
  parameters: unknown
}

const TOOL_ID = /^[A-Za-z0-9_-]{1,64}$/
const TOOL_KEYS = ['displayName', 'description', 'inputSchema', 'readOnly', 'tags', 'prepare', 'invoke']
const WHOLE = 'the parameters'

/** @throws {InvalidOptionError} naming what is wrong with the definition */
export function checkTool(id: string, tool: Tool, source: ToolOrigin): RegisteredTool {
  const from = source === 'app' ? '' : ` of ${source}`
  const refuse = (problem: string, cause?: unknown) => {
    throw new InvalidOptionError(`Cannot offer the tool ${JSON.stringify(id)}${from}: ${problem}`, { cause })
  }
  if (typeof id !== 'string' || !TOOL_ID.test(id))
    refuse('its id must be 1 to 64 letters, digits, "_" and "-"')
  if (typeof tool !== 'object' || tool === null) refuse('it must be an object with description and invoke')
  const { displayName, description, inputSchema, readOnly = false, tags = [] } = tool
  if (Object.getPrototypeOf(tool) === Object.prototype)
    for (const key of Object.keys(tool).filter(key => !TOOL_KEYS.includes(key))) {
      const [nearest] = nearestNames(key, TOOL_KEYS)
      refuse(
        `unknown key "${key}": ${nearest ? `did you mean "${nearest}"?` : `known are ${TOOL_KEYS.join(', ')}`}`,
      )
    }
  if (typeof description !== 'string' || description.trim() === '')
    refuse('description must say, for the model, what it does')
  if (typeof tool.invoke !== 'function') refuse('invoke must be a function')
  if (tool.prepare !== undefined && typeof tool.prepare !== 'function') refuse('prepare must be a function')
  if (displayName !== undefined && typeof displayName !== 'string') refuse('displayName must be text')
  if (typeof readOnly !== 'boolean') refuse('readOnly must be true or false')
  if (!Array.isArray(tags) || tags.some(tag => typeof tag !== 'string')) refuse('tags must be a list of text')

  let schema: Record<string, unknown> | undefined
  let check: ReturnType<typeof createCheck>
  try {
    schema = inputSchema && writeSchema(inputSchema)
    check = createCheck(inputSchema, schema, source !== 'app')
  } catch (error) {
    return refuse(
      `inputSchema cannot be used: ${error instanceof Error ? error.message : error}`,
      error,
    ) as never
  }

  return {
    tool,
    description: deepFreeze({
      id,
      ...(displayName !== undefined && { displayName }),
      description,
      ...(schema && { inputSchema: schema }),
      readOnly,
      tags: [...tags],
      source,
    }),
    fingerprint: createHash('sha256')
      .update(JSON.stringify([description, schema]))
      .digest('hex'),
    async read(parameters, repair) {
      const given = parameters ?? {}
      const copied = copyJson(given)
      if (copied.issues.length > 0) throw new InvalidToolInputError(id, copied.issues)
      const first = await check(copied.value)
      if ('parameters' in first) return { written: copied.value, parameters: first.parameters }
      if (repair) {
        const mended = copyJson(repairInput(copied.value, schema ?? { type: 'object' }))
        const second = mended.issues.length > 0 ? mended : await check(mended.value)
        if ('parameters' in second) return { written: mended.value, parameters: second.parameters }
      }
      throw new InvalidToolInputError(id, first.issues, { cause: first.cause })
    },
  }
}

/** The JSON Schema of what a caller writes. */
function writeSchema(given: NonNullable<Tool['inputSchema']>): Record<string, unknown> {
  const written: unknown = JSON.parse(
    JSON.stringify(given instanceof z.ZodType ? z.toJSONSchema(given, { io: 'input' }) : given),
  )
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    throw new TypeError('it must be a zod schema, or JSON Schema as an object')
  if (!('type' in written) || written.type !== 'object')
    throw new TypeError(
      `it must say type: "object" at its top, since parameters have names: ${
        'type' in written ? `it says ${JSON.stringify(written.type)}` : 'it does not say'
      }`,
    )
  return { ...written }
}

type Checked = { parameters: unknown } | { issues: InputIssue[]; cause?: unknown }

function createCheck(
  given: Tool['inputSchema'],
  schema: Record<string, unknown> | undefined,
  untrusted: boolean,
): (value: unknown) => Promise<Checked> | Checked {
  if (given instanceof z.ZodType) return value => checkWithZod(given, value)
  const validate = createJsonValidator(schema ?? { type: 'object' }, { whole: WHOLE, untrusted })
  return value => {
    const issues = validate(value)
    // The tool's own copy: what the caller is shown stays as it was checked.
    return issues.length > 0 ? { issues } : { parameters: structuredClone(value) }
  }
}

async function checkWithZod(schema: z.ZodType, value: unknown): Promise<Checked> {
  try {
    const parsed = await schema.safeParseAsync(structuredClone(value), { reportInput: true })
    if (parsed.success) return { parameters: parsed.data }
    const issues = parsed.error.issues.map(issue => ({
      path: formatPath(issue.path),
      message: describeIssue(issue, schema, { whole: WHOLE, repeatsValues: false }),
    }))
    return { issues, cause: parsed.error }
  } catch (cause) {
    // A transform that throws: to it, the value did not fit.
    const message = `${WHOLE}: ${cause instanceof Error ? cause.message : cause}`
    return { issues: [{ path: '', message }], cause }
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
