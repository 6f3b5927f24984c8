import type { Command } from 'commander'
import type { SignInResult } from '../../runtime/sign-in.ts'
import type { Cli } from '../cli.ts'
import { InterruptedError } from '../cli-errors.ts'
import { errorObject, messageOf } from '../error-object.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock, printLog, printNotice } from '../open-airlock.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'

interface Options {
  option?: string
  stdin?: true
  field: string[]
  json?: true
}

export function addLogin(program: Command, cli: Cli): void {
  program
    .command('login')
    .description('Sign in to a provider.')
    .argument('<provider>', 'a provider, e.g. openrouter')
    .option('--option <id>', 'the way to sign in, where there are several')
    .option('--stdin', 'read the key from standard input; several fields as a JSON object')
    .option('--field <key=value>', 'fill in one field of the form; may be given again', collect, [])
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  airlock login openrouter\n' +
        '  airlock login openrouter --option api-key --stdin < key.txt\n' +
        '\nThe key is stored encrypted. `airlock status` shows where, `airlock logout` removes it.',
    )
    .action((provider: string, options: Options) => login(cli, provider, options))
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

async function login(cli: Cli, provider: string, options: Options): Promise<void> {
  const json = options.json === true
  const { createBrowserOpener } = await import('../../oauth/open-browser.ts')
  const { chooseOption } = await import('../sign-in/choose-option.ts')
  const { parseFields } = await import('../sign-in/fill-form.ts')
  const { createTerminalUi } = await import('../sign-in/terminal-ui.ts')
  const given = parseFields(options.field)
  const stdin = options.stdin === true
  const hasFields = stdin || options.field.length > 0
  let aside = (print: () => void) => print()
  await using airlock = await openAirlock(cli, {
    log: entry => aside(() => printLog(entry, cli)),
    notice: sentence => aside(() => printNotice(sentence, cli)),
  })
  const offered = await airlock.signInOptions(provider)
  const { id, method } = await chooseOption(cli, provider, offered, { wanted: options.option, hasFields })
  if (hasFields && method.type !== 'form') {
    const { UsageError } = await import('../cli-errors.ts')
    throw new UsageError(`"--option ${id}" is no form, so --stdin and --field mean nothing with it.`)
  }

  const stopping = new AbortController()
  const signal = AbortSignal.any([cli.signal, stopping.signal])
  let result: SignInResult
  {
    using ui = createTerminalUi(cli, {
      provider: sanitizeLabel(provider),
      json,
      given,
      stdin,
      openBrowser: createBrowserOpener({ env: cli.env }),
      interrupted: () => stopping.abort(new InterruptedError()),
    })
    aside = ui.interject
    result = await airlock.signIn(provider, { option: id, signal, ui })
  }
  report(result, cli, json)
}

function report(
  { provider, option, models, failure, message }: SignInResult,
  { output }: Cli,
  json: boolean,
): void {
  if (json) {
    const listed = failure ? { modelsError: errorObject(failure).error } : { models: models.length }
    output.json({ type: 'done', provider, option, ...listed })
    return
  }
  const count = models.length === 1 ? '1 model' : `${models.length} models`
  const more = failure ? '' : `: ${count}, see airlock models ${provider}`
  output.line({ text: `Signed in to ${sanitizeLabel(provider)}`, style: 'green' }, more, '.')
  if (message) output.note({ text: sanitizeLabel(message), style: 'dim' })
  if (failure)
    output.note(
      { text: 'airlock:', style: 'yellow' },
      ` The models could not be listed: ${sanitizeLabel(messageOf(failure))}`,
    )
}
