import type { FetchOptions, Log } from './context.ts'
import type { HttpResponse } from './http-response.ts'
import type { SchemaValue } from './schema-value.ts'

/** JSON Schema of a tool's parameters. */
export interface ParametersSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/**
 * One tool, as an extension's author writes it. `invoke` is synchronous: one that returns a promise fails with a
 * sentence that names it.
 */
export interface Tool<Schema = ParametersSchema> {
  /** Unique in the host, as in extension.json: letters, digits, `_` and `-`, at most 64. */
  id: string
  /** For people. Default: the name in extension.json, else the id. */
  displayName?: string
  /** For the model: what the tool does, and when to call it. */
  description: string
  /** What does not fit it never reaches the tool. Plain JSON Schema. Default: an object of anything. */
  inputSchema?: Schema
  /**
   * `parameters` are typed by `inputSchema`. What it throws becomes a result with `isError` and the error's message,
   * which the model reads: say what to do differently.
   */
  invoke(
    parameters: Schema extends ParametersSchema ? SchemaValue<Schema> : Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): ToolOutput
}

/** What a tool may ask of the host. Every function blocks until it has its answer. */
export interface ToolContext {
  readonly log: Log
  /** The most tokens that the result should hold. Absent: the caller did not say. */
  readonly tokenBudget?: number
  /**
   * Sends a request to an origin of `permissions.network` and waits for the whole answer, whatever its status.
   * @throws where no answer came
   */
  fetch(url: string | URL, options?: FetchOptions): HttpResponse
  /** Tokens of the text by the tokenizer of the model in use; an estimate where no model is. */
  countTokens(text: string): number
  /**
   * Calls another tool, one that `permissions.tools` names. Its failure is an outcome with `isError`.
   * @throws where it may not be called, is not there, or does not take these parameters
   */
  invokeTool(id: string, parameters?: object, options?: { tokenBudget?: number }): ToolOutcome
}

/** One representation, or one piece, of a result. */
export interface ToolResultPart {
  /** IANA media type, e.g. "text/plain". */
  contentType: string
  /** Text, or base64 for a type that is not text. */
  data: string
}

/** What a call came to. */
export interface ToolOutcome {
  parts: ToolResultPart[]
  /** The call failed; the parts say why. */
  isError: boolean
}

/** What a tool may return. A string is one part of `text/plain`. */
export type ToolOutput =
  | string
  | readonly ToolResultPart[]
  | { parts: readonly ToolResultPart[]; isError?: boolean }

/** What `tools.ts` exports as its default. */
export interface ToolExtension {
  readonly tools: readonly Tool[]
}

/** Makes a tool an extension. */
export function defineTool<const Schema extends ParametersSchema | undefined = undefined>(
  tool: Tool<Schema>,
): ToolExtension {
  return { tools: [tool as unknown as Tool] }
}

/** Several tools in one extension: `defineTools([defineTool(...), defineTool(...)])`. Their ids must differ. */
export function defineTools(extensions: readonly ToolExtension[]): ToolExtension {
  return { tools: extensions.flatMap(extension => extension.tools) }
}
