import type { CompletionResult } from '../../runtime/collect-result.ts'
import type { Completion } from '../../runtime/completion.ts'
import type { Cli } from '../cli.ts'
import type { Piece } from '../terminal/output.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { wrap } from '../terminal/table.ts'
import { createWrapStream } from '../terminal/wrap-stream.ts'

/** How the demo is shown: numbered steps with indented lines below. With JSON: one object a step, and nothing else. */
export interface Stage {
  step(title: string): void
  line(...pieces: Piece[]): void
  /** Prose, wrapped. */
  prose(text: string): void
  /** Shows an answer as it comes, and returns it whole. */
  answer(completion: Completion): Promise<CompletionResult>
  result(step: string, facts: object): void
  /** Columns inside the indentation. */
  readonly width: number
  waitFor<T>(what: string, promise: Promise<T>): Promise<T>
}

const INDENT = '  '
/** Prose in longer lines is hard to read. */
const MAX_PROSE_COLUMNS = 76

export function createStage({ output }: Cli, json: boolean): Stage {
  let steps = 0
  const proseWidth = Math.min(output.width, MAX_PROSE_COLUMNS)
  const line = (...pieces: Piece[]) => {
    if (!json) output.line(INDENT, ...pieces)
  }
  return {
    width: output.width - INDENT.length,
    line,
    step(title) {
      if (json) return
      if (steps++ > 0) output.line()
      output.line({ text: `${steps} ${title}`, style: 'bold' })
    },
    prose(text) {
      for (const part of wrap(text, proseWidth - INDENT.length)) line(part)
    },
    async answer(completion) {
      const wrapping = createWrapStream(proseWidth, INDENT)
      for await (const event of completion) {
        if (json) continue
        if (event.type === 'text') output.write(wrapping.push(event.text))
        if (event.type === 'tool-use')
          line({ text: `→ ${sanitizeLabel(event.name)} ${sanitizeLabel(event.input)}`, style: 'cyan' })
        await output.drained()
      }
      const result = await completion.result()
      if (!json && result.text !== '') output.line(wrapping.end())
      return result
    },
    result(step, facts) {
      if (json) output.json({ step, ...facts })
    },
    async waitFor(what, promise) {
      const stop = json ? () => {} : startSpinner(output, what)
      return promise.finally(stop)
    },
  }
}
