import type { Registration } from '../contract/registration.ts'
import { ToolError } from '../errors.ts'
import { checkTool, type RegisteredTool } from './definition.ts'
import type { ToolOrigin } from './tool.ts'
import type { ToolSource } from './tool-source.ts'

/** What one source offers, as far as is known. */
export interface SourceListing {
  readonly name: ToolOrigin
  /** The tools that it listed last. */
  readonly tools: ReadonlyMap<string, RegisteredTool>
  /** What could not be listed. */
  readonly failures: readonly Error[]
  /** Asks the source where that is due. Never throws; returns once it answered, or has had its time. */
  refresh(): Promise<void>
  close(): Promise<void>
}

// A server that is fetched before it is started takes this long on a slow line. What comes later is taken up then.
const LIST_MS = 30_000

/** Keeps what a source listed. One that dies keeps what it had: calling it says that it is gone. */
export function createSourceListing(
  source: ToolSource,
  { changed, listMs = LIST_MS }: { changed: () => void; listMs?: number },
): SourceListing {
  const { name } = source
  let tools = new Map<string, RegisteredTool>()
  let failures: Error[] = []
  let isDue = true
  let running: { done: Promise<void>; deadline: number } | undefined
  const watch: Registration | undefined = source.onDidChange?.(() => {
    isDue = true
    changed()
  })

  async function ask(): Promise<void> {
    try {
      const listed = await source.list()
      const next = new Map<string, RegisteredTool>()
      const problems: Error[] = []
      for (const { id, tool } of listed) {
        try {
          if (tool instanceof Error) throw tool
          if (next.has(id)) throw new ToolError('tool-broke-contract', id, `${name} lists two tools "${id}"`)
          next.set(id, checkTool(id, tool, name))
        } catch (error) {
          problems.push(toError(error))
        }
      }
      const before = fingerprintOf(tools)
      tools = next
      failures = problems
      // Somebody may hold the list that was short of these.
      if (fingerprintOf(tools) !== before) changed()
    } catch (error) {
      failures = [toError(error)]
      isDue = true
    }
  }

  return {
    name,
    get tools() {
      return tools
    },
    get failures() {
      return failures
    },
    async refresh() {
      if (isDue && !running) {
        isDue = false
        const asking = { done: ask(), deadline: Date.now() + listMs }
        running = asking
        void asking.done.finally(() => {
          running = undefined
        })
      }
      if (!running) return
      const left = running.deadline - Date.now()
      if (left > 0 && (await inTime(running.done, left))) return
      const seconds = Math.round(listMs / 1000)
      failures = [
        new Error(`${name} has not listed its tools in ${seconds} seconds: they are there once it has`),
      ]
    },
    async close() {
      watch?.dispose()
      await source.close?.()
    },
  }
}

/** False where the time is up first. */
async function inTime(done: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>(resolve => (timer = setTimeout(resolve, ms, false)))
  try {
    return await Promise.race([done.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

function fingerprintOf(tools: ReadonlyMap<string, RegisteredTool>): string {
  return Array.from(tools, ([id, { fingerprint }]) => `${id}:${fingerprint}`).join()
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error })
}
