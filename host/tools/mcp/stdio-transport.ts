import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import spawn from 'cross-spawn'
import { splitLines } from './split-lines.ts'

// How long a program has to end once its input has, and once it was asked to, ms.
const END_MS = 500
const TERM_MS = 1_000
/** What it wrote last may come after its end, ms; a child of its own can keep the pipe open for ever. */
const DRAIN_MS = 200
const MAX_LINE_BYTES = 16_384

export interface StdioTransportOptions {
  command: string
  args: readonly string[]
  cwd: string | undefined
  /** Besides `PATH`, `HOME` and the like, which it gets as it would from sudo. */
  env: Readonly<Record<string, string>>
  maxMessageBytes: number
  /** A line that it wrote to standard error. */
  line(text: string): void
}

/**
 * A program that speaks MCP over its standard streams. The SDK's own transport copies all of a message with each piece
 * that comes, goes on reading after one that was too large, and does not say how a program ended.
 */
export function createStdioTransport(options: StdioTransportOptions): Transport {
  const { command, args, cwd, env, maxMessageBytes, line } = options
  let child: ChildProcess | undefined
  let closing: Promise<void> | undefined
  let isOver = false

  function receive(text: string) {
    try {
      transport.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(text)))
    } catch {
      // Programs print to their standard output what does not belong there: the protocol has nobody wait for that.
      transport.onerror?.(new Error('it wrote to its standard output what is no message'))
    }
  }

  async function start(): Promise<void> {
    const started = spawn(command, [...args], {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      ...(cwd !== undefined && { cwd }),
    })
    child = started
    const { stdin, stdout, stderr } = started
    started.on('exit', (code, signal) => void end(started, signal ?? `exit code ${code}`))
    stdin?.on('error', error => transport.onerror?.(error))
    const messages = splitLines(maxMessageBytes, text => text.trim() !== '' && receive(text))
    stdout?.on('data', (chunk: Buffer) => {
      if (closing) return
      if (messages.push(chunk)) return
      transport.onerror?.(new Error(`it sent a message of more than ${maxMessageBytes} bytes`))
      void close()
    })
    const lines = splitLines(MAX_LINE_BYTES, text => text.trim() !== '' && line(text.trimEnd()))
    stderr?.on('data', (chunk: Buffer) => {
      if (!lines.push(chunk)) lines.clear()
    })
    await once(started, 'spawn')
    started.on('error', error => transport.onerror?.(error))
  }

  async function end(ended: ChildProcess, how: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const drained = new Promise<void>(resolve => {
      ended.once('close', () => resolve())
      timer = setTimeout(resolve, DRAIN_MS)
    })
    await drained
    clearTimeout(timer)
    ended.stdout?.destroy()
    ended.stderr?.destroy()
    isOver = true
    if (!closing) transport.onerror?.(new Error(`it ended with ${how}`))
    transport.onclose?.()
  }

  function close(): Promise<void> {
    closing ??= stop()
    return closing
  }

  async function stop(): Promise<void> {
    const stopped = child
    if (!stopped || isOver || stopped.exitCode !== null || stopped.signalCode !== null) return
    // It never began.
    if (stopped.pid === undefined) return
    const exited = once(stopped, 'exit')
    stopped.stdin?.end()
    const timers = [
      setTimeout(() => stopped.kill('SIGTERM'), END_MS),
      setTimeout(() => stopped.kill('SIGKILL'), END_MS + TERM_MS),
    ]
    try {
      await exited
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }

  const transport: Transport = {
    start,
    close,
    async send(message) {
      const stdin = child?.stdin
      if (!stdin?.writable) throw new Error('it takes no more messages')
      if (!stdin.write(`${JSON.stringify(message)}\n`))
        await Promise.race([once(stdin, 'drain'), once(stdin, 'close')])
    },
  }
  return transport
}
