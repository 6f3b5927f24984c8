import { readFile, stat } from 'node:fs/promises'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'

// The map of the largest bundle seen, the AI SDK's provider, has 1.5 MB.
const MAX_MAP_BYTES = 16 * 1024 * 1024
const FRAME = /^(\s+at .*?\(?)([^\s()]+):(\d+):(\d+)(\)?)$/

/**
 * Reads stack traces of a guest's log with the source map beside its component, so that they name the author's
 * file and line. Where there is no map, or it does not fit, lines stay as they are.
 */
export function createStackMapper(componentFile: string): (message: string) => Promise<string> {
  let loaded: Promise<TraceMap | undefined> | undefined
  return async message => {
    if (!/^\s+at .*:\d+:\d+\)?$/m.test(message)) return message
    loaded ??= loadMap(`${componentFile}.map`)
    const map = await loaded
    return map
      ? message
          .split('\n')
          .map(line => mapLine(map, line))
          .join('\n')
      : message
  }
}

async function loadMap(file: string): Promise<TraceMap | undefined> {
  try {
    if ((await stat(file)).size > MAX_MAP_BYTES) return undefined
    return new TraceMap(await readFile(file, 'utf8'))
  } catch {
    // A stack trace that names the bundle's lines is worth more than an error about it.
    return undefined
  }
}

function mapLine(map: TraceMap, line: string): string {
  const match = FRAME.exec(line)
  if (!match) return line
  const [, before, , row, column, after] = match
  // QuickJS counts columns from 1, source maps from 0.
  const {
    source,
    line: sourceLine,
    column: sourceColumn,
  } = originalPositionFor(map, {
    line: Number(row),
    column: Math.max(0, Number(column) - 1),
  })
  return source === null ? line : `${before}${source}:${sourceLine}:${sourceColumn + 1}${after}`
}
