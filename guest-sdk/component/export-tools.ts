import type * as wit from 'airlock:llm/tools@0.1.0'
import type { Received, Sent } from '../contract/wit.ts'
import { markRunning } from '../runtime/running.ts'
import type { Tool, ToolExtension, ToolOutput } from '../tool.ts'
import { isOutOfMemory, logThrown, messageOf, outOfMemory } from './author-error.ts'
import { laterKind } from './later-kind.ts'
import { createToolContext } from './tool-context.ts'
import { list, object, optionalText, text } from './wit-value.ts'

interface Exports {
  tools(): Sent<wit.ToolDescription>[]
  invoke(id: string, invocation: Received<wit.ToolInvocation>): Sent<wit.ToolOutcome>
}

const TOOL_ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * What a component exports as the interface `tools`. Neither function lets anything out but what the contract has for
 * it. `declared`: the ids that extension.json names.
 */
export function exportTools(extension: ToolExtension, declared: readonly string[]): Exports {
  const tools = checkTools(extension, declared)
  const descriptions = tools.map(({ id, displayName, description, inputSchema }) => ({
    id,
    displayName,
    modelDescription: description,
    parametersSchema: inputSchema && JSON.stringify(inputSchema).toWellFormed(),
  }))

  return {
    tools() {
      markRunning()
      return descriptions
    },

    invoke(id, { parameters, tokenBudget }) {
      markRunning()
      const where = `invoke() of tool ${id}`
      try {
        const tool = tools.find(tool => tool.id === id)
        if (tool === undefined) throw new Error(`this extension has no tool "${id}"`)
        const output = tool.invoke(JSON.parse(parameters) as never, createToolContext(tokenBudget))
        return toWitOutcome(output, where)
      } catch (thrown) {
        return failedOutcome(thrown, where)
      }
    },
  }
}

function toWitOutcome(output: ToolOutput, where: string): Sent<wit.ToolOutcome> {
  const later = laterKind(output)
  if (later !== undefined)
    throw new TypeError(
      `${where} returned ${later}; tools are synchronous: call context.fetch(), which blocks`,
    )
  const path = `the result of ${where}`
  if (typeof output === 'string') return { parts: [textPart(output)], isError: false }
  const given = object(output, path)
  const { parts, isError } = isOutcome(given) ? given : { parts: given, isError: false }
  return {
    parts: list(parts, `${path}.parts`).map((part, index) => {
      const { contentType, data } = object(part, `${path}.parts[${index}]`)
      return {
        contentType: text(contentType, `${path}.parts[${index}].contentType`),
        data: text(data, `${path}.parts[${index}].data`),
      }
    }),
    isError: isError === true,
  }
}

function isOutcome(
  output: Exclude<ToolOutput, string>,
): output is Exclude<ToolOutput, string | readonly unknown[]> {
  return 'parts' in output
}

/** Never throws: an exception out of an export ends the instance. */
function failedOutcome(thrown: unknown, where: string): Sent<wit.ToolOutcome> {
  try {
    const message = messageOf(thrown)
    if (isOutOfMemory(message)) return { parts: [textPart(outOfMemory(where))], isError: true }
    // What a tool throws to tell the model something is no mistake in the tool.
    const isMistake = thrown instanceof TypeError || thrown instanceof ReferenceError
    logThrown(thrown, where, isMistake ? 'error' : 'debug')
    return { parts: [textPart(message || `${where} threw an error without a message`)], isError: true }
  } catch {
    return { parts: [textPart(`${where} threw a value that cannot be read`)], isError: true }
  }
}

function textPart(data: string): { contentType: string; data: string } {
  return { contentType: 'text/plain', data: data.toWellFormed() }
}

/** Runs when the component is built, so that a wrong definition never becomes a component. */
function checkTools(extension: ToolExtension, declared: readonly string[]): readonly Tool[] {
  const tools = extension?.tools
  if (!Array.isArray(tools) || tools.length === 0)
    throw new TypeError('tools.ts must export default defineTool({...}) or defineTools([...])')
  const ids = new Set<string>()
  for (const [index, tool] of (tools as readonly Tool[]).entries()) {
    const id = text(tool.id, `id of tool ${index + 1}`)
    if (!TOOL_ID.test(id))
      throw new TypeError(`The id of a tool must be 1 to 64 letters, digits, "_" and "-": it is "${id}"`)
    if (ids.has(id)) throw new TypeError(`Two tools have the id "${id}": ids are unique in an extension`)
    ids.add(id)
    optionalText(tool.displayName, `displayName of tool ${id}`)
    if (text(tool.description, `description of tool ${id}`).trim() === '')
      throw new TypeError(`description of tool ${id} must say, for the model, what it does`)
    checkSchema(tool.inputSchema, id)
    if (typeof tool.invoke !== 'function') throw new TypeError(`Tool ${id} must have invoke()`)
  }
  if (ids.size !== declared.length || declared.some(id => !ids.has(id))) {
    throw new TypeError(
      `extension.json names the tools ${declared.join(', ') || '(none)'}; tools.ts defines ${[...ids].join(', ')}: they must be the same`,
    )
  }
  return tools
}

function checkSchema(schema: unknown, id: string): void {
  if (schema === undefined || schema === null) return
  const { type } = object(schema, `inputSchema of tool ${id}`) as { type?: unknown }
  if (type !== 'object')
    throw new TypeError(
      `inputSchema of tool ${id} must be JSON Schema with type: "object" at its top, since parameters have names`,
    )
}
