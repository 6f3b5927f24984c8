import type { Command } from 'commander'
import type { ModelInfo } from '../../contract/models.ts'
import { AirlockError } from '../../errors.ts'
import type { Cli } from '../cli.ts'
import { messageOf } from '../error-object.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock } from '../open-airlock.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { formatTable } from '../terminal/table.ts'

export function addModels(program: Command, cli: Cli): void {
  program
    .command('models')
    .description('List the models of every provider, or of one.')
    .argument('[provider]', 'a provider, e.g. openai-compatible')
    .option(...JSON_OPTION)
    .action((provider: string | undefined, options: { json?: true }) => models(cli, provider, options))
}

async function models(cli: Cli, provider: string | undefined, { json }: { json?: true }): Promise<void> {
  const { output, signal } = cli
  await using airlock = await openAirlock(cli)
  const stopSpinner = startSpinner(output, 'asking the providers')
  const { models, failures } = await airlock
    .models(provider === undefined ? {} : { provider }, { signal })
    .finally(stopSpinner)
  signal.throwIfAborted()

  const [failure] = failures
  // One failure alone decides the exit code, e.g. that a sign-in is needed.
  if (models.length === 0 && failure && failures.length === 1) throw failure.error
  for (const { provider, error } of failures)
    output.note(
      { text: 'airlock:', style: 'yellow' },
      ` ${sanitizeLabel(`${provider}: ${messageOf(error)}`)}`,
    )
  if (models.length === 0)
    throw new AirlockError(
      'no-models',
      failure ? 'No provider could list its models.' : await whyNone(airlock),
    )

  if (json) for (const model of models) output.json(model)
  else {
    const rows = models.map(model => [
      model.reference,
      model.name === model.id ? '' : model.name,
      describeTokens(model.maxTokenCount),
      describeCapabilities(model),
    ])
    const headings = ['MODEL', 'NAME', 'CONTEXT', 'CAPABILITIES']
    for (const line of formatTable(headings, rows, output.isTerminal ? { width: output.width } : {}))
      output.line(...line)
  }
}

async function whyNone(airlock: { providers(): Promise<unknown[]> }): Promise<string> {
  const providers = await airlock.providers()
  return providers.length === 0
    ? 'No extension is installed. Begin with: airlock install openai-compatible'
    : 'The provider lists no models: name some with availableModels in the settings.'
}

/** 32768 as `32k`: the thousands of tokens that services themselves speak of. */
function describeTokens(count: number): string {
  if (count <= 0) return ''
  if (count < 1000) return `${count}`
  const isBinary = count % 1024 === 0 && count < 1024 * 1024
  const thousands = Math.round(count / (isBinary ? 1024 : 1000))
  return thousands >= 1000 ? `${(thousands / 1000).toFixed(thousands % 1000 < 50 ? 0 : 1)}M` : `${thousands}k`
}

function describeCapabilities({ capabilities, isDefault }: ModelInfo): string {
  const { supportsTools, supportsImages, supportsFiles, supportsThinking, supportsStructuredOutput } =
    capabilities
  const words = [
    supportsTools && 'tools',
    supportsImages && 'images',
    supportsFiles && 'files',
    supportsThinking && 'thinking',
    supportsStructuredOutput && 'structured output',
    isDefault && '(default)',
  ]
  return words.filter(word => word !== false).join(', ')
}
