/** One line of what extensions and the host have to say, secrets removed. */
export interface LogEntry {
  level: 'debug' | 'info' | 'warn' | 'error'
  /** Whose it is; absent for the host's own. */
  extension?: string
  message: string
  /** Milliseconds since 1970. */
  time: number
}
