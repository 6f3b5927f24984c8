import type { LogLine } from './protocol.ts'

/** Gathers what a guest logs, and drops what is more than `linesPerSecond`, saying how much that was. */
export function createGuestLog(linesPerSecond: number, send: (lines: LogLine[]) => void) {
  let lines: LogLine[] = []
  let second = 0
  let count = 0
  let dropped = 0
  return {
    add(line: LogLine) {
      const now = Math.floor(performance.now() / 1000)
      if (now !== second) {
        if (dropped > 0)
          lines.push({
            level: 'warn',
            message: `${dropped} log lines dropped: more than ${linesPerSecond} in a second`,
          })
        second = now
        count = 0
        dropped = 0
      }
      if (++count > linesPerSecond) {
        dropped++
        return
      }
      if (lines.push(line) === 1) setImmediate(() => this.flush())
    },
    flush() {
      if (lines.length === 0) return
      const batch = lines
      lines = []
      send(batch)
    },
  }
}
