import { nearestNames } from '../../contract/nearest-names.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import type { Output } from '../terminal/output.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import type { Conversation } from './conversation.ts'

export interface SlashContext {
  airlock: Airlock
  conversation: Conversation
  output: Output
  /** Short names that the settings give to models. */
  aliases: Readonly<Record<string, string>>
}

interface SlashCommand {
  usage: string
  about: string
  /** Returns true where the chat is over. */
  run(rest: string, context: SlashContext): boolean | Promise<boolean>
}

const commands = new Map<string, SlashCommand>([
  ['/help', { usage: '/help', about: 'this list', run: showHelp }],
  ['/model', { usage: '/model [MODEL]', about: 'show the models, or change to another', run: changeModel }],
  [
    '/system',
    { usage: '/system [TEXT]', about: 'instructions for every answer; without text, none', run: setSystem },
  ],
  ['/clear', { usage: '/clear', about: 'forget what was said', run: clear }],
  ['/exit', { usage: '/exit', about: 'leave (so do Ctrl-D and Ctrl-C twice)', run: () => true }],
  ['/quit', { usage: '/quit', about: 'the same', run: () => true }],
])

export const slashCommandNames: readonly string[] = [...commands.keys()]

/** Runs a line like `/model fast`. Undefined where `line` is a message and no command; else whether the chat is over. */
export async function runSlashCommand(line: string, context: SlashContext): Promise<boolean | undefined> {
  // A path like /etc/hosts is something to talk about.
  const match = /^(\/[a-z]+)(?:\s+(.*))?$/s.exec(line.trim())
  if (!match) return undefined
  const [, name = '', rest = ''] = match
  const command = commands.get(name)
  if (command) return command.run(rest.trim(), context)
  const [nearest] = nearestNames(name, commands.keys())
  context.output.note(
    `There is no ${name}. ${nearest ? `Did you mean ${nearest}?` : '/help lists what there is.'}`,
  )
  return false
}

function showHelp(_: string, { output }: SlashContext): boolean {
  for (const { usage, about } of commands.values()) output.note(`  ${usage.padEnd(16)}${about}`)
  output.note('A line that ends in \\ goes on in the next. Ctrl-C stops an answer.')
  return false
}

async function changeModel(
  name: string,
  { airlock, conversation, output, aliases }: SlashContext,
): Promise<boolean> {
  const { models } = await airlock.models()
  const references = [...Object.keys(aliases), ...models.map(({ reference }) => reference)]
  if (name === '') {
    for (const reference of references)
      output.note(`${reference === conversation.model ? '*' : ' '} ${sanitizeLabel(reference)}`)
    return false
  }
  if (models.length > 0 && !references.includes(name)) {
    const near = nearestNames(name, references)
    output.note(
      `There is no model ${name}. ${near.length > 0 ? `Did you mean ${near.map(sanitizeLabel).join(' or ')}?` : ''}`,
    )
    return false
  }
  conversation.model = name
  output.note(`Now with ${name}.`)
  return false
}

function setSystem(text: string, { conversation, output }: SlashContext): boolean {
  conversation.system = text === '' ? undefined : text
  output.note(text === '' ? 'No instructions any more.' : 'From the next answer on.')
  return false
}

function clear(_: string, { conversation, output }: SlashContext): boolean {
  conversation.clear()
  output.note('Forgotten.')
  return false
}
