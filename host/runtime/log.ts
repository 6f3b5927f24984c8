import { InvalidOptionError } from '../errors.ts'

/** One line of what extensions and the host have to say, secrets removed. */
export interface LogEntry {
  level: 'debug' | 'info' | 'warn' | 'error'
  /** Whose it is; absent for the host's own. */
  extension?: string
  message: string
  /** The facts of the message, for a machine to read. */
  fields?: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970. */
  time: number
}

/** What pino's loggers can do, and others like it. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type Log = ((entry: LogEntry) => void) | Logger

const METHODS = ['debug', 'info', 'warn', 'error'] as const

/**
 * One way to write, whichever was given. Never throws: a log that fails has nowhere to say so.
 * @throws {InvalidOptionError} it is neither
 */
export function resolveLog(log: Log = () => {}): (entry: LogEntry) => void {
  const isLogger = typeof log === 'object' && log !== null
  if (!(typeof log === 'function' || (isLogger && METHODS.every(name => typeof log[name] === 'function'))))
    throw new InvalidOptionError(
      `Cannot use this log: it must be a function, or a logger with the methods ${METHODS.join(', ')}: it is ${isLogger ? 'an object without them' : String(log)}`,
    )
  return entry => {
    try {
      if (typeof log === 'function') {
        const done: unknown = log(entry)
        if (done instanceof Promise) done.catch(() => {})
        return
      }
      const { level, extension, message, fields } = entry
      log[level]({ ...(extension !== undefined && { extension }), ...fields }, message)
    } catch {}
  }
}
