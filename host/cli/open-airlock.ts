import type { Airlock } from '../runtime/airlock.ts'
import type { AirlockOptions } from '../runtime/airlock-options.ts'
import type { LogEntry } from '../runtime/log.ts'
import type { Cli } from './cli.ts'
import { sanitizeLabel } from './terminal/sanitize.ts'
import { wrap } from './terminal/table.ts'

/** Opens the runtime for one command; `await using` closes it. Loaded late, so that `--help` does not wait for it. */
export async function openAirlock(cli: Cli, options: AirlockOptions = {}): Promise<Airlock> {
  const { createAirlock } = await import('../runtime/airlock.ts')
  return createAirlock({
    env: cli.env,
    log: entry => printLog(entry, cli),
    notice: sentence => printNotice(sentence, cli),
    ...options,
  })
}

/** What the user should know about how keys are kept. */
export function printNotice(sentence: string, { output }: Cli): void {
  const text = sanitizeLabel(sentence)
  // It names a file: in a pipe, where nobody counts columns, the path stays whole.
  for (const line of output.hasProgress ? wrap(text, output.width) : [text])
    output.note({ text: line, style: 'dim' })
}

/** Warnings and errors of extensions, on standard error; everything with `AIRLOCK_DEBUG`. */
export function printLog({ level, extension, message }: LogEntry, { env, output }: Cli): void {
  const isLoud = level === 'warn' || level === 'error'
  if (!isLoud && !env.AIRLOCK_DEBUG) return
  const source = extension === undefined ? '' : `${sanitizeLabel(extension)}: `
  output.note({ text: `airlock: ${source}${level}: ${sanitizeLabel(message)}`, style: 'dim' })
}
