import type { ModelInfo } from '../contract/models.ts'
import { resolveHome } from '../home/home.ts'
import type { Airlock } from '../runtime/airlock.ts'
import type { Cli } from './cli.ts'
import { UsageError } from './cli-errors.ts'

/** The alias in the settings that goes before everything. */
const DEFAULT_ALIAS = 'default'
/** More are a list to look at with `airlock models`. */
const MAX_NAMED = 5

/**
 * The model where the user named none: the alias `default`, else the setting `defaults.model`, else the only model
 * there is, else the only one that its provider calls the default.
 * @throws {UsageError} where that leaves none or several; it names some.
 */
export async function chooseModel(airlock: Airlock, { env }: Cli): Promise<string> {
  const { readSettings } = await import('../home/settings.ts')
  const { aliases, defaults: own } = await readSettings(resolveHome({ env }).settingsFile)
  const chosen = aliases[DEFAULT_ALIAS] ?? own?.model
  if (chosen !== undefined) return chosen
  const { models, failures } = await airlock.models()
  const [failure] = failures
  if (models.length === 0 && failure) throw failure.error
  if (models.length === 0)
    throw new UsageError(
      'There is no model yet: install an extension, e.g. airlock install openai-compatible',
    )
  const defaults = models.filter(({ isDefault }) => isDefault)
  const candidates = models.length === 1 ? models : defaults
  const [only] = candidates
  if (only && candidates.length === 1) return only.reference
  throw new UsageError(
    `Which model? Give one with -m, or set one: airlock settings set defaults.model ` +
      `${(defaults[0] ?? models[0])?.reference}. There are ${listSome(models)}.`,
  )
}

function listSome(models: readonly ModelInfo[]): string {
  const named = models.slice(0, MAX_NAMED).map(({ reference }) => reference)
  const others = models.length - named.length
  return named.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
