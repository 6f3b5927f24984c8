import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { type Cli, createCli } from './cli.ts'
import { UsageError } from './cli-errors.ts'
import { addChat } from './commands/chat.ts'
import { addComplete } from './commands/complete.ts'
import { addDemo } from './commands/demo.ts'
import { addInstall } from './commands/install.ts'
import { addList } from './commands/list.ts'
import { addLogin } from './commands/login.ts'
import { addLogout } from './commands/logout.ts'
import { addModels } from './commands/models.ts'
import { addPermissions } from './commands/permissions.ts'
import { addRemove } from './commands/remove.ts'
import { addSettings } from './commands/settings.ts'
import { addStatus } from './commands/status.ts'
import { addTools } from './commands/tools.ts'
import { errorObject, messageOf } from './error-object.ts'
import { EXIT, type ExitCode, exitCodeOf } from './exit-code.ts'
import { signInHint } from './sign-in-hint.ts'
import { sanitizeLabel } from './terminal/sanitize.ts'

/** In the order that `airlock --help` shows. What a command needs to run it loads then, so that help does not wait. */
const commands = [
  addInstall,
  addList,
  addRemove,
  addPermissions,
  addLogin,
  addLogout,
  addStatus,
  addModels,
  addTools,
  addComplete,
  addChat,
  addSettings,
  addDemo,
]

/** Runs one command line, without node and script, and leaves the result in `process.exitCode`. Never rejects. */
export async function main(argv: string[]): Promise<void> {
  const cli = createCli(process)
  process.exitCode = await run(argv, cli)
}

async function run(argv: string[], cli: Cli): Promise<ExitCode> {
  const { output } = cli
  const program = new Command('airlock')
    .description(
      'Language-model providers in a sandbox: the host holds the keys, the provider holds nothing.',
    )
    .version(packageJson.version, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: text => output.write(text),
      writeErr: text => output.aside(text),
      // Errors are printed below, all in one way.
      outputError: () => {},
      getOutHelpWidth: () => output.width,
      getErrHelpWidth: () => output.width,
      // Styling would come as escape sequences, which output does not let through.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      '\nEvery command takes --json and --help. Exit codes: 0 done, 1 failed, 2 wrong usage,\n' +
        '3 sign-in needed, 4 permission missing, 130 interrupted.',
    )
  for (const add of commands) add(program, cli)

  try {
    await program.parseAsync(argv, { from: 'user' }).catch(error => {
      // Help that was asked for.
      if (!(error instanceof CommanderError && error.exitCode === 0)) throw error
    })
    // A write that failed says so a turn later: what was not written must not look written.
    await output.drained()
    await nextTurn()
    cli.signal.throwIfAborted()
    return EXIT.done
  } catch (thrown) {
    // The overview has been shown in place of a message.
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT.wrongUsage
    const { aborted, reason } = cli.signal
    const error = aborted
      ? reason
      : thrown instanceof CommanderError
        ? usageError(thrown, program, argv)
        : thrown
    // A hint that cannot be had must not hide the error.
    const hint = await signInHint(cli, error).catch(() => undefined)
    report(error, hint, cli, argv)
    return exitCodeOf(error)
  }
}

function usageError(error: CommanderError, program: Command, argv: readonly string[]): UsageError {
  const sentence = sanitizeLabel(error.message).replace(/^error: /, '')
  const named = argv.find(word => !word.startsWith('-'))
  const command = program.commands.find(candidate => candidate.name() === named)
  const help = command ? `airlock ${command.name()} --help` : 'airlock --help'
  return new UsageError(`${sentence} (see: ${help})`, { cause: error })
}

function report(
  error: unknown,
  hint: string | undefined,
  { env, output }: Cli,
  argv: readonly string[],
): void {
  const code = exitCodeOf(error)
  if (code === EXIT.done) return
  // A terminal has shown ^C; a line more would say nothing.
  if (code !== EXIT.interrupted)
    output.note(
      { text: 'airlock:', style: 'red' },
      ` ${sanitizeLabel(messageOf(error))}`,
      hint ? ` (${hint})` : '',
    )
  if (env.AIRLOCK_DEBUG) output.note(inspect(error))
  if (wantsJson(argv)) output.json(errorObject(error))
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).includes('--json')
}
