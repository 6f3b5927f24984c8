import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openExtensions } from '../open-extensions.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'

export function addRemove(program: Command, cli: Cli): void {
  program
    .command('remove')
    .alias('rm')
    .description('Remove an extension and what it was allowed.')
    .argument('<extension>', 'its id, as airlock list shows it')
    .option(...JSON_OPTION)
    .action((id: string, options: { json?: true }) => remove(cli, id, options))
}

async function remove(cli: Cli, id: string, { json }: { json?: true }): Promise<void> {
  const extensions = await openExtensions(cli)
  await extensions.remove(id)
  if (json) cli.output.json({ id, removed: true })
  else cli.output.line(`Removed ${sanitizeLabel(id)}.`)
}
