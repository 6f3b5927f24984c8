import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Cli } from '../cli.ts'

export interface ChatInput extends Disposable {
  /** The next message, of one line or several; undefined once there is no more. */
  next(): Promise<string | undefined>
  /** Until the result is disposed of, Ctrl-C calls `stop` and what is typed shows only afterwards. */
  whileAnswering(stop: () => void): Disposable
  /** Asks while an answer is under way; what is typed next is the answer, and undefined where nobody can be asked. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  /** Lets `print` write lines on standard error without tearing the prompt: it is drawn again below them. */
  interject(print: () => void): void
}

export interface ChatInputOptions {
  /** Words that the tab key completes, e.g. `/help`. */
  completions: readonly string[]
}

const PROMPT = '> '
const CONTINUED = '. '
const BRACKETED_PASTE = { on: '\x1b[?2004h', off: '\x1b[?2004l' }

/**
 * Messages from standard input. On a terminal with line editing and history (nothing is written to disk); a line that
 * ends in a backslash goes on in the next, and what is pasted stays one message. In a pipe each line is a message.
 */
export function createChatInput(cli: Cli, { completions }: ChatInputOptions): ChatInput {
  const { stdin, stderr, output, canAsk, signal } = cli
  const waiting: ((message: string | undefined) => void)[] = []
  const ready: string[] = []
  let lines: string[] = []
  let isMuted = false
  let isPasting = false
  let isClosed = false
  let isLeaving = false
  /** What was typed behind an answer and not sent yet. */
  let typedAhead = ''
  let stopAnswer: (() => void) | undefined
  let question: ((line: string | undefined) => void) | undefined

  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) stderr.write(chunk)
      done()
    },
  })
  Object.defineProperties(screen, {
    isTTY: { value: canAsk },
    columns: { get: () => stderr.columns },
    rows: { get: () => stderr.rows },
  })
  const onResize = () => screen.emit('resize')
  stderr.on('resize', onResize)

  const readline = createInterface({
    input: stdin,
    output: screen,
    terminal: canAsk,
    prompt: canAsk ? PROMPT : '',
    historySize: 500,
    removeHistoryDuplicates: true,
    completer: (line: string): [string[], string] => [
      line.startsWith('/') ? completions.filter(word => word.startsWith(line)) : [],
      line,
    ],
  })
  output.control(canAsk ? BRACKETED_PASTE.on : '')

  function prompt(): void {
    readline.setPrompt(!canAsk ? '' : lines.length > 0 ? CONTINUED : PROMPT)
    if (isMuted) return
    readline.prompt(true)
    // In the same turn of the event loop as the prompt: a key pressed now must come after it.
    if (typedAhead !== '') readline.write(typedAhead)
    typedAhead = ''
  }
  function deliver(message: string): void {
    const receiver = waiting.shift()
    if (receiver) receiver(message)
    else ready.push(message)
  }
  function clearLine(): string {
    const typed = readline.line
    readline.write(null, { ctrl: true, name: 'e' })
    readline.write(null, { ctrl: true, name: 'u' })
    return typed
  }

  /** readline would redraw over what stands above where a long line had wrapped. */
  function silently<T>(change: () => T): T {
    const before = isMuted
    isMuted = true
    try {
      return change()
    } finally {
      isMuted = before
    }
  }

  readline.on('line', line => {
    isLeaving = false
    if (question) return question(line)
    const isContinued = line.endsWith('\\')
    if (isPasting || isContinued) {
      lines.push(isContinued && !isPasting ? line.slice(0, -1) : line)
      prompt()
      return
    }
    const message = [...lines, line].join('\n')
    lines = []
    deliver(message)
  })
  readline.on('close', () => {
    isClosed = true
    // What stood before the end without a newline after its backslash is a message as well.
    if (lines.length > 0 && !canAsk) deliver(lines.join('\n'))
    for (const receiver of waiting.splice(0)) receiver(undefined)
    question?.(undefined)
  })
  function onInterrupt(): boolean {
    if (stopAnswer) {
      stopAnswer()
      return true
    }
    if (!canAsk || isLeaving) return false
    isLeaving = readline.line === '' && lines.length === 0
    lines = []
    // What was typed stays above, as in a shell.
    readline.write(null, { ctrl: true, name: 'e' })
    output.note(isLeaving ? '\n(Ctrl-C again, or Ctrl-D, to leave)' : '')
    silently(clearLine)
    prompt()
    return true
  }
  const interrupts = cli.catchInterrupt(onInterrupt)
  // On a terminal in raw mode Ctrl-C is a key and arrives here; at an empty prompt the second one is a way to leave.
  readline.on('SIGINT', () => {
    if (!onInterrupt()) readline.close()
  })
  const onKey = (_text: string | undefined, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start') isPasting = true
    if (key?.name === 'paste-end') isPasting = false
  }
  if (canAsk) stdin.on('keypress', onKey)
  const onAbort = () => readline.close()
  signal.addEventListener('abort', onAbort, { once: true })

  return {
    async next() {
      const early = ready.shift()
      if (early !== undefined) {
        if (canAsk) output.note(`${PROMPT}${early.replaceAll('\n', `\n${CONTINUED}`)}`)
        return early
      }
      if (isClosed) return undefined
      prompt()
      return new Promise(resolve => waiting.push(resolve))
    },
    whileAnswering(stop) {
      stopAnswer = stop
      isMuted = true
      return {
        [Symbol.dispose]() {
          stopAnswer = undefined
          if (!isClosed) typedAhead += silently(clearLine)
          isMuted = false
        },
      }
    },
    async ask(text, signal) {
      if (!canAsk || isClosed || signal.aborted) return undefined
      const wasMuted = isMuted
      // What was typed before was not meant for this.
      typedAhead += silently(clearLine)
      isMuted = false
      readline.setPrompt(text)
      readline.prompt()
      const leave = () => question?.(undefined)
      signal.addEventListener('abort', leave, { once: true })
      const line = await new Promise<string | undefined>(resolve => (question = resolve))
      signal.removeEventListener('abort', leave)
      question = undefined
      if (line === undefined) output.note()
      isMuted = wasMuted
      return line
    },
    interject(print) {
      const isPrompting = canAsk && !isMuted && !isClosed && waiting.length > 0
      if (isPrompting) output.control('\r\x1b[2K')
      print()
      if (isPrompting) prompt()
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', onAbort)
      stdin.off('keypress', onKey)
      stderr.off('resize', onResize)
      interrupts[Symbol.dispose]()
      readline.close()
      output.control(canAsk ? BRACKETED_PASTE.off : '')
      // An end of input that never comes must not keep the process.
      stdin.pause()
      stdin.unref?.()
    },
  }
}
