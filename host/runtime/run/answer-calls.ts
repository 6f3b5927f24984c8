import { InvalidToolInputError } from '../../errors.ts'
import type { CallTerms, CallTool } from '../../tools/create-tools.ts'
import { toErrorResult } from '../../tools/model-content.ts'
import { unknownTool } from '../../tools/registry.ts'
import type { ToolTokenOptions } from '../../tools/tool.ts'
import { ToolResult } from '../../tools/tool-result.ts'
import type { CollectedAnswer } from '../collect-result.ts'
import type { OfferedTools } from './offered-tools.ts'
import type { RunEvent, ToolCallResult, ToolOutcome } from './run.ts'

export interface AnswerCalls {
  offered: OfferedTools
  call: CallTool
  terms: CallTerms
  maxParallel: number
  repair: boolean
  toolInvocationToken: unknown
  tokenOptions: ToolTokenOptions | undefined
  step: number
  emit(event: RunEvent): void
}

interface Call {
  id: string
  name: string
  input: string
  /** Why its arguments cannot be read. */
  broken?: string
}

/** Whether the answer ended too early for its calls: some may be missing, or are not what the model would stand by. */
export function endedEarly({ stopReason, brokenToolUses }: CollectedAnswer): ToolOutcome | undefined {
  if (stopReason === 'refusal' || stopReason === 'content-filter') return 'withdrawn'
  // The model would write the same, as long, and be cut off at the same place.
  return stopReason === 'max-tokens' && brokenToolUses.length > 0 ? 'cut-off' : undefined
}

/**
 * Runs the calls of an answer, some at once, and gives each its result, in the order of the calls. Never throws: what
 * went wrong is for the model to read. Once `signal` aborts, what has no result yet is `cancelled`.
 */
export async function answerCalls(
  answer: CollectedAnswer,
  task: AnswerCalls,
  signal: AbortSignal,
): Promise<ToolCallResult[]> {
  const calls = callsOf(answer)
  const early = endedEarly(answer)
  const results: ToolCallResult[] = []
  let next = 0

  async function work(): Promise<void> {
    for (let at = next++; at < calls.length; at = next++) {
      const call = calls[at] as Call
      const result = early ? notRun(call, task, early, answer) : await answerCall(call, task, signal)
      results[at] = result
      task.emit({ step: task.step, type: 'tool-result', ...result })
    }
  }
  await Promise.all(Array.from({ length: Math.min(task.maxParallel, calls.length) }, work))
  return results
}

/** The calls of an answer, each with a result that says why it was not run. */
export function cancelCalls(answer: CollectedAnswer, offered: OfferedTools): ToolCallResult[] {
  return callsOf(answer).map(call => cancelled(call, offered, false))
}

/** In the order of the answer, those with broken arguments among them. */
function callsOf({ parts, brokenToolUses }: CollectedAnswer): Call[] {
  const broken = new Map(brokenToolUses.map(({ id, error }) => [id, error]))
  return parts.flatMap(part => {
    if (part.type !== 'tool-use') return []
    const { id, name, input } = part
    const error = broken.get(id)
    return [{ id, name, input, ...(error !== undefined && { broken: error }) }]
  })
}

async function answerCall(call: Call, task: AnswerCalls, signal: AbortSignal): Promise<ToolCallResult> {
  const { id, name, broken } = call
  if (signal.aborted) return cancelled(call, task.offered, false)
  const tool = task.offered.find(name)
  if (!tool) {
    const error = unknownTool(name, task.offered.names)
    return { id, name, outcome: 'unknown-tool', result: toErrorResult(name, error), error }
  }
  const place = { id, name, tool: tool.description.id }
  if (broken !== undefined) {
    const text = `"${name}" was not run: its arguments are not valid JSON (${broken}). Call it again with valid JSON.`
    return { ...place, outcome: 'invalid-arguments', result: ToolResult.text(text, { isError: true }) }
  }
  try {
    const result = await task.call(
      tool,
      {
        parameters: JSON.parse(call.input),
        callId: id,
        toolInvocationToken: task.toolInvocationToken,
        repair: task.repair,
        ...(task.tokenOptions && { tokenOptions: task.tokenOptions }),
      },
      {
        ...task.terms,
        running: start => task.emit({ step: task.step, type: 'tool-running', ...place, ...start }),
      },
      signal,
    )
    return { ...place, outcome: result.withheld ?? 'ran', result }
  } catch (error) {
    if (signal.aborted) return cancelled(call, task.offered, true)
    const outcome = error instanceof InvalidToolInputError ? 'invalid-arguments' : 'failed'
    return { ...place, outcome, result: toErrorResult(place.tool, error), error }
  }
}

function notRun(
  { id, name }: Call,
  { offered }: AnswerCalls,
  outcome: ToolOutcome,
  { stopReason }: CollectedAnswer,
): ToolCallResult {
  const why =
    outcome === 'cut-off'
      ? `the answer was cut off at its longest (${stopReason}), so its calls are not complete`
      : `the answer was stopped (${stopReason})`
  const result = ToolResult.text(`"${name}" was not run: ${why}.`, { isError: true })
  return { id, name, ...toolOf(name, offered), outcome, result }
}

function cancelled({ id, name }: Call, offered: OfferedTools, ran: boolean): ToolCallResult {
  const text = ran
    ? `"${name}" was cancelled before there was a result. It may have done some of its work.`
    : `"${name}" was cancelled before it ran.`
  const result = ToolResult.text(text, { isError: true })
  return { id, name, ...toolOf(name, offered), outcome: 'cancelled', result }
}

function toolOf(name: string, offered: OfferedTools): { tool?: string } {
  const tool = offered.find(name)?.description.id
  return tool === undefined ? {} : { tool }
}
