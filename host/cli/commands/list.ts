import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { describeInstalled } from '../describe-installed.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openExtensions } from '../open-extensions.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { formatTable } from '../terminal/table.ts'

export function addList(program: Command, cli: Cli): void {
  program
    .command('list')
    .alias('ls')
    .description('List the installed extensions.')
    .option(...JSON_OPTION)
    .action((options: { json?: true }) => list(cli, options))
}

async function list(cli: Cli, { json }: { json?: true }): Promise<void> {
  const { output } = cli
  const installed = await (await openExtensions(cli)).list()
  if (json) {
    for (const extension of installed) output.json(describeInstalled(extension))
    return
  }
  if (installed.length === 0) {
    output.note('No extension is installed. Begin with: airlock install openai-compatible')
    return
  }
  const rows = installed.map(extension => {
    const { id, version, providers, tools } = extension.package.manifest
    const brings = [...providers, ...tools].map(({ id }) => id)
    return [id, version, brings.join(', '), extension.state]
  })
  const layout = output.isTerminal ? { width: output.width } : {}
  for (const line of formatTable(['EXTENSION', 'VERSION', 'BRINGS', 'STATE'], rows, layout))
    output.line(...line)
  for (const { problem } of installed)
    if (problem !== undefined)
      output.note({ text: 'airlock:', style: 'yellow' }, ` ${sanitizeLabel(problem)}`)
}
