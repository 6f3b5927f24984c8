import type { CompletionEvent } from '../contract/events.ts'
import type { RunEvent } from '../runtime/run/run.ts'
import { createEventPrinter } from './print-events.ts'
import type { Output } from './terminal/output.ts'
import { sanitizeLabel } from './terminal/sanitize.ts'

export interface RunPrinter {
  print(event: CompletionEvent | RunEvent): void
  /** Ends a line that is still open. */
  end(): void
}

/** Of a result a person sees the beginning; `--json` has all of it. */
const MAX_RESULT_CHARS = 200

/** A run for a person: its answers as they come, and beside them what its tools found. */
export function createRunPrinter(output: Output): RunPrinter {
  const printer = createEventPrinter(output)
  return {
    print(event) {
      switch (event.type) {
        case 'tool-running':
          if (event.message !== undefined) note(`  ${event.message}`)
          return
        case 'tool-result':
          note(`← ${event.name}: ${shorten(`${event.result}`)}`)
          return
        default:
          printer.print(event)
      }
    },
    end: printer.end,
  }

  function note(text: string) {
    printer.end()
    output.note({ text: sanitizeLabel(text), style: 'dim' })
  }
}

/** An event of a run, or of one answer, as `--json` prints it. */
export function toRunObject(event: CompletionEvent | RunEvent): unknown {
  if (event.type !== 'tool-result') return event
  const { error, result, ...rest } = event
  return {
    ...rest,
    isError: result.isError,
    parts: result.parts,
    ...(error instanceof Error && { error: error.message }),
  }
}

function shorten(text: string): string {
  return text.length > MAX_RESULT_CHARS ? `${text.slice(0, MAX_RESULT_CHARS).toWellFormed()}…` : text
}
