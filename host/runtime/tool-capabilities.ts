import * as z from 'zod'
import { ToolError } from '../errors.ts'
import type { Answer } from '../sandbox/protocol.ts'
import { type Callers, calledBy, chainProblem } from '../tools/callers.ts'
import { toGuestOutcome } from '../tools/guest-outcome.ts'
import { toErrorResult } from '../tools/model-content.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import type { ToolTokenOptions } from '../tools/tool.ts'

/** A call of one of the extension's tools that has not ended. */
export interface ToolCallInProgress {
  /** Those that wait for it, and it itself. */
  callers: Callers
  tokenOptions: ToolTokenOptions | undefined
  toolInvocationToken: unknown
  /** Runs as a part of the call: what it calls is under the call's terms, and its spans stand inside the call's. */
  inside<Result>(run: () => Result): Result
}

export interface ToolCapabilitiesOptions {
  tools: Pick<ToolRegistry, 'invoke'>
  /** What both locks leave open. */
  allowed: readonly string[]
  /** What the manifest asks for. */
  asked: readonly string[]
  extension: string
  manifestFile: string
}

const invocation = z.object({
  parameters: z.string(),
  tokenBudget: z.union([z.bigint(), z.number()]).optional(),
})

/**
 * What a tool in a sandbox may ask of its host besides HTTP. Nothing here rejects; every failure is an error of the
 * contract's `result`.
 */
export function createToolCapabilities(options: ToolCapabilitiesOptions) {
  const { tools, allowed, asked, extension, manifestFile } = options
  const refuse = (error: string): Answer => ({ ok: false, error })

  function denial(id: string): string {
    return asked.includes(id)
      ? `Cannot call "${id}": tools:${id} was taken from the grant of "${extension}": install it again to grant it`
      : `Cannot call "${id}": it is not in permissions.tools of ${manifestFile}`
  }

  return {
    async countTokens(
      text: unknown,
      call: ToolCallInProgress | undefined,
      signal: AbortSignal,
    ): Promise<Answer> {
      try {
        const counted = await countWith(call?.tokenOptions)(String(text), signal)
        return { ok: true, value: BigInt(Math.max(0, Math.ceil(counted))) }
      } catch (error) {
        return refuse(`Cannot count tokens: ${textOf(error)}`)
      }
    },

    async invokeTool(
      id: unknown,
      given: unknown,
      call: ToolCallInProgress | undefined,
      signal: AbortSignal,
    ): Promise<Answer> {
      if (typeof id !== 'string' || !allowed.includes(id)) return refuse(denial(String(id)))
      if (!call) return refuse(`Cannot call "${id}": tools may be called while a tool is called`)
      const problem = chainProblem(call.callers, id)
      if (problem !== undefined) return refuse(problem)
      const { tokenOptions, toolInvocationToken } = call
      try {
        const { parameters, tokenBudget } = invocation.parse(given)
        const budget = tokenBudget === undefined ? tokenOptions?.tokenBudget : Number(tokenBudget)
        const countTokens = countWith(tokenOptions)
        const wanted = {
          parameters: readParameters(parameters, id),
          ...(toolInvocationToken !== undefined && { toolInvocationToken }),
          ...(budget !== undefined && { tokenOptions: { tokenBudget: budget, countTokens } }),
        }
        const invoke = () => tools.invoke(id, wanted, signal)
        const result = await call.inside(() => calledBy(call.callers, invoke))
        return { ok: true, value: toGuestOutcome(result) }
      } catch (error) {
        // It ran, and could not do what it was to do: that is an outcome, as it would be for a model.
        if (error instanceof ToolError && error.code !== 'invalid-tool-input')
          return { ok: true, value: toGuestOutcome(toErrorResult(id, error)) }
        return refuse(textOf(error))
      }
    },
  }
}

// Of English prose, by most tokenizers; used where no model is at work whose tokenizer would count.
const UNITS_PER_TOKEN = 4

function countWith(options: ToolTokenOptions | undefined): ToolTokenOptions['countTokens'] {
  return options?.countTokens ?? (async text => Math.ceil(text.length / UNITS_PER_TOKEN))
}

function readParameters(text: string, id: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`Cannot call "${id}": its parameters are not JSON`)
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
