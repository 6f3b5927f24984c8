import { type Context, errorFromResponse, type ModelDefinition, ProviderError } from '@airlock/guest-sdk'
import { withSettings } from '@airlock/guest-sdk/dialects/list-models'
import { readModelList } from '@airlock/guest-sdk/dialects/openai-chat'
import {
  describeOpenAiModel,
  findOpenAiModel,
  type ListedOpenAiModel,
  OPENAI_MODELS,
  OPENAI_MODELS_AS_OF,
  readOpenAiModels,
} from '@airlock/guest-sdk/dialects/openai-responses'
import { DEFAULT_FAST_MODEL, DEFAULT_MODEL, SERVICE_OWNERS } from './models.ts'
import { apiHeaders, apiKey, apiUrl, ownServer } from './service.ts'

/**
 * The models that the service lists for this key, with what is known of them, and those that the user named. Without
 * a key, or where the list cannot be had, the models that are known.
 */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const models = new Map(offered(context).map(model => [model.id, model]))
  for (const model of named) {
    const found = models.get(model.name) ?? describeOpenAiModel(model.name)
    models.set(model.name, withSettings(found, model))
  }
  return [...models.values()].map(model => ({
    ...model,
    isDefault: model.id === DEFAULT_MODEL,
    isDefaultFast: model.id === DEFAULT_FAST_MODEL,
  }))
}

function offered(context: Context): ModelDefinition[] {
  const known = () => OPENAI_MODELS.map(({ id }) => describeOpenAiModel(id))
  const isOwnServer = ownServer(context) !== undefined
  if (!isOwnServer && apiKey(context) === undefined) return known()
  try {
    const response = context.fetch(apiUrl(context, 'models'), { headers: apiHeaders(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    const body = response.json()
    // What another server lists it serves, and may say more of.
    if (isOwnServer) return readModelList(body).map(model => ({ ...model, ...describeKnown(model.id) }))
    return readOpenAiModels(body)
      .filter(mayChat)
      .map(({ id }) => describeOpenAiModel(id))
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind === 'authentication' || error.kind === 'permission')
      throw error
    context.log.warn(
      `The service lists no models, so only those known to the extension are offered: ${error.message}`,
    )
    return known()
  }
}

function describeKnown(id: string): Partial<ModelDefinition> {
  return findOpenAiModel(id) ? describeOpenAiModel(id) : {}
}

/**
 * The list holds models for pictures, speech and vectors, too, and does not say which are which. What the table knows
 * chats, and what an organisation made; of what is younger than the table nothing else is known.
 */
function mayChat({ id, owner, createdAt = 0 }: ListedOpenAiModel): boolean {
  if (findOpenAiModel(id)) return true
  return (owner !== undefined && !SERVICE_OWNERS.includes(owner)) || createdAt > OPENAI_MODELS_AS_OF
}
