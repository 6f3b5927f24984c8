import { AsyncLocalStorage } from 'node:async_hooks'
import { AirlockError, InvalidOptionError } from '../errors.ts'
import type { Observer } from '../telemetry/observer.ts'
import { callTool, type ToolCall } from './call-tool.ts'
import { type ConfirmTool, createConfirmation } from './confirmation.ts'
import type { RegisteredTool } from './definition.ts'
import { observeTool } from './observe-tool.ts'
import { checkPolicy, ruleFor, type ToolPolicy, type ToolRule } from './policy.ts'
import { createToolShelf, type ToolRegistry, type ToolShelf } from './registry.ts'
import type { ToolResult } from './tool-result.ts'

export interface ToolsOptions {
  /** The user's rules, from settings.json; asked for at each call. */
  settings?: () => Readonly<Record<string, ToolRule>> | undefined
  /** The program's. */
  toolPolicy?: ToolPolicy | undefined
  /** Asks the user. Default: nobody, so that what needs an answer is denied. */
  confirmTool?: ConfirmTool | undefined
  /** Keeps `allow-always` in settings.json. */
  remember?: (key: string) => Promise<void>
  /** Adds sources that are there and not known yet. Must not throw. */
  discover?: () => Promise<void>
  observers?: readonly Pick<Observer, 'tool'>[]
  warn?: (message: string) => void
}

/** What holds for one call, or one run, on top. */
export interface CallTerms {
  toolPolicy?: ToolPolicy | undefined
  /** Asked in place of the airlock's. */
  confirmTool?: ConfirmTool | undefined
  /** Right before the tool runs. */
  running?: (start: { parameters: unknown; message?: string }) => void
}

export type CallTool = (
  tool: RegisteredTool,
  call: ToolCall,
  terms: CallTerms,
  signal: AbortSignal | undefined,
) => Promise<ToolResult>

export interface Tools {
  /** What the program sees. */
  registry: ToolRegistry
  shelf: ToolShelf
  call: CallTool
  /** No use in telling a model of it. */
  isDenied(tool: RegisteredTool, terms: CallTerms): boolean
  /** Aborts every call; takes out every source and closes it. */
  close(): Promise<void>
}

/**
 * The tools of one airlock, and the one way to call them.
 * @throws {InvalidOptionError} the policy or `confirmTool` is none
 */
export function createTools({
  settings = () => undefined,
  toolPolicy,
  confirmTool,
  remember,
  discover,
  observers = [],
  warn = () => {},
}: ToolsOptions): Tools {
  checkPolicy(toolPolicy)
  checkConfirm(confirmTool)
  const confirmation = createConfirmation({ ...(remember && { remember }), warn })
  const observe = observeTool(observers, error =>
    warn(`What observes tools failed: ${error instanceof Error ? error.message : String(error)}`),
  )
  const closing = new AbortController()
  // What a tool calls in turn is under the terms of its own call: a run that denies a tool denies it there, too.
  const outer = new AsyncLocalStorage<{
    policies: readonly ToolPolicy[]
    confirmTool: ConfirmTool | undefined
  }>()
  const policiesFor = ({ toolPolicy: own }: CallTerms) => [
    settings(),
    toolPolicy,
    ...(outer.getStore()?.policies ?? []),
    own,
  ]
  const call: CallTool = async (tool, given, terms, signal) => {
    const policies = policiesFor(terms)
    const asked = terms.confirmTool ?? outer.getStore()?.confirmTool ?? confirmTool
    const [, , ...inherited] = policies
    const own = { policies: inherited.filter(policy => policy !== undefined), confirmTool: asked }
    return outer.run(own, () =>
      callTool(
        tool,
        given,
        {
          policies,
          confirmTool: asked,
          confirmation,
          observe,
          ...(terms.running && { running: terms.running }),
        },
        [closing.signal, ...(signal ? [signal] : [])],
      ),
    )
  }
  const shelf = createToolShelf({
    call: (tool, given, signal) => call(tool, given, {}, signal),
    ...(discover && { discover }),
    warn,
  })
  const { find: _find, all: _all, close: closeSources, ...registry } = shelf
  async function close(): Promise<void> {
    closing.abort(new AirlockError('airlock-closed', 'The airlock was closed'))
    await closeSources()
  }
  return {
    registry,
    shelf,
    call,
    isDenied: ({ description }, terms) => ruleFor(description, policiesFor(terms)) === 'deny',
    close,
  }
}

/** @throws {InvalidOptionError} */
export function checkConfirm(confirmTool: unknown): void {
  if (confirmTool !== undefined && typeof confirmTool !== 'function')
    throw new InvalidOptionError(`Cannot use this confirmTool: it must be a function: it is ${confirmTool}`)
}
