import type { Registration } from '../contract/registration.ts'
import type { SupervisorStats } from '../sandbox/supervisor.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import type { ToolSource } from '../tools/tool-source.ts'
import { createToolExtension, type ToolExtension, type ToolExtensionOptions } from './tool-extension.ts'

/** The extensions of tools that are there, and their place in the registry. */
export interface LoadedTools {
  has(id: string): boolean
  /** In place of one of the same id. */
  put(options: Omit<ToolExtensionOptions, 'tools'>): Promise<void>
  /** One that may not run, or cannot be found: whoever lists the tools is told. `id`: `*` for all that are installed. */
  block(id: string, problem: Error): Promise<void>
  remove(id: string): Promise<void>
  stats(): ({ id: string } & SupervisorStats)[]
  close(): Promise<void>
}

interface Entry {
  extension: ToolExtension | undefined
  registration: Registration
}

export function createLoadedTools(registry: Pick<ToolRegistry, 'add' | 'invoke'>): LoadedTools {
  const entries = new Map<string, Entry>()

  async function remove(id: string): Promise<void> {
    const entry = entries.get(id)
    entries.delete(id)
    entry?.registration.dispose()
    await entry?.extension?.close()
  }

  return {
    has: id => entries.get(id)?.extension !== undefined,
    async put(options) {
      const extension = createToolExtension({ ...options, tools: registry })
      const { id } = extension
      // Its name in the registry must be free first; its sandbox may end meanwhile.
      const removed = remove(id)
      entries.set(id, { extension, registration: registry.add(extension.source) })
      await removed
    },
    async block(id, problem) {
      const removed = remove(id)
      entries.set(id, { extension: undefined, registration: registry.add(blockedSource(id, problem)) })
      await removed
    },
    remove,
    stats: () =>
      [...entries.values()].flatMap(({ extension }) =>
        extension ? [{ id: extension.id, ...extension.stats() }] : [],
      ),
    async close() {
      await Promise.all([...entries.keys()].map(remove))
    },
  }
}

function blockedSource(id: string, problem: Error): ToolSource {
  return { name: `extension:${id}`, list: () => Promise.reject(problem) }
}
