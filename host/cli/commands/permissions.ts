import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { describeInstalled } from '../describe-installed.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openExtensions } from '../open-extensions.ts'
import { formatChanges, formatSheet } from '../permission-sheet.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'

interface Options {
  revoke?: string[]
  json?: true
}

export function addPermissions(program: Command, cli: Cli): void {
  program
    .command('permissions')
    .description('Show what an extension may do, or take some of it away.')
    .argument('<extension>', 'its id, as airlock list shows it')
    .option('--revoke <permission...>', 'take away, e.g. network:https://api.example.com')
    .option(...JSON_OPTION)
    .action((id: string, options: Options) => permissions(cli, id, options))
}

async function permissions(cli: Cli, id: string, { revoke = [], json }: Options): Promise<void> {
  const { output } = cli
  const extensions = await openExtensions(cli)
  for (const permission of revoke) await extensions.revoke(id, permission)
  const extension = await extensions.get(id)
  if (json) return output.json(describeInstalled(extension))

  for (const permission of revoke) output.note(`Taken away: ${sanitizeLabel(permission)}`)
  const { manifest, componentBytes, digests } = extension.package
  const { name, version } = manifest
  const subject = { id, name, version, source: extension.source, componentBytes, digests }
  for (const line of formatSheet(subject, extension.granted, output.width)) output.line(...line)
  if (extension.state === 'changed') {
    output.line()
    output.line({ text: sanitizeLabel(extension.problem ?? 'It does not run.'), style: 'yellow' })
    for (const line of formatChanges(subject, extension.changes, output.width)) output.line(...line)
  }
  const { listPermissions } = await import('../../policy/permissions.ts')
  const revocable = listPermissions(extension.granted)
  if (revocable.length > 0 && output.isTerminal)
    output.note({
      text: `Take away with --revoke, e.g. --revoke ${sanitizeLabel(revocable[0] ?? '')}`,
      style: 'dim',
    })
}
