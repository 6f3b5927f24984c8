import type { ModelInfo } from '../contract/models.ts'
import { UnknownNameError } from '../errors.ts'
import type { ModelList } from './model-lists.ts'

/** The user's own choice where a request names no model: `<provider>/<model id>`. */
export interface DefaultModels {
  model?: string | undefined
  /** Where a quick, cheap answer is wanted. */
  fast?: string | undefined
}

/**
 * Of several models the one that is meant where none is named: the user's own choice if it is among them, else what
 * the first provider that has one says is its default, else the first.
 */
export function chooseDefault(
  models: readonly ModelInfo[],
  fast: boolean,
  defaults: DefaultModels = {},
): ModelInfo | undefined {
  const own = fast ? defaults.fast : defaults.model
  return (
    models.find(({ reference }) => reference === own) ??
    models.find(({ isDefault, isDefaultFast }) => (fast ? isDefaultFast : isDefault)) ??
    models[0]
  )
}

/** Nothing to choose from: says which providers could not be asked, and what helps. */
export function noDefaultModel({ failures }: Pick<ModelList, 'failures'>, wanted: string): UnknownNameError {
  const reasons = failures.map(({ provider, error }) => `${provider}: ${error.message}`)
  const asked = reasons.length > 0 ? ` (${reasons.join('; ')})` : ''
  return new UnknownNameError(
    'unknown-model',
    `There is no model for ${wanted}${asked}: sign in to a provider, or name one with \`airlock settings set defaults.model <provider>/<model id>\``,
  )
}
