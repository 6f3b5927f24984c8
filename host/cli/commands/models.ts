import type { Command } from 'commander'
import type { ModelInfo } from '../../contract/models.ts'
import { AirlockError } from '../../errors.ts'
import type { ModelFilter } from '../../runtime/model-filter.ts'
import type { Cli } from '../cli.ts'
import { messageOf } from '../error-object.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock } from '../open-airlock.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { formatTable } from '../terminal/table.ts'

interface Options {
  family?: string
  capability?: string[]
  json?: true
}

// Not checked here: who chooses by it refuses what there is not, and says what there is.
type Capability = Extract<ModelFilter['capability'], string>

export function addModels(program: Command, cli: Cli): void {
  program
    .command('models')
    .description('List the models of every provider, or of one.')
    .argument('[provider]', 'a provider, e.g. openai-compatible')
    .option('--family <family>', 'only models of this family')
    .option('--capability <name>', 'only models that can do this, e.g. tools or structured-output', addTo)
    .option(...JSON_OPTION)
    .action((provider: string | undefined, options: Options) => models(cli, provider, options))
}

async function models(cli: Cli, provider: string | undefined, options: Options): Promise<void> {
  const { output, signal } = cli
  const { json, family, capability = [] } = options
  const isFiltered = family !== undefined || capability.length > 0
  await using airlock = await openAirlock(cli)
  const stopSpinner = startSpinner(output, 'asking the providers')
  const { models, failures } = await airlock
    .models(
      {
        ...(provider !== undefined && { provider }),
        ...(family !== undefined && { family }),
        ...(capability.length > 0 && { capability: capability.map(toCapability) }),
      },
      { signal },
    )
    .finally(stopSpinner)
  signal.throwIfAborted()

  const [failure] = failures
  const asked = provider === undefined ? (await airlock.providers()).length : 1
  const hasAnswer = isFiltered && asked > failures.length
  // One failure alone decides the exit code, e.g. that a sign-in is needed.
  if (models.length === 0 && failure && failures.length === 1 && !hasAnswer) throw failure.error
  for (const { provider, error } of failures)
    output.note(
      { text: 'airlock:', style: 'yellow' },
      ` ${sanitizeLabel(`${provider}: ${messageOf(error)}`)}`,
    )
  if (models.length === 0)
    throw new AirlockError(
      'no-models',
      hasAnswer
        ? 'No model fits: ask for less with --family and --capability.'
        : failure
          ? 'No provider could list its models.'
          : await whyNone(airlock),
    )

  if (json) for (const model of models) output.json(model)
  else {
    const hasPrices = models.some(({ pricing }) => pricing !== undefined)
    const rows = models.map(model => [
      model.reference,
      model.name === model.id ? '' : model.name,
      describeTokens(model.maxTokenCount),
      ...(hasPrices ? [describePrice(model)] : []),
      describeCapabilities(model),
    ])
    const price = hasPrices ? ['PRICE PER M TOKENS'] : []
    const headings = ['MODEL', 'NAME', 'CONTEXT', ...price, 'CAPABILITIES']
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

/** What goes in and what comes out, in US dollars; nothing where it is not known, which is not free. */
function describePrice({ pricing }: ModelInfo): string {
  if (!pricing) return ''
  if (pricing.input === 0 && pricing.output === 0) return 'free'
  const dollars = (price: number) => `$${Number(price.toPrecision(4))}`
  return `${dollars(pricing.input)} in, ${dollars(pricing.output)} out`
}

/** An option that may be given several times; one that takes several names would take the provider for one. */
function addTo(name: string, names: string[] = []): string[] {
  return [...names, name]
}

/** `structured-output` as `supportsStructuredOutput`, which may be written as it is, too. */
function toCapability(name: string): Capability {
  if (name.startsWith('supports')) return name as Capability
  const words = name.split('-').map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return `supports${words.join('')}` as Capability
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
