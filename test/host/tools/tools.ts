import { createTools, type ToolsOptions } from '../../../host/tools/create-tools.ts'
import type { Tool } from '../../../host/tools/tool.ts'
import type { SourceTool, ToolSource } from '../../../host/tools/tool-source.ts'

/** The tools of an airlock that allows everything, unless a test says otherwise. */
export function makeTools(options: ToolsOptions = {}) {
  return createTools({ toolPolicy: () => 'allow', ...options }).registry
}

/** One that says what it was called with. */
export const echo: Tool = {
  description: 'Says what it was given',
  invoke: ({ parameters }) => JSON.stringify(parameters),
}

/** A source whose tools, and whose fate, a test decides. */
export function makeSource(name: ToolSource['name'], list: () => Promise<SourceTool[]> | SourceTool[]) {
  let changed = () => {}
  const seen = { listed: 0, closed: 0 }
  const source: ToolSource = {
    name,
    async list() {
      seen.listed++
      return list()
    },
    onDidChange(listener) {
      changed = listener
      return { dispose() {}, [Symbol.dispose]() {} }
    },
    async close() {
      seen.closed++
    },
  }
  return { source, seen, change: () => changed() }
}
