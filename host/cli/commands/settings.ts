import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { AirlockError, InvalidFileError } from '../../errors.ts'
import { resolveHome } from '../../home/home.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../cli-errors.ts'
import { JSON_OPTION } from '../json-option.ts'
import { parseKey } from '../parse-key.ts'

export function addSettings(program: Command, cli: Cli): void {
  const settings = program
    .command('settings')
    .description('Show the settings, or change one.')
    .option(...JSON_OPTION)
    .action((options: Options) => show(cli, options))
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  airlock settings set providers.openai-compatible.apiUrl http://127.0.0.1:8080/v1\n' +
        '  airlock settings set aliases.default openai-compatible/my-model\n' +
        '  airlock settings get \'aliases."name.with.dots"\'',
    )
  settings
    .command('get')
    .description('Print one value.')
    .argument('<key>', 'e.g. providers.openai-compatible.apiUrl')
    .option(...JSON_OPTION)
    .action((key: string, _: Options, command: Command) => get(cli, key, command.optsWithGlobals()))
  settings
    .command('set')
    .description('Set one value: JSON, or else a string.')
    .argument('<key>', 'e.g. providers.openai-compatible.apiUrl')
    .argument('<value>', 'e.g. http://127.0.0.1:8080/v1, 100, \'["A", "B"]\'')
    .option(...JSON_OPTION)
    .action((key: string, value: string, _: Options, command: Command) =>
      change(cli, key, readValue(value), command.optsWithGlobals()),
    )
  settings
    .command('unset')
    .description('Take one value out.')
    .argument('<key>', 'e.g. aliases.default')
    .option(...JSON_OPTION)
    .action((key: string, _: Options, command: Command) =>
      change(cli, key, undefined, command.optsWithGlobals()),
    )
}

interface Options {
  json?: true
}

async function show({ env, output }: Cli, { json }: Options): Promise<void> {
  const { settingsFile: file } = resolveHome({ env })
  const { readSettings } = await import('../../home/settings.ts')
  const settings = await readSettings(file)
  if (json) return output.json({ file, settings })
  output.line({ text: file, style: 'dim' })
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined)
    output.note({ text: '(there is no such file yet: these are the defaults)', style: 'dim' })
  output.line((text ?? JSON.stringify(settings, null, 2)).trimEnd())
}

async function get({ env, output }: Cli, key: string, { json }: Options): Promise<void> {
  const { settingsFile: file } = resolveHome({ env })
  const { readSettings } = await import('../../home/settings.ts')
  let value: unknown = await readSettings(file)
  for (const part of parseKey(key))
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? Reflect.get(value, part)
        : undefined
  if (value === undefined) throw new AirlockError('not-set', `${key} is not set in ${file}`)
  if (json) output.json({ key, value })
  else output.line(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}

async function change({ env, output }: Cli, key: string, value: unknown, { json }: Options): Promise<void> {
  const { settingsFile: file } = resolveHome({ env })
  const { readSettings, writeSetting } = await import('../../home/settings.ts')
  // A file that was broken before is not the fault of this command line.
  await readSettings(file)
  try {
    await writeSetting(file, parseKey(key), value)
  } catch (cause) {
    if (!(cause instanceof InvalidFileError)) throw cause
    throw new UsageError(`Cannot set ${key}: ${cause.message.replace(`${file}: `, '')}`, { cause })
  }
  if (json) output.json({ key, ...(value === undefined ? {} : { value }) })
  else output.note({ text: `${value === undefined ? 'Taken out of' : 'Written to'} ${file}`, style: 'dim' })
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is a string: nobody wants to quote an address twice.
    return text
  }
}
