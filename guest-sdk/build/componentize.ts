import { SourceMap, type SourceMapPayload } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { componentize as componentizeQuickJs } from 'componentize-qjs'
import { BuildError } from './build-error.ts'
import type { Bundle } from './bundle.ts'
import type { World } from './manifest.ts'

/** The contract that this SDK builds for. */
export const CONTRACT = 'airlock:llm@0.1.0'
export const witFolder = join(import.meta.dirname, '../../wit')

/** As wit/worlds.wit names them. */
const WORLDS: Record<World, string> = { provider: 'provider-extension', tools: 'tool-extension' }

/**
 * Runs the bundle once in QuickJS and keeps its memory: code outside of functions has run in the component.
 * `synchronous`, since no host then needs the async ABI; WASI is stubbed, so that the component imports
 * nothing but the contract.
 * @throws {BuildError} what the author's code threw, with positions in the author's files.
 */
export async function componentize(bundle: Bundle, world: World): Promise<Uint8Array> {
  try {
    const { component } = await componentizeQuickJs({
      witPath: witFolder,
      jsSource: bundle.code,
      world: WORLDS[world],
      sync: true,
      optSize: true,
      stubWasi: true,
    })
    return component
  } catch (cause) {
    throw new BuildError(explain(cause instanceof Error ? cause.message : String(cause), bundle), {
      cause,
    })
  }
}

/** The engine's message with positions in the author's files, as seen from the current folder. */
function explain(message: string, { map, outputFolder }: Bundle): string {
  const sources = new SourceMap(JSON.parse(map) as SourceMapPayload)
  return message
    .replace(/^[\s:]*(Failed to [^:]*: )*/, '')
    .replace(/componentize-qjs:user\.js:(\d+):(\d+)/g, (position, line: string, column: string) => {
      const origin = sources.findOrigin(Number(line), Number(column))
      if (!('fileName' in origin)) return position
      const { fileName, lineNumber, columnNumber } = origin
      const file = fileName.includes('://') ? fileName : relative('', resolve(outputFolder, fileName))
      return `${file}:${lineNumber}:${columnNumber}`
    })
    .trimEnd()
}
