import { AsyncLocalStorage } from 'node:async_hooks'
import { ExtensionError } from '../errors.ts'
import type { Manifest } from '../extension/manifest.ts'
import { ReturnedError } from '../sandbox/life.ts'
import type { Answer } from '../sandbox/protocol.ts'
import type { SupervisorStats } from '../sandbox/supervisor.ts'
import { callersNow } from '../tools/callers.ts'
import { type GuestDescription, readGuestDescriptions } from '../tools/guest-descriptions.ts'
import { readGuestOutcome } from '../tools/guest-outcome.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import type { Tool, ToolInvocation } from '../tools/tool.ts'
import type { ToolResult } from '../tools/tool-result.ts'
import type { SourceTool, ToolSource } from '../tools/tool-source.ts'
import { createExtensionSandbox, type ExtensionOptions } from './extension-sandbox.ts'
import { createToolCapabilities, type ToolCallInProgress } from './tool-capabilities.ts'
import { createTurnstile } from './turnstile.ts'

export interface ToolExtensionOptions extends ExtensionOptions {
  /** The tools that its own may call, where manifest and grant name them. */
  tools: Pick<ToolRegistry, 'invoke'>
}

/** An extension of tools at work. */
export interface ToolExtension {
  readonly id: string
  readonly manifest: Manifest
  /** For the registry, which closes it. */
  readonly source: ToolSource
  stats(): SupervisorStats
  close(): Promise<void>
}

export function createToolExtension(options: ToolExtensionOptions): ToolExtension {
  const calls = new WeakMap<AbortSignal, ToolCallInProgress>()
  const { manifest } = options.package
  const sandbox = createExtensionSandbox(options, { world: 'tools', userOrigins: [], capability })
  const { id, manifestFile, permissions, limits, supervisor } = sandbox
  const capabilities = createToolCapabilities({
    tools: options.tools,
    allowed: permissions.tools,
    asked: manifest.permissions.tools,
    extension: id,
    manifestFile,
  })
  // Each call holds an instance while it waits. Where one may wait for another of the same extension, half of the
  // instances are kept for those.
  const most = permissions.tools.length > 0 ? limits.instances >> 1 : limits.instances
  const turnstile = createTurnstile(Math.max(1, most))

  function capability(
    name: string,
    args: unknown[],
    signal: AbortSignal,
    callSignal: AbortSignal | undefined,
  ): Promise<Answer> | undefined {
    const call = callSignal && calls.get(callSignal)
    switch (name) {
      case 'count-tokens':
        return capabilities.countTokens(args[0], call, signal)
      case 'invoke-tool':
        return capabilities.invokeTool(args[0], args[1], call, signal)
      default:
        return undefined
    }
  }

  async function list(): Promise<SourceTool[]> {
    const declared = manifest.tools.map(tool => tool.id)
    const described = await callGuest('tools', [])
    try {
      return Array.from(readGuestDescriptions(described, declared), ([id, description]) => ({
        id,
        tool: description instanceof Error ? description : toTool(description),
      }))
    } catch (cause) {
      throw brokeContract('tools() returned no list of tools', cause)
    }
  }

  function toTool({ id, displayName, ...description }: GuestDescription): Tool {
    const name = displayName ?? manifest.tools.find(tool => tool.id === id)?.name
    return {
      ...description,
      ...(name !== undefined && { displayName: name }),
      invoke: (invocation, signal) => invoke(id, invocation, signal),
    }
  }

  async function invoke(tool: string, invocation: ToolInvocation, signal: AbortSignal): Promise<ToolResult> {
    const { parameters, tokenOptions, toolInvocationToken } = invocation
    const callers = callersNow()
    calls.set(signal, {
      callers: [...callers, tool],
      tokenOptions,
      toolInvocationToken,
      inside: AsyncLocalStorage.snapshot(),
    })
    const asked = {
      parameters: JSON.stringify(parameters),
      ...(tokenOptions && { tokenBudget: BigInt(Math.max(0, Math.trunc(tokenOptions.tokenBudget))) }),
    }
    // What another tool waits for may not wait for that tool's instance to be free.
    const isNested = callers.length > 0
    const call = () => callGuest('invoke', [tool, asked], { signal, atOnce: isNested })
    const outcome = await (isNested ? call() : turnstile.pass(call, signal))
    try {
      return readGuestOutcome(outcome)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw brokeContract(
        `invoke() of the tool "${tool}" returned what does not fit the contract: ${why}`,
        cause,
      )
    }
  }

  /** @throws {Error} with the text that the guest returned for an error */
  async function callGuest(
    name: string,
    args: unknown[],
    how: { signal?: AbortSignal; atOnce?: boolean } = {},
  ): Promise<unknown> {
    try {
      return await supervisor.call(name, args, how)
    } catch (error) {
      if (!(error instanceof ReturnedError)) throw error
      throw new Error(typeof error.record === 'string' ? error.record : 'it returned an error', {
        cause: error,
      })
    }
  }

  function brokeContract(problem: string, cause: unknown): ExtensionError {
    return new ExtensionError(
      'extension-broke-contract',
      id,
      `Extension "${id}" cannot be used: ${problem}`,
      {
        cause,
      },
    )
  }

  return {
    id,
    manifest,
    source: { name: `extension:${id}`, list, close: sandbox.close },
    stats: supervisor.stats,
    close: sandbox.close,
  }
}
