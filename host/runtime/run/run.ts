import type { CompletionEvent, StopReason, TokenCost, TokenUsage } from '../../contract/events.ts'
import type { CompletionRequest, RequestMessage } from '../../contract/request.ts'
import type { ConfirmTool } from '../../tools/confirmation.ts'
import type { ToolPolicy } from '../../tools/policy.ts'
import type { NamedTool } from '../../tools/tool.ts'
import type { ToolResult } from '../../tools/tool-result.ts'
import type { CompletionResult } from '../collect-result.ts'
import type { CompleteOptions } from '../complete-options.ts'

/** A conversation that goes on until the model calls no more tools. */
export interface RunRequest extends Omit<CompletionRequest, 'tools'> {
  /** Ids of registered tools, and tools of this run alone; or all that are registered and not denied. */
  tools: 'all' | readonly (string | NamedTool)[]
  /**
   * The most answers of the model. The calls of the last one are run too, so that the history is whole.
   * Default: 20.
   */
  maxSteps?: number
  /** Asked after the calls of each step: true ends the run. */
  stopWhen?: (
    step: RunStep,
    run: { steps: readonly RunStep[]; usage: TokenUsage | undefined },
  ) => boolean | Promise<boolean>
  /** The most calls of one answer that run at once. Default: 5; 1 where `parallelToolCalls` is false. */
  maxParallel?: number
  /** Reads JSON text where an object or array belongs, and numbers and booleans in quotes. Default: false. */
  repair?: boolean
  /** What each result should hold at most, told to the tool with a tokenizer. Default: not told. */
  toolTokenBudget?: number
}

/** How a run is run. `timeoutMs` and `retry` are those of each step. */
export interface RunOptions extends CompleteOptions {
  /** Asked in place of the airlock's. */
  confirmTool?: ConfirmTool
  /** On top of the airlock's and the user's: the strictest holds. */
  toolPolicy?: ToolPolicy
  /** Goes to the tools; answers for a session hold for runs with the same one. Default: one of this run alone. */
  toolInvocationToken?: unknown
}

export type ToolOutcome =
  /** Also where the tool itself says that it failed: see `result.isError`. */
  | 'ran'
  | 'failed'
  | 'unknown-tool'
  /** They do not fit the schema, or are no JSON. */
  | 'invalid-arguments'
  /** The answer was cut off inside the call, or in front of the next one: never run. */
  | 'cut-off'
  /** The answer was refused or filtered after the call: never run. */
  | 'withdrawn'
  | 'denied'
  | 'skipped'
  /** The run was aborted before there was a result. */
  | 'cancelled'

/** A call and what it came to. */
export interface ToolCallResult {
  /** The call's id. */
  id: string
  /** As the model called it. */
  name: string
  /** The tool's id. Absent where there is no such tool. */
  tool?: string
  outcome: ToolOutcome
  /** What the model is told. */
  result: ToolResult
  /** What went wrong, for the program. */
  error?: unknown
}

/** `step` counts from 1. */
export type RunEvent = { step: number } & (
  | CompletionEvent
  /** Allowed, and about to run; `message` is the tool's own word for what it does. */
  | { type: 'tool-running'; id: string; name: string; tool: string; parameters: unknown; message?: string }
  /** In the order in which they finish. */
  | ({ type: 'tool-result' } & ToolCallResult)
)

/** One answer of the model, and the results of its calls, in the order of the calls. */
export interface RunStep {
  step: number
  answer: CompletionResult
  results: readonly ToolCallResult[]
}

export interface RunResult {
  /** Of the last answer. */
  text: string
  /** The whole conversation: what the next request begins with. */
  messages: RequestMessage[]
  steps: readonly RunStep[]
  /** Of all steps. Absent where no service reported any. */
  usage?: TokenUsage
  /** Of all steps. Absent where the price of one is not known. */
  cost?: TokenCost
  /** Of the last answer. */
  stopReason: StopReason
  /** `cut-off`: the last answer ended too early for its calls to be run; see `stopReason`. */
  ended: 'no-calls' | 'max-steps' | 'stop-when' | 'cut-off'
}

/** A run as it goes. */
export interface Run extends AsyncIterable<RunEvent>, AsyncDisposable {
  /**
   * What it came to. Works with or without reading the events.
   * @throws {ProviderError} where a step failed; the caller's own reason where it was aborted
   */
  result(): Promise<RunResult>
  /**
   * The conversation so far, which the next request can begin with at any time, after an abort or a failure too: every
   * call in it has its result.
   */
  readonly messages: RequestMessage[]
  /** The steps that are over. */
  readonly steps: readonly RunStep[]
  /** Summed over what was reported so far. */
  readonly usage: TokenUsage | undefined
  /** Ends it, and tells the tools that run. Idempotent. */
  cancel(reason?: unknown): void
}
