import type { ConfirmAnswer, ConfirmRequest, ConfirmTool } from '../tools/confirmation.ts'
import type { Cli } from './cli.ts'
import { confirm } from './terminal/confirm.ts'
import { sanitizeLabel } from './terminal/sanitize.ts'

export interface ConfirmToolOptions {
  /** `--yes`: everything that no setting denies is allowed. */
  yes: boolean
  /** Asks in place of a question on the terminal. */
  ask?: (question: string, request: ConfirmRequest) => Promise<ConfirmAnswer>
  /** Before anything is written, e.g. to stop a spinner. */
  before?: () => void
}

/** Longer parameters are shown cut: who wants to see all of them denies the call. */
const MAX_SHOWN_CHARS = 2_000

/** Asks on the terminal whether a tool may run. Nothing where nobody can be asked: what needs an answer is denied. */
export function createConfirmTool(cli: Cli, options: ConfirmToolOptions): ConfirmTool | undefined {
  const { yes, ask = question => askHere(cli, question), before } = options
  if (yes) return () => 'allow'
  if (!cli.canAsk) return undefined
  return async request => {
    before?.()
    const { id, source, title, message, parameters } = request
    const shown = sanitizeLabel(JSON.stringify(parameters))
    const cut = shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : shown
    const from = source === 'app' ? '' : ` of ${source}`
    cli.output.note({ text: `${sanitizeLabel(id + from)}: ${sanitizeLabel(message)}`, style: 'dim' })
    cli.output.note({ text: `with ${cut}`, style: 'yellow' })
    return ask(sanitizeLabel(title), request)
  }
}

async function askHere(cli: Cli, question: string): Promise<ConfirmAnswer> {
  return (await confirm(cli, question)) ? 'allow' : 'deny'
}
