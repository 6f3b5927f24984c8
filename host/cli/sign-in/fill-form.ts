import type { SignInField } from '../../contract/sign-in.ts'
import type { SignInForm } from '../../runtime/sign-in.ts'
import type { Cli } from '../cli.ts'
import { InterruptedError, UsageError } from '../cli-errors.ts'
import { readStdin } from '../read-stdin.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'

export interface FormSources {
  /** What was given with `--field`. */
  given: Readonly<Record<string, string>>
  /** Standard input holds the rest: the one value that is missing, or a JSON object of several. */
  stdin: boolean
}

/** Fills in a form from the command line, standard input, or the terminal, in this order. */
export async function fillForm(
  cli: Cli,
  form: SignInForm,
  sources: FormSources,
): Promise<Record<string, string>> {
  const { given, stdin } = sources
  const missing = form.fields.filter(({ key }) => !Object.hasOwn(given, key))
  if (form.fields.some(({ key, secret }) => secret && given[key]))
    cli.output.note({
      text: 'Other programs can see what is on a command line, and the shell remembers it: --stdin keeps a secret to itself.',
      style: 'yellow',
    })
  if (stdin) return { ...given, ...(await readRest(cli, missing)) }
  if (missing.length === 0 || Object.keys(given).length > 0) return given
  if (!cli.canAsk) {
    const keys = missing.map(({ key }) => key).join(', ')
    throw new UsageError(`Nobody can be asked here: give ${keys} with --stdin, or with --field KEY=VALUE.`)
  }
  const entered: Record<string, string> = {}
  for (const field of missing) entered[field.key] = await askField(cli, field)
  return { ...given, ...entered }
}

async function readRest(cli: Cli, missing: readonly SignInField[]): Promise<Record<string, string>> {
  const text = await readStdin(cli, 'the key')
  const needed = missing.filter(({ required }) => required)
  const [only] = needed.length === 1 ? needed : missing
  if (only === undefined)
    throw new UsageError('Every field was given with --field: --stdin has nothing to fill in.')
  if (needed.length === 1 || missing.length === 1) return { [only.key]: text }
  const keys = missing.map(({ key }) => key).join(', ')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const isForm =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(entry => typeof entry === 'string')
  if (!isForm) throw new UsageError(`Standard input must be a JSON object of texts, with ${keys}.`)
  return value as Record<string, string>
}

async function askField(cli: Cli, { label, secret, required, placeholder }: SignInField): Promise<string> {
  const { isCancel, password, text } = await import('@clack/prompts')
  const message = `${sanitizeLabel(label)}${required ? '' : ' (may be left empty)'}`
  const validate = (value: string | undefined) =>
    required && (value ?? '').trim() === '' ? 'This must not be empty.' : undefined
  const where = { input: cli.stdin, output: cli.stderr, signal: cli.signal }
  const answer = secret
    ? await password({ message, validate, mask: '*', ...where })
    : await text({
        message,
        validate,
        ...where,
        ...(placeholder !== undefined && { placeholder: sanitizeLabel(placeholder) }),
      })
  cli.signal.throwIfAborted()
  if (isCancel(answer)) throw new InterruptedError()
  return answer ?? ''
}

/** @throws {UsageError} where it is no `key=value`, or a key comes twice */
export function parseFields(fields: readonly string[]): Record<string, string> {
  const parsed = new Map<string, string>()
  for (const field of fields) {
    const equals = field.indexOf('=')
    // The text is not quoted: it may be a key that was meant as a value.
    if (equals < 1) throw new UsageError('--field must be KEY=VALUE.')
    const key = field.slice(0, equals)
    if (parsed.has(key)) throw new UsageError(`--field ${key} was given twice.`)
    parsed.set(key, field.slice(equals + 1))
  }
  return Object.fromEntries(parsed)
}
