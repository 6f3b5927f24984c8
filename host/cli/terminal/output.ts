import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { sanitizeJson, sanitizeText } from './sanitize.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'

/** Text, or text with a look. Only `createOutput` turns either into bytes, so nothing unsanitized can slip past it. */
export type Piece = string | { readonly text: string; readonly style: Style }

export interface Output {
  /** Standard output is a terminal. */
  readonly isTerminal: boolean
  /** Standard error is a terminal that can redraw a line: spinners and dimmed asides make sense. */
  readonly hasProgress: boolean
  /** Columns to lay things out in: the terminal's, else 80. */
  readonly width: number
  /** Results, without a newline. */
  write(...pieces: Piece[]): void
  /** A line of results. */
  line(...pieces: Piece[]): void
  /** One JSON value as a line of results. */
  json(value: unknown): void
  /** A line that is not a result, on standard error. */
  note(...pieces: Piece[]): void
  /** The same without a newline. */
  aside(...pieces: Piece[]): void
  /** Ours alone: a terminal sequence, on standard error, only where `hasProgress`. */
  control(sequence: string): void
  /** Settles once standard output takes more: a reader that lags holds the answer back. */
  drained(): Promise<void>
}

export interface OutputStreams {
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number }
  env: NodeJS.ProcessEnv
  /** Called once when standard output takes nothing more: its reader has gone, or the disk is full. */
  onClosed(error: Error): void
}

export function createOutput({ stdout, stderr, env, onClosed }: OutputStreams): Output {
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== ''
  const dumb = env.TERM === 'dumb'
  const out = { stream: stdout, isColored: stdout.isTTY === true && !plain && !dumb, isOpen: true }
  const err = { stream: stderr, isColored: stderr.isTTY === true && !plain && !dumb, isOpen: true }
  const hasProgress = stderr.isTTY === true && !dumb

  stdout.on('error', error => {
    if (out.isOpen) onClosed(error)
    out.isOpen = false
  })
  stderr.on('error', () => {
    err.isOpen = false
  })

  function render(pieces: readonly Piece[], isColored: boolean): string {
    let whole = ''
    for (const piece of pieces) {
      const text = sanitizeText(typeof piece === 'string' ? piece : piece.text)
      whole +=
        typeof piece === 'string' || !isColored || text === ''
          ? text
          : styleText(piece.style, text, { validateStream: false })
    }
    return whole
  }
  function send(target: typeof out, text: string): void {
    if (target.isOpen && text !== '') target.stream.write(text)
  }

  return {
    isTerminal: stdout.isTTY === true,
    hasProgress,
    get width() {
      return stdout.columns || stderr.columns || 80
    },
    write: (...pieces) => send(out, render(pieces, out.isColored)),
    line: (...pieces) => send(out, `${render(pieces, out.isColored)}\n`),
    json: value => send(out, `${sanitizeJson(value)}\n`),
    note: (...pieces) => send(err, `${render(pieces, err.isColored)}\n`),
    aside: (...pieces) => send(err, render(pieces, err.isColored)),
    control: sequence => {
      if (hasProgress) send(err, sequence)
    },
    async drained() {
      if (!out.isOpen || !stdout.writableNeedDrain) return
      await new Promise<void>(resolve => {
        const done = () => {
          stdout.off('drain', done).off('error', done).off('close', done)
          resolve()
        }
        stdout.on('drain', done).on('error', done).on('close', done)
      })
    },
  }
}
