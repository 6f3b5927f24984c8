import type { CompletionRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { ExtensionError } from '../errors.ts'
import { createHoldBack } from './hold-back.ts'
import {
  type CallOptions,
  type Life,
  type LifeLimits,
  type LifeOptions,
  type SandboxCompletion,
  startLife,
} from './life.ts'
import type { GuestFacts, SandboxSetup } from './protocol.ts'

export interface SupervisorOptions extends Omit<LifeOptions, 'setup' | 'limits' | 'ended'> {
  extension: string
  world: SandboxSetup['world']
  /** Transpiles, or finds the transpiled component; called for each start. */
  prepare(): Promise<Pick<SandboxSetup, 'folder' | 'entry' | 'imports'>>
  limits: SupervisorLimits
  facts: GuestFacts
}

export interface SupervisorLimits extends LifeLimits {
  /** Deaths within a minute before the extension is held back. */
  deaths: number
}

export interface SupervisorStats {
  state: 'idle' | 'running' | 'held-back'
  instances: number
  openCompletions: number
  deaths: number
  /** Milliseconds until a held-back extension may start again. */
  heldBackMs?: number
}

export interface Supervisor {
  call(name: string, args: unknown[], options?: CallOptions): Promise<unknown>
  start(provider: string, model: string, request: CompletionRequest): Promise<SandboxCompletion>
  setFacts(facts: GuestFacts): void
  stats(): SupervisorStats
  close(): Promise<void>
}

/** Keeps one extension's sandbox going: starts it when it is needed, again after it died, later where it dies often. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { extension, world, prepare, limits } = options
  const holdBack = createHoldBack(limits.deaths)
  let facts = options.facts
  let starting: Promise<Life> | undefined
  let current: Life | undefined
  let closed = false

  function failed(code: ExtensionError['code'], message: string) {
    return new ExtensionError(code, extension, `Extension "${extension}" ${message}`)
  }

  function ensure(): Promise<Life> {
    if (closed) return Promise.reject(failed('extension-closed', 'was closed'))
    const { pauseMs, recentDeaths } = holdBack
    if (!starting && pauseMs > 0) {
      const message = `failed ${recentDeaths} times within a minute and is held back for another ${Math.ceil(pauseMs / 1000)} s`
      return Promise.reject(failed('extension-held-back', message))
    }
    starting ??= begin()
    return starting
  }

  async function begin(): Promise<Life> {
    try {
      const { folder, entry, imports } = await prepare()
      if (closed) throw failed('extension-closed', 'was closed')
      const begun = await startLife({
        ...options,
        setup: { extension, world, folder, entry, imports, facts },
        ended: forget,
      })
      begun.setFacts(facts)
      current = begun
      return begun
    } catch (error) {
      forget()
      throw error
    }
  }

  function forget() {
    current = undefined
    starting = undefined
    if (!closed) holdBack.record()
  }

  return {
    async call(name, args, how = {}) {
      const life = await ensure()
      how.signal?.throwIfAborted()
      return life.call(name, args, how)
    },
    start: async (provider, model, request) => (await ensure()).start(provider, model, request),
    setFacts(next) {
      facts = next
      current?.setFacts(facts)
    },
    stats() {
      const { pauseMs, totalDeaths: deaths } = holdBack
      const { instances = 0, openCompletions = 0 } = current ?? {}
      if (current) return { state: 'running', instances, openCompletions, deaths }
      if (pauseMs > 0)
        return { state: 'held-back', instances, openCompletions, deaths, heldBackMs: Math.ceil(pauseMs) }
      return { state: 'idle', instances, openCompletions, deaths }
    },
    async close() {
      if (closed) return
      closed = true
      const life = await starting?.catch(() => undefined)
      current = undefined
      await life?.close()
    },
  }
}
