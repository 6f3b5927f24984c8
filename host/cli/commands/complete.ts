import { type Command, InvalidArgumentError } from 'commander'
import type { RequestInput } from '../build-request.ts'
import { chooseModel } from '../choose-model.ts'
import type { Cli } from '../cli.ts'
import { createConfirmTool } from '../confirm-tool.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock } from '../open-airlock.ts'
import { createRunPrinter, toRunObject } from '../print-run.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { TOOLS_OPTION, type ToolChoice } from '../tools-option.ts'

interface Options {
  model?: string
  request?: string
  system?: string
  maxTokens?: number
  temperature?: number
  tools?: ToolChoice
  yes?: true
  json?: true
}

export function addComplete(program: Command, cli: Cli): void {
  program
    .command('complete')
    .description('Ask a model once and print its answer as it comes.')
    .argument('[prompt]', 'what to ask; without it, standard input')
    .option('-m, --model <model>', '<provider>/<model>, or an alias from the settings')
    .option('--request <file>', 'a request as JSON, "-" for standard input; a prompt is added to it')
    .option('--system <text>', 'instructions put before everything else')
    .option('--max-tokens <count>', 'longest answer, tokens', readCount)
    .option('--temperature <number>', 'how freely the model chooses', readNumber)
    .option(...TOOLS_OPTION)
    .option('-y, --yes', 'run the tools without being asked, unless the settings deny it')
    .option(...JSON_OPTION)
    .action((prompt: string | undefined, options: Options) => complete(cli, prompt, options))
}

async function complete(cli: Cli, prompt: string | undefined, options: Options): Promise<void> {
  const { output, signal } = cli
  const { request: requestFile, json, tools, yes, ...overrides } = options
  const input: RequestInput = {
    ...overrides,
    ...(prompt === undefined ? {} : { prompt }),
    ...(requestFile === undefined ? {} : { requestFile }),
  }
  const { buildRequest } = await import('../build-request.ts')
  const draft = await buildRequest(cli, input)
  await using airlock = await openAirlock(cli)
  const stopSpinner = json ? () => {} : startSpinner(output, 'waiting for the answer')
  const printer = createRunPrinter(output)
  const confirmTool = createConfirmTool(cli, { yes: yes === true, before: stopSpinner })
  try {
    const model = draft.model ?? (await chooseModel(airlock, cli))
    const answering = tools
      ? airlock.run({ ...draft, model, tools }, { signal, ...(confirmTool && { confirmTool }) })
      : airlock.complete({ ...draft, model }, { signal })
    for await (const event of answering) {
      if (json) output.json(toRunObject(event))
      else {
        if (event.type !== 'started' && event.type !== 'response-metadata') stopSpinner()
        printer.print(event)
      }
      await output.drained()
    }
  } finally {
    stopSpinner()
    printer.end()
  }
}

function readCount(text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number above 0.')
  return count
}

function readNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.')
  return number
}
