import type { Airlock } from '../../runtime/airlock.ts'
import type { CancellationToken } from './cancellation.ts'
import type { LanguageModelChat } from './chat-model.ts'
import { createChatModels, type LanguageModelChatSelector } from './chat-models.ts'
import type { ToolContribution } from './contributions.ts'
import type { Disposable } from './disposable.ts'
import type { Event } from './event.ts'
import { createKeepsakes } from './keepsakes.ts'
import type { LanguageModelToolResult } from './tool-results.ts'
import {
  createToolset,
  type LanguageModelTool,
  type LanguageModelToolDescription,
  type LanguageModelToolInvocationOptions,
} from './tools.ts'

export { CancellationError, type CancellationToken, CancellationTokenSource } from './cancellation.ts'
export {
  LanguageModelChatMessage,
  LanguageModelChatMessageRole,
  type LanguageModelInputPart,
} from './chat-message.ts'
export type { LanguageModelChat } from './chat-model.ts'
export type { LanguageModelChatSelector } from './chat-models.ts'
export {
  type ChatLanguageModelToolReference,
  type ChatRequest,
  createChatRequest,
} from './chat-request.ts'
export type { LanguageModelChatResponse, LanguageModelResponsePart } from './chat-response.ts'
export type { ToolContribution } from './contributions.ts'
export { Disposable } from './disposable.ts'
export type { Event } from './event.ts'
export { LanguageModelError, type UnreadableToolCall } from './language-model-error.ts'
export {
  LanguageModelChatMessageToolResultPart,
  LanguageModelChatResponseTextPart,
  LanguageModelChatResponseToolCallPart,
  LanguageModelDataPart,
  LanguageModelPromptTsxPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from './parts.ts'
export type { ChatMessageLike } from './to-messages.ts'
export {
  type LanguageModelChatRequestOptions,
  type LanguageModelChatTool,
  LanguageModelChatToolMode,
} from './to-request.ts'
export { LanguageModelToolResult } from './tool-results.ts'
export type {
  LanguageModelTool,
  LanguageModelToolDescription,
  LanguageModelToolInvocationOptions,
  LanguageModelToolTokenOptions,
  PreparedToolInvocation,
} from './tools.ts'

export interface LanguageModelToolsOptions {
  /** `contributes.languageModelTools` of a package.json: what the tools registered here are. Default: none. */
  contributions?: readonly ToolContribution[]
  /** Told of a provider that could not say which models it has. Default: nobody is, and the others are selected from. */
  onProviderFailure?(failure: { provider: string; error: Error }): void
}

/** VS Code's `lm`. Disposing of it ends its listening; tools that were registered stay until they are disposed of. */
export interface LanguageModelTools extends globalThis.Disposable {
  /**
   * Offers a tool of the program. What it is for is in the contributions, else on the tool itself.
   * @throws {InvalidOptionError} it is nowhere, or not valid, or the id is taken, naming by whom
   */
  registerTool(id: string, tool: LanguageModelTool): Disposable
  /** Every tool, whoever brings it. A new array whenever tools come or go; see `ready`. */
  readonly tools: readonly LanguageModelToolDescription[]
  /** Resolves when the tools of extensions and of servers have been listed once. */
  readonly ready: Promise<void>
  /**
   * Checks the parameters, asks the user where that is due, and runs the tool.
   * @throws {CancellationError} it was cancelled, or not allowed: then the message says why
   * @throws {UnknownNameError} there is no such tool
   * @throws {InvalidToolInputError} the parameters do not fit its schema
   * @throws {ToolError} it threw, or returned nothing
   */
  invokeTool(
    tool: string | { readonly name: string },
    options: LanguageModelToolInvocationOptions,
    token?: CancellationToken,
  ): Promise<LanguageModelToolResult>
  /** The models that fit. None where none does. */
  selectChatModels(selector?: LanguageModelChatSelector): Promise<LanguageModelChat[]>
  /** Models came or went: after signing in or out, and when settings or extensions change. */
  readonly onDidChangeChatModels: Event<void>
}

/**
 * Airlock's models and tools in the shape of VS Code's `lm`, for code that was written for it, in its first version
 * or the finished one.
 * @throws {InvalidOptionError} the contributions are not valid
 */
export function createLanguageModelTools(
  airlock: Airlock,
  options: LanguageModelToolsOptions = {},
): LanguageModelTools {
  const { contributions = [], onProviderFailure = () => {} } = options
  const toolset = createToolset(airlock, contributions)
  const models = createChatModels(airlock, { keepsakes: createKeepsakes(), onFailure: onProviderFailure })
  return {
    registerTool: toolset.register,
    get tools() {
      return toolset.list
    },
    ready: toolset.ready,
    invokeTool: toolset.invoke,
    selectChatModels: models.select,
    onDidChangeChatModels: models.onDidChange,
    [Symbol.dispose]() {
      toolset[Symbol.dispose]()
      models[Symbol.dispose]()
    },
  }
}
