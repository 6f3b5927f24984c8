import type { CompletionRequest, ToolDefinition } from '../../contract/request.ts'
import { InvalidOptionError, InvalidRequestError } from '../../errors.ts'
import type { CallTerms, Tools } from '../../tools/create-tools.ts'
import { checkTool, type RegisteredTool } from '../../tools/definition.ts'
import { toModelNames } from '../../tools/model-names.ts'
import type { RunRequest } from './run.ts'

/** The tools of one run, and what its model calls them. Fixed when it begins, so that the prompt stays the same. */
export interface OfferedTools {
  definitions: ToolDefinition[]
  /** Undefined for what was not offered, though it may be registered. */
  find(name: string): RegisteredTool | undefined
  names: readonly string[]
  /** In the model's names. */
  toolChoice: CompletionRequest['toolChoice']
}

/**
 * @throws {UnknownNameError} no tool has this id
 * @throws {InvalidOptionError} a tool of the run is not valid, or two have one id
 * @throws {InvalidRequestError} `toolChoice` names none of them
 */
export async function offerTools(
  { tools: wanted, toolChoice }: Pick<RunRequest, 'tools' | 'toolChoice'>,
  { shelf, isDenied }: Pick<Tools, 'shelf' | 'isDenied'>,
  terms: CallTerms,
  signal: AbortSignal,
): Promise<OfferedTools> {
  const tools = new Map<string, RegisteredTool>()
  for (const tool of await resolveTools()) {
    const { id } = tool.description
    if (tools.has(id)) throw new InvalidOptionError(`Cannot run with two tools "${id}": name each once`)
    tools.set(id, tool)
  }
  const names = toModelNames(tools.keys())

  async function resolveTools(): Promise<RegisteredTool[]> {
    if (wanted === 'all') {
      const { tools: all } = await shelf.all({}, signal)
      return all.filter(tool => !isDenied(tool, terms))
    }
    if (!Array.isArray(wanted))
      throw new InvalidOptionError(
        `Cannot run with these tools: they must be "all" or a list: they are ${wanted}`,
      )
    return Promise.all(
      wanted.map(tool => {
        if (typeof tool === 'string') return shelf.find(tool, signal)
        if (typeof tool !== 'object' || tool === null)
          throw new InvalidOptionError(
            `Cannot run with the tool ${tool}: name one by its id, or hand one over`,
          )
        const { id, ...own } = tool
        // A tool may be an object of a class.
        const isPlain = Object.getPrototypeOf(tool) === Object.prototype
        return checkTool(id, isPlain ? own : tool, 'app')
      }),
    )
  }

  function choose(): CompletionRequest['toolChoice'] {
    if (typeof toolChoice !== 'object') return toolChoice
    const { tool } = toolChoice
    if (!tools.has(tool))
      throw new InvalidRequestError(
        'toolChoice.tool',
        `Cannot send this request: toolChoice.tool must be one of its tools, not "${tool}"`,
      )
    return { tool: names.nameOf(tool) }
  }

  return {
    definitions: Array.from(
      tools,
      ([
        id,
        {
          description: { description, inputSchema },
        },
      ]) => ({
        name: names.nameOf(id),
        description,
        ...(inputSchema && { inputSchema }),
      }),
    ),
    find(name) {
      const id = names.idOf(name)
      return id === undefined ? undefined : tools.get(id)
    },
    names: Array.from(tools.keys(), names.nameOf),
    toolChoice: choose(),
  }
}
