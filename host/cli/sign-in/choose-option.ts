import type { SignInOption } from '../../contract/sign-in.ts'
import type { Cli } from '../cli.ts'
import { InterruptedError, UsageError } from '../cli-errors.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'

/**
 * Which way to sign in: the one named, the only one, the only form where its fields were given on the command line,
 * or the one that the user picks.
 * @throws {UsageError} that lists them, where nobody can be asked
 */
export async function chooseOption(
  cli: Cli,
  provider: string,
  options: readonly SignInOption[],
  { wanted, hasFields }: { wanted: string | undefined; hasFields: boolean },
): Promise<SignInOption> {
  if (options.length === 0) throw new UsageError(`"${provider}" needs no signing in.`)
  if (wanted !== undefined) {
    const found = options.find(({ id }) => id === wanted)
    if (found) return found
    throw new UsageError(`"${provider}" has no way to sign in called "${wanted}": ${list(options)}.`)
  }
  const fitting = hasFields ? options.filter(({ method }) => method.type === 'form') : options
  const [only] = fitting
  if (only && fitting.length === 1) return only
  if (hasFields && !only)
    throw new UsageError(
      `"${provider}" has no form to fill in, so --stdin and --field mean nothing: ${list(options)}.`,
    )
  if (!cli.canAsk)
    throw new UsageError(`"${provider}" has several ways to sign in; choose one: ${list(fitting)}.`)

  const { isCancel, select } = await import('@clack/prompts')
  const id = await select({
    message: `How do you want to sign in to ${provider}?`,
    options: fitting.map(({ id, label }) => ({ value: id, label: sanitizeLabel(label) })),
    input: cli.stdin,
    output: cli.stderr,
    signal: cli.signal,
  })
  cli.signal.throwIfAborted()
  const chosen = isCancel(id) ? undefined : fitting.find(option => option.id === id)
  if (!chosen) throw new InterruptedError()
  return chosen
}

function list(options: readonly SignInOption[]): string {
  return options.map(({ id, label }) => `--option ${sanitizeLabel(id)} (${sanitizeLabel(label)})`).join(', ')
}
