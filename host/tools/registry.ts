import type { Registration } from '../contract/registration.ts'
import type { Tool, ToolDescription, ToolOrigin, ToolTokenOptions } from './tool.ts'
import type { ToolResult } from './tool-result.ts'
import type { ToolSource } from './tool-source.ts'

/** Which tools. All that is given must fit. */
export interface ToolFilter {
  id?: string
  tag?: string
  /** `app`, `extension:<id>`, `mcp:<name>`; or all of a kind: `extension`, `mcp`. */
  source?: ToolOrigin | 'extension' | 'mcp'
}

export interface ToolList {
  tools: ToolDescription[]
  /** What could not be listed, and tools that were left out. The others are there all the same. */
  failures: { source: ToolOrigin; error: Error }[]
}

/** A call, as a program makes it. */
export interface ToolCall {
  /** An object; never changed. Default: `{}`. */
  parameters?: unknown
  /** Opaque; the tool gets it. Answers for a session hold for calls with the same token. */
  toolInvocationToken?: unknown
  tokenOptions?: ToolTokenOptions
  /** The id that the model gave its call. */
  callId?: string
  /** Reads JSON text where an object or array belongs, and numbers and booleans in quotes. Default: false. */
  repair?: boolean
}

export interface ToolRegistry {
  /**
   * Offers a tool of the program itself, until the registration is disposed.
   * @throws {InvalidOptionError} the definition is not valid, or the id is taken, naming by whom
   */
  register<Parameters>(id: string, tool: Tool<Parameters>): Registration
  /**
   * Offers the tools of an extension or an MCP server, until the registration is disposed.
   * @throws {InvalidOptionError} a source of that name is there
   */
  add(source: ToolSource): Registration
  /** One source's failure never hides the tools of the others. */
  list(filter?: ToolFilter, options?: { signal?: AbortSignal }): Promise<ToolList>
  /**
   * Checks the parameters, asks where the policy says so, and runs the tool. A denial is a result, with `withheld`.
   * @throws {UnknownNameError} `unknown-tool`, with the nearest names
   * @throws {InvalidToolInputError} the parameters do not fit the schema
   * @throws {ToolError} the tool threw, or returned what is no result
   */
  invoke(id: string, call?: ToolCall, signal?: AbortSignal): Promise<ToolResult>
  /** Called after tools came, went or changed. */
  onChange(listener: () => void): Registration
}
