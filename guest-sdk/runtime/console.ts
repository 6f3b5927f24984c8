import { host } from '../component/host.ts'
import { inspect } from './inspect.ts'
import { requireRunning } from './running.ts'

type Level = 'debug' | 'info' | 'warn' | 'error'

function write(level: Level, values: readonly unknown[]): void {
  requireRunning('console')
  host.log(level, format(values).toWellFormed())
}

const log = (...values: unknown[]) => write('info', values)
const debug = (...values: unknown[]) => write('debug', values)

/** Writes to the host's log under the extension's name. */
export const console = {
  log,
  info: log,
  dir: log,
  table: log,
  debug,
  group: log,
  groupCollapsed: log,
  groupEnd: () => {},
  warn: (...values: unknown[]) => write('warn', values),
  error: (...values: unknown[]) => write('error', values),
  trace: (...values: unknown[]) => write('debug', [...values, `\n${new Error().stack ?? ''}`]),
  assert(condition?: unknown, ...values: unknown[]) {
    if (!condition) write('error', ['Assertion failed', ...values])
  },
}

function format(values: readonly unknown[]): string {
  const [first, ...rest] = values
  if (typeof first !== 'string' || !first.includes('%')) return values.map(inspect).join(' ')
  let next = 0
  const text = first.replace(/%[sdifoOjc%]/g, directive => {
    if (directive === '%%') return '%'
    if (next >= rest.length) return directive
    const value = rest[next++]
    switch (directive) {
      case '%d':
      case '%f':
        return String(Number(value))
      case '%i':
        return String(Math.trunc(Number(value)))
      case '%c':
        return ''
      default:
        return inspect(value)
    }
  })
  return [text, ...rest.slice(next).map(inspect)].join(' ')
}
