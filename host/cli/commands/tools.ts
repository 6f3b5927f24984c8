import type { Command } from 'commander'
import { ToolError } from '../../errors.ts'
import type { ConfirmTool } from '../../tools/confirmation.ts'
import type { ToolFilter } from '../../tools/registry.ts'
import { partToText, type ToolResult } from '../../tools/tool-result.ts'
import type { Cli } from '../cli.ts'
import { NotAgreedError, UsageError } from '../cli-errors.ts'
import { createConfirmTool } from '../confirm-tool.ts'
import { messageOf } from '../error-object.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock } from '../open-airlock.ts'
import { readStdin } from '../read-stdin.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { formatTable } from '../terminal/table.ts'

export function addTools(program: Command, cli: Cli): void {
  const tools = program
    .command('tools')
    .description('List the tools of extensions and MCP servers, or call one.')
    .addHelpText(
      'after',
      '\nMCP servers stand in the settings, e.g.\n' +
        '  airlock settings set mcpServers.files.command npx\n' +
        `  airlock settings set mcpServers.files.args '["-y", "@modelcontextprotocol/server-filesystem", "."]'\n` +
        'and so does what runs without a question, or never:\n' +
        '  airlock settings set tools.files_read_file allow',
    )
  tools
    .command('list', { isDefault: true })
    .description('List the tools; what cannot be listed is named.')
    .option('--source <source>', 'only those of one source, e.g. mcp:files, or of a kind: extension, mcp')
    .option(...JSON_OPTION)
    .action((options: ListOptions) => list(cli, options))
  tools
    .command('invoke')
    .description('Call a tool and print what it found.')
    .argument('<tool>', 'its id, as airlock tools shows it')
    .option('--parameters <json>', 'a JSON object; "-" reads it from standard input', '{}')
    .option('-y, --yes', 'run it without being asked, unless the settings deny it')
    .option(...JSON_OPTION)
    .action((id: string, options: InvokeOptions) => invoke(cli, id, options))
}

interface ListOptions {
  source?: string
  json?: true
}

async function list(cli: Cli, { source, json }: ListOptions): Promise<void> {
  const { output, signal } = cli
  await using airlock = await openAirlock(cli)
  const filter = source === undefined ? {} : { source: readSource(source) }
  const stopSpinner = startSpinner(output, 'asking for tools')
  const { tools, failures } = await airlock.tools.list(filter, { signal }).finally(stopSpinner)
  const [failure] = failures
  if (tools.length === 0 && failure && failures.length === 1) throw failure.error
  for (const { source, error } of failures)
    output.note({ text: 'airlock:', style: 'yellow' }, ` ${sanitizeLabel(`${source}: ${messageOf(error)}`)}`)
  if (json) {
    for (const tool of tools) output.json(tool)
    return
  }
  if (tools.length === 0) {
    output.note('There are no tools. Install an extension that brings some, e.g. airlock install calculator')
    return
  }
  const rows = tools.map(({ id, source, readOnly, description }) => [
    id,
    source,
    readOnly ? 'yes' : '',
    firstSentence(description),
  ])
  const headings = ['TOOL', 'SOURCE', 'READ-ONLY', 'DESCRIPTION']
  for (const line of formatTable(headings, rows, output.isTerminal ? { width: output.width } : {}))
    output.line(...line)
}

interface InvokeOptions {
  parameters: string
  yes?: true
  json?: true
}

async function invoke(cli: Cli, id: string, { parameters, yes, json }: InvokeOptions): Promise<void> {
  const { output, signal } = cli
  const given = await readParameters(cli, parameters)
  let isUnanswered = false
  const nobody: ConfirmTool = () => {
    isUnanswered = true
    return 'deny'
  }
  const confirmTool = createConfirmTool(cli, { yes: yes === true }) ?? nobody
  await using airlock = await openAirlock(cli, { confirmTool })
  const result = await airlock.tools.invoke(id, { parameters: given }, signal)
  if (isUnanswered)
    throw new NotAgreedError(
      `The tool "${id}" was not run: it needs your word, and this is no terminal: ` +
        `add --yes, or set tools.${id} to "allow" in the settings`,
    )
  if (result.withheld !== undefined) throw new NotAgreedError(`${result}`)
  if (json) output.json({ tool: id, isError: result.isError, parts: result.parts })
  else print(result, cli)
  if (result.isError)
    throw new ToolError('tool-failed', id, `The tool "${id}" says that it failed: ${result}`)
}

/** What it found is the result; of a failure the error says it. */
function print({ parts, isError }: ToolResult, { output }: Cli): void {
  if (isError) return
  for (const part of parts) {
    const text = partToText(part)
    output.line(text === part.data ? text.replace(/\n$/, '') : `${text} (--json has it)`)
  }
}

async function readParameters(cli: Cli, given: string): Promise<unknown> {
  const text = given === '-' ? await readStdin(cli, 'the parameters to --parameters') : given
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`Cannot use these parameters: they are not JSON: ${reason}`, { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UsageError(
    'Cannot use these parameters: they must be one JSON object, e.g. \'{ "text": "Hello" }\'',
  )
}

function readSource(source: string): NonNullable<ToolFilter['source']> {
  if (source === 'extension' || source === 'mcp') return source
  if (/^(?:extension|mcp):./.test(source)) return source as `mcp:${string}`
  throw new UsageError(
    `There is no source of tools "${source}": write extension:<id> or mcp:<name>, or extension or mcp for all of a kind`,
  )
}

/** Descriptions are written for models, and long. */
function firstSentence(description: string): string {
  const [line = ''] = description.trim().split('\n')
  const end = /[.!?](?=\s)/.exec(line)
  const sentence = end ? line.slice(0, end.index + 1) : line
  return sentence.length > 120 ? `${sentence.slice(0, 119).toWellFormed()}…` : sentence
}
