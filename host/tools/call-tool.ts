import { raced } from '../contract/raced.ts'
import { InvalidToolInputError, ToolError } from '../errors.ts'
import type { ConfirmTool, createConfirmation } from './confirmation.ts'
import type { RegisteredTool, ToolInput } from './definition.ts'
import type { observeTool } from './observe-tool.ts'
import { ruleFor, type ToolPolicy } from './policy.ts'
import type { ToolPreparation, ToolTokenOptions } from './tool.ts'
import { readOutput, ToolResult } from './tool-result.ts'

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

export interface CallOptions {
  policies: readonly (ToolPolicy | undefined)[]
  confirmTool: ConfirmTool | undefined
  confirmation: ReturnType<typeof createConfirmation>
  /** Never throws. */
  observe: ReturnType<typeof observeTool>
  /** Right before it runs. */
  running?: (start: { parameters: unknown; message?: string }) => void
}

/** Checks the parameters, lets the tool say what it is about to do, asks where that is due, and runs it. */
export async function callTool(
  registered: RegisteredTool,
  call: ToolCall,
  options: CallOptions,
  signals: readonly AbortSignal[],
): Promise<ToolResult> {
  const { id, source } = registered.description
  const { callId, parameters } = call
  // The tool may keep its signal, and hang listeners on it: not on the caller's.
  const controller = new AbortController()
  const abort = (event: Event) => controller.abort((event.target as AbortSignal).reason)
  for (const signal of signals) signal.throwIfAborted()
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true })
  const observer = options.observe({ id, ...(callId !== undefined && { callId }), source, parameters })
  try {
    const result = await observer.within(() => run(registered, call, options, controller.signal))
    const { isError, withheld } = result
    observer.end({ isError, ...(withheld && { withheld }), result })
    return result
  } catch (error) {
    observer.end({ isError: true, error })
    throw error
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort)
  }
}

async function run(
  registered: RegisteredTool,
  { parameters: given, toolInvocationToken: session, tokenOptions, callId, repair = false }: ToolCall,
  { policies, confirmTool, confirmation, running }: CallOptions,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { tool, description } = registered
  const { id } = description
  const rule = ruleFor(description, policies)
  let input = await raced(registered.read(given, repair), signal)
  const preparation = rule === 'deny' ? undefined : await prepare(registered, input.written, signal)
  const question = {
    registered,
    rule,
    written: input.written,
    preparation,
    session,
    callId,
    confirmTool,
    signal,
  }
  const verdict = await raced(confirmation.decide(question), signal)
  switch (verdict.decision) {
    case 'denied':
      return withheld('denied', `The tool "${id}" was not run: ${verdict.reason}.`)
    case 'skipped':
      return withheld('skipped', `The user skipped "${id}" and wants to go on without running it.`)
    case 'run-edited':
      input = await readEdited(registered, verdict.parameters, signal)
      break
    case 'run':
      break
    default:
      verdict satisfies never
  }

  running?.({
    parameters: input.written,
    ...(preparation?.message !== undefined && { message: preparation.message }),
  })
  const tokens = tokenOptions && duringTheCall(id, tokenOptions)
  const invocation = {
    parameters: input.parameters,
    ...(session !== undefined && { toolInvocationToken: session }),
    ...(tokens && { tokenOptions: tokens.options }),
    ...(callId !== undefined && { callId }),
  }
  let output: unknown
  try {
    output = await raced(
      Promise.try(() => tool.invoke(invocation, signal)),
      signal,
    )
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw failed(id, error)
  } finally {
    tokens?.end()
  }
  return readOutput(id, output)
}

async function prepare(
  { tool, read, description: { id } }: RegisteredTool,
  written: unknown,
  signal: AbortSignal,
): Promise<ToolPreparation | undefined> {
  if (!tool.prepare) return undefined
  // Read once more: what it does to its parameters must not reach the call.
  const { parameters } = await raced(read(written, false), signal)
  let prepared: unknown
  try {
    prepared = await raced(
      Promise.try(() => tool.prepare?.({ parameters }, signal)),
      signal,
    )
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw failed(id, error)
  }
  return readPreparation(id, prepared)
}

/** What an author returns is checked: a title that is no text would be shown as `[object Object]`. */
function readPreparation(id: string, value: unknown): ToolPreparation | undefined {
  if (value === undefined || value === null) return undefined
  const refuse = (what: string) => {
    throw new ToolError('tool-broke-contract', id, `The tool "${id}" prepared something else than ${what}`)
  }
  if (typeof value !== 'object') return refuse('an object')
  const { message, confirmation } = value as Record<string, unknown>
  if (message !== undefined && typeof message !== 'string') return refuse('a message that is text')
  if (confirmation === undefined) return message === undefined ? {} : { message }
  if (typeof confirmation !== 'object' || confirmation === null) return refuse('{ title, message }')
  const asked = confirmation as Record<string, unknown>
  if (typeof asked.title !== 'string' || typeof asked.message !== 'string')
    return refuse('a title and a message that are text')
  return {
    ...(message !== undefined && { message }),
    confirmation: { title: asked.title, message: asked.message },
  }
}

async function readEdited(
  registered: RegisteredTool,
  parameters: unknown,
  signal: AbortSignal,
): Promise<ToolInput> {
  try {
    return await raced(registered.read(parameters, false), signal)
  } catch (error) {
    if (error instanceof InvalidToolInputError)
      error.message = `${error.message} (the parameters were edited before the call was allowed)`
    throw error
  }
}

function withheld(how: 'denied' | 'skipped', text: string): ToolResult {
  // Skipping is what the user wanted, so nothing went wrong.
  return ToolResult.text(text, { isError: how === 'denied', withheld: how })
}

function failed(id: string, cause: unknown): ToolError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ToolError('tool-failed', id, `The tool "${id}" failed: ${why}`, { cause })
}

/** The caller's tokenizer may be gone once the call is over. */
function duringTheCall(id: string, { tokenBudget, countTokens }: ToolTokenOptions) {
  let isOver = false
  return {
    options: {
      tokenBudget,
      async countTokens(text: string, signal?: AbortSignal) {
        if (isOver)
          throw new ToolError(
            'tool-call-over',
            id,
            `Cannot count tokens for "${id}": its call is over, and countTokens works while it runs`,
          )
        return countTokens(text, signal)
      },
    } satisfies ToolTokenOptions,
    end() {
      isOver = true
    },
  }
}
