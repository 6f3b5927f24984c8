import type * as z from 'zod'
import type { ToolResult, ToolResultPart } from './tool-result.ts'

/** Something that a model, another tool or the program itself can call by its id. */
export interface Tool<Parameters = unknown> {
  /** For people. Default: the id. */
  displayName?: string
  /** For the model. */
  description: string
  /**
   * Zod, or JSON Schema with `type: 'object'` at its top. What does not fit never reaches the tool. A zod schema's
   * defaults and transforms apply. Default: an object of anything.
   */
  inputSchema?: z.ZodType<Parameters> | Record<string, unknown>
  /** Changes nothing: runs without asking. Taken at its word only from the program itself. Default: false. */
  readOnly?: boolean
  /** For filters. */
  tags?: readonly string[]
  /**
   * Says what the call is about to do. Called once before each call, after the parameters were checked; must change
   * nothing, since the call may not follow.
   */
  prepare?(
    invocation: { parameters: Parameters },
    signal: AbortSignal,
  ): Promise<ToolPreparation | undefined> | ToolPreparation | undefined
  /**
   * `signal` aborts where the caller does; what comes after that is thrown away. What it throws becomes a `ToolError`
   * for a program, and an error that a model can read.
   */
  invoke(invocation: ToolInvocation<Parameters>, signal: AbortSignal): Promise<ToolOutput> | ToolOutput
}

export interface ToolPreparation {
  /** While it runs, e.g. "Reading notes.txt". */
  message?: string
  /** What the user is asked. Asks even where the tool is `readOnly`, unless a policy says otherwise. */
  confirmation?: { title: string; message: string }
}

/** One call, as the tool sees it. */
export interface ToolInvocation<Parameters = unknown> {
  /** Checked against the schema; the tool's own copy. */
  parameters: Parameters
  /** Opaque: the conversation that the call belongs to. Hand it on to tools that this one calls. */
  toolInvocationToken?: unknown
  tokenOptions?: ToolTokenOptions
  /** The id that the model gave its call. */
  callId?: string
}

export interface ToolTokenOptions {
  /** The most tokens that the result should hold. */
  tokenBudget: number
  /** By the tokenizer of the model in use. Works until the call is over. */
  countTokens(text: string, signal?: AbortSignal): Promise<number>
}

/** What a tool may return. A string is one part of `text/plain`. */
export type ToolOutput = string | ToolResult | { parts: readonly ToolResultPart[]; isError?: boolean }

/** Where a tool comes from: the program, an extension, an MCP server. */
export type ToolOrigin = 'app' | `extension:${string}` | `mcp:${string}`

/** A tool as the registry lists it. */
export interface ToolDescription {
  /** Unique in the registry: letters, digits, `_` and `-`, at most 64. */
  id: string
  displayName?: string
  description: string
  /** JSON Schema of what a caller writes. */
  inputSchema?: Record<string, unknown>
  /** As its author says. */
  readOnly: boolean
  tags: readonly string[]
  source: ToolOrigin
}

/** A tool with its id, to be handed over where it is used instead of being registered. */
export type NamedTool<Parameters = unknown> = Tool<Parameters> & { id: string }

/** Writes a tool down with its parameters' types taken from its zod schema. */
export function defineTool<Parameters>(tool: NamedTool<Parameters>): NamedTool<Parameters>
export function defineTool<Parameters>(tool: Tool<Parameters>): Tool<Parameters>
export function defineTool<Parameters>(tool: Tool<Parameters>): Tool<Parameters> {
  return tool
}
