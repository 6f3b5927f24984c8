// The entry of the thread that reads an extension's source map: messages in, the same with the author's lines out.
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import type { StackMessage } from './map-stack.ts'

const FRAME = /^(\s+at .*?\(?)([^\s()]+):(\d+):(\d+)(\)?)$/
// Longer lines are no frames, and a regular expression takes its time over them.
const MAX_LINE_UNITS = 500
const MAX_SOURCE_UNITS = 200

const { file } = workerData as { file: string }
const loading = readFile(file, 'utf8').then(text => new TraceMap(text))

parentPort?.on('message', ({ id, message }: StackMessage) => {
  void loading.then(map => {
    const lines = message.split('\n').map(line => mapLine(map, line))
    parentPort?.postMessage({ id, message: lines.join('\n') } satisfies StackMessage)
  })
})

function mapLine(map: TraceMap, line: string): string {
  const match = line.length <= MAX_LINE_UNITS ? FRAME.exec(line) : null
  if (!match) return line
  const [, before, , row, column, after] = match
  // QuickJS counts columns from 1, source maps from 0.
  const at = originalPositionFor(map, {
    line: Math.max(1, Number(row)),
    column: Math.max(0, Number(column) - 1),
  })
  if (at.source === null) return line
  // A map that lies may name anything; it stays one short word of one line.
  const source = at.source.slice(0, MAX_SOURCE_UNITS).replace(/[\s\p{Cc}\p{Cf}]+/gu, '_')
  return `${before}${source}:${at.line}:${at.column + 1}${after}`
}
