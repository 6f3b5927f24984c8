import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Cli } from '../cli.ts'

export interface HiddenLine extends Disposable {
  /** Asks once; what is typed or pasted does not show. Undefined at the end of input, or when `signal` aborts. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  /** Lets `print` write lines on standard error without tearing the question: it is asked again below them. */
  interject(print: () => void): void
}

/** Lines from the terminal that nobody sees. `interrupted` is called on Ctrl-C. Ask only where `cli.canAsk`. */
export function createHiddenLine({ stdin, output }: Cli, interrupted: () => void): HiddenLine {
  let question: string | undefined
  let reader: ReturnType<typeof createInterface> | undefined

  function open(): ReturnType<typeof createInterface> {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const opened = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 })
    // In raw mode Ctrl-C is a key.
    opened.on('SIGINT', interrupted)
    return opened
  }

  return {
    ask(text, signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      reader ??= open()
      const asked = reader
      question = text
      output.aside(text)
      return new Promise(resolve => {
        const settle = (line?: string) => {
          asked.off('line', settle).off('close', end)
          signal.removeEventListener('abort', end)
          question = undefined
          output.note()
          resolve(line)
        }
        const end = () => settle()
        asked.once('line', settle).once('close', end)
        signal.addEventListener('abort', end, { once: true })
      })
    },
    interject(print) {
      if (question !== undefined) output.control('\r\x1b[2K')
      print()
      if (question !== undefined) output.aside(question)
    },
    [Symbol.dispose]() {
      reader?.close()
      // An end of input that never comes must not keep the process.
      stdin.pause()
      stdin.unref?.()
    },
  }
}
