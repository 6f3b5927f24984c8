import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { errorObject, messageOf } from '../error-object.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock } from '../open-airlock.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'

export function addLogout(program: Command, cli: Cli): void {
  program
    .command('logout')
    .description('Sign out of a provider: its key is removed from this machine.')
    .argument('<provider>', 'a provider, e.g. openrouter')
    .option(...JSON_OPTION)
    .action((provider: string, options: { json?: true }) => logout(cli, provider, options))
}

async function logout(cli: Cli, provider: string, { json }: { json?: true }): Promise<void> {
  const { output, signal } = cli
  await using airlock = await openAirlock(cli)
  const { wasSignedIn, failure, provider: reference } = await airlock.signOut(provider, { signal })
  if (json)
    output.json({ provider: reference, wasSignedIn, ...(failure && { problem: errorObject(failure).error }) })
  else if (wasSignedIn) output.line(`Signed out of ${sanitizeLabel(reference)}.`)
  else output.line(`Nobody was signed in to ${sanitizeLabel(reference)}.`)
  if (failure)
    output.note(
      { text: 'airlock:', style: 'yellow' },
      ` The key is gone from this machine, but the extension failed: ${sanitizeLabel(messageOf(failure))}`,
    )
}
