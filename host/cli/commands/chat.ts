import type { Command } from 'commander'
import { resolveHome } from '../../home/home.ts'
import type { Completion } from '../../runtime/completion.ts'
import type { Run } from '../../runtime/run/run.ts'
import type { ConfirmAnswer } from '../../tools/confirmation.ts'
import { type ChatInput, createChatInput } from '../chat/chat-input.ts'
import { type Conversation, createConversation } from '../chat/conversation.ts'
import { runSlashCommand, slashCommandNames } from '../chat/slash-commands.ts'
import { chooseModel } from '../choose-model.ts'
import type { Cli } from '../cli.ts'
import { InterruptedError } from '../cli-errors.ts'
import { createConfirmTool } from '../confirm-tool.ts'
import { errorObject, messageOf } from '../error-object.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock, printLog } from '../open-airlock.ts'
import { createEventPrinter, describeUsage } from '../print-events.ts'
import { createRunPrinter, toRunObject } from '../print-run.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { TOOLS_OPTION, type ToolChoice } from '../tools-option.ts'

interface Options {
  model?: string
  system?: string
  tools?: ToolChoice
  yes?: true
  json?: true
}

export function addChat(program: Command, cli: Cli): void {
  program
    .command('chat')
    .description('Talk with a model. In a pipe, each line is a message.')
    .option('-m, --model <model>', '<provider>/<model>, or an alias from the settings')
    .option('--system <text>', 'instructions for every answer')
    .option(...TOOLS_OPTION)
    .option('-y, --yes', 'run the tools without being asked, unless the settings deny it')
    .option(...JSON_OPTION)
    .action((options: Options) => chat(cli, options))
}

async function chat(cli: Cli, options: Options): Promise<void> {
  const { output, canAsk, signal, env } = cli
  const { readSettings } = await import('../../home/settings.ts')
  const { aliases } = await readSettings(resolveHome({ env }).settingsFile)
  let prompting: ChatInput | undefined
  await using airlock = await openAirlock(cli, {
    log: entry => {
      const print = () => printLog(entry, cli)
      if (prompting) prompting.interject(print)
      else print()
    },
  })
  const model = options.model ?? (await chooseModel(airlock, cli))
  const conversation = createConversation(model, options.system)
  if (canAsk)
    output.note({ text: `${sanitizeLabel(model)}. /help for commands, Ctrl-D to leave.`, style: 'dim' })

  using input = createChatInput(cli, { completions: slashCommandNames })
  prompting = input
  const confirmTool = createConfirmTool(cli, {
    yes: options.yes === true,
    ask: async (question, { signal }) =>
      readAnswer(await input.ask(`${question} [y]es, [a]lways in this chat, [N]o `, signal)),
  })
  for (;;) {
    const message = await input.next()
    signal.throwIfAborted()
    if (message === undefined) break
    if (message.trim() === '') continue
    const stopping = new AbortController()
    using _answering = input.whileAnswering(() => stopping.abort(new InterruptedError()))
    try {
      const isOver = await runSlashCommand(message, { airlock, conversation, output, aliases })
      if (isOver) return
      if (isOver !== undefined) continue
      const abort = AbortSignal.any([signal, stopping.signal])
      const request = conversation.ask(message)
      const how = { stopping: stopping.signal, json: options.json === true }
      if (options.tools) {
        const run = { ...request, tools: options.tools }
        const terms = {
          signal: abort,
          toolInvocationToken: conversation,
          ...(confirmTool && { confirmTool }),
        }
        await answerWithTools(airlock.run(run, terms), conversation, cli, how)
      } else await answer(airlock.complete(request, { signal: abort }), conversation, cli, how)
    } catch (error) {
      // A script wants to know; a person wants to try again.
      if (!canAsk || signal.aborted) throw error
      output.note({ text: 'airlock:', style: 'red' }, ` ${sanitizeLabel(messageOf(error))}`)
      if (options.json) output.json(errorObject(error))
    }
  }
  // Ctrl-D leaves the cursor behind the prompt.
  if (canAsk) output.note()
}

function readAnswer(line: string | undefined): ConfirmAnswer {
  const word = line?.trim().toLowerCase() ?? ''
  if (word === '') return 'deny'
  if ('yes'.startsWith(word)) return 'allow'
  return 'always'.startsWith(word) ? 'allow-session' : 'deny'
}

/** A spinner would draw over what a tool is asked about, so there is none. */
async function answerWithTools(
  run: Run,
  conversation: Conversation,
  { output }: Cli,
  { stopping, json }: { stopping: AbortSignal; json: boolean },
): Promise<void> {
  const printer = createRunPrinter(output)
  try {
    for await (const event of run) {
      if (json) output.json(toRunObject(event))
      else printer.print(event)
      await output.drained()
    }
    const { usage } = await run.result()
    printer.end()
    if (usage && output.hasProgress && !json) output.note({ text: describeUsage(usage), style: 'dim' })
  } catch (error) {
    printer.end()
    if (!stopping.aborted) throw error
    output.note({ text: '(stopped)', style: 'dim' })
  } finally {
    conversation.went(run.messages)
  }
}

async function answer(
  completion: Completion,
  conversation: Conversation,
  { output }: Cli,
  { stopping, json }: { stopping: AbortSignal; json: boolean },
): Promise<void> {
  const stopSpinner = json ? () => {} : startSpinner(output, '')
  const printer = createEventPrinter(output)
  try {
    for await (const event of completion) {
      if (json) output.json(event)
      else {
        if (event.type !== 'started' && event.type !== 'response-metadata') stopSpinner()
        printer.print(event)
      }
      await output.drained()
    }
    const { parts, usage } = await completion.result()
    conversation.answered(parts)
    stopSpinner()
    printer.end()
    if (usage && output.hasProgress && !json) output.note({ text: describeUsage(usage), style: 'dim' })
  } catch (error) {
    stopSpinner()
    printer.end()
    if (!stopping.aborted) {
      conversation.failed()
      throw error
    }
    conversation.stopped(completion.partial)
    output.note({ text: '(stopped)', style: 'dim' })
  }
}
