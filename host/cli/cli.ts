import type { ReadStream, WriteStream } from 'node:tty'
import { ClosedPipeError, InterruptedError, OutputError } from './cli-errors.ts'
import { exitCodeOf } from './exit-code.ts'
import { createOutput, type Output } from './terminal/output.ts'

/** What every command works with. */
export interface Cli {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: ReadStream
  readonly stderr: WriteStream
  readonly output: Output
  /** There is somebody to ask: standard input and standard error are a terminal. */
  readonly canAsk: boolean
  /** Aborted by Ctrl-C, by the signal of a parent, and when standard output takes nothing more. */
  readonly signal: AbortSignal
  /**
   * Lets `handler` have Ctrl-C until the result is disposed of. It returns whether that was all; else the command
   * ends. For what can be stopped by itself, like one answer of a chat.
   */
  catchInterrupt(handler: () => boolean): Disposable
}

/** What had no end by then after an interruption is cut off, milliseconds. */
const GRACE_MS = 2_000

/** The one place that reads the process; state of one run lives in what it returns. */
export function createCli(host: NodeJS.Process): Cli {
  const stopping = new AbortController()
  function stop(reason: Error): void {
    if (stopping.signal.aborted) return
    stopping.abort(reason)
    setTimeout(() => host.exit(exitCodeOf(reason)), GRACE_MS).unref()
  }
  const output = createOutput({
    stdout: host.stdout,
    stderr: host.stderr,
    env: host.env,
    onClosed: error => stop(isReaderGone(error) ? new ClosedPipeError() : new OutputError(error)),
  })
  function interrupt(): void {
    // Who presses it twice does not want to wait for anything.
    if (stopping.signal.aborted) host.exit(exitCodeOf(new InterruptedError()))
    stop(new InterruptedError())
  }
  const handlers: (() => boolean)[] = []
  host.on('SIGINT', () => {
    if (!handlers.at(-1)?.()) interrupt()
  })
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) host.on(signal, interrupt)
  return {
    env: host.env,
    stdin: host.stdin,
    stderr: host.stderr,
    output,
    canAsk: host.stdin.isTTY === true && host.stderr.isTTY === true,
    signal: stopping.signal,
    catchInterrupt(handler) {
      handlers.push(handler)
      return {
        [Symbol.dispose]() {
          handlers.splice(handlers.lastIndexOf(handler), 1)
        },
      }
    },
  }
}

/** Of a pipe or socket, and of a terminal that was closed. */
function isReaderGone(error: Error): boolean {
  return (
    'code' in error && ['EPIPE', 'ECONNRESET', 'EIO', 'ERR_STREAM_DESTROYED'].includes(String(error.code))
  )
}
