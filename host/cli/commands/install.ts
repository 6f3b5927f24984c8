import type { Command } from 'commander'
import { agreeOnSheet } from '../agree-on-sheet.ts'
import type { Cli } from '../cli.ts'
import { describeInstalled } from '../describe-installed.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openExtensions } from '../open-extensions.ts'

interface Options {
  yes?: true
  json?: true
}

export function addInstall(program: Command, cli: Cli): void {
  program
    .command('install')
    .description('Install an extension, once you agree to what it may do.')
    .argument('<what>', 'a folder, a .tgz archive, npm:NAME[@VERSION], or a bundled name')
    .option('-y, --yes', 'agree without being asked; for scripts')
    .option(...JSON_OPTION)
    .action((what: string, options: Options) => install(cli, what, options))
}

async function install(cli: Cli, what: string, { yes, json }: Options): Promise<void> {
  const { output, signal } = cli
  const extensions = await openExtensions(cli)
  const installed = await extensions.install(what, {
    agree: sheet => agreeOnSheet(cli, sheet, yes === true),
    signal,
  })
  if (json) return output.json(describeInstalled(installed))
  const { id, version } = installed.package.manifest
  output.line(`Installed ${id} ${version}.`)
}
