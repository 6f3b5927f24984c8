import {
  type Context,
  errorFromResponse,
  type ModelCapabilities,
  type ModelDefinition,
  ProviderError,
} from '@airlock/guest-sdk'
import {
  type ListedModel,
  type MessagesRules,
  readModelPage,
} from '@airlock/guest-sdk/dialects/anthropic-messages'
import { listedOrKnown, readPages, withSettings } from '@airlock/guest-sdk/dialects/list-models'
import { DEFAULT_FAST_MODEL, DEFAULT_MODEL, findKnownModel, KNOWN_MODELS } from './models.ts'
import { apiHeaders, apiKey, apiUrl } from './service.ts'

/** Assumed of a model of which neither the table nor the service says it, tokens. */
const ASSUMED_CONTEXT = 200_000

/**
 * The models that the service lists for this key, with what is known of them, and those that the user named. Without
 * a key, or where the list cannot be had, the models that are known.
 */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const models = new Map(listed(context).map(model => [model.id, describe(model)]))
  for (const model of named) {
    const found = models.get(model.name) ?? describe({ id: model.name, capabilities: {} })
    models.set(model.name, withSettings(found, model))
  }
  return [...models.values()]
}

/** How the dialect is to treat a model: from the table, with what the user set for it. */
export function rulesOf(model: string, context: Context): Partial<MessagesRules> {
  const known = findKnownModel(model)
  const named = context.settings()?.availableModels.find(({ name }) => name === model)
  const maxOutputTokens = named?.maxOutputTokens ?? known?.maxOutputTokens
  return {
    ...known?.rules,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(named?.thinkingBudget !== undefined && { thinkingBudget: named.thinkingBudget }),
  }
}

function listed(context: Context): ListedModel[] {
  const known = KNOWN_MODELS.map(({ id }): ListedModel => ({ id, capabilities: {} }))
  if (apiKey(context) === undefined) return known
  return listedOrKnown(context, 'Anthropic', () => askService(context), known)
}

function askService(context: Context): ListedModel[] {
  const models = readPages(after => {
    const query = `limit=1000${after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`}`
    const response = context.fetch(apiUrl(context, `models?${query}`), { headers: apiHeaders(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readModelPage(response.json())
  })
  const ids = new Set(models.map(({ id }) => id))
  // The service lists the dated ids only, and takes the short ones.
  const short = KNOWN_MODELS.filter(({ id, snapshot }) => snapshot && ids.has(snapshot) && !ids.has(id))
  return [...models, ...short.map(({ id }): ListedModel => ({ id, capabilities: {} }))]
}

function describe(model: ListedModel): ModelDefinition {
  const known = findKnownModel(model.id)
  const maxOutputTokens = model.maxOutputTokens ?? known?.maxOutputTokens
  return {
    id: model.id,
    name: model.name ?? known?.name ?? model.id,
    family: model.family ?? known?.family,
    maxTokenCount: model.maxTokenCount ?? known?.maxTokenCount ?? ASSUMED_CONTEXT,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: { ...capabilitiesOf(known?.rules ?? {}), ...model.capabilities },
    pricing: known?.pricing,
    isDefault: model.id === DEFAULT_MODEL,
    isDefaultFast: model.id === DEFAULT_FAST_MODEL,
  }
}

function capabilitiesOf({
  thinking,
  forcedTools = true,
}: Partial<MessagesRules>): Partial<ModelCapabilities> {
  return {
    supportsImages: true,
    supportsFiles: true,
    supportsTools: true,
    supportsToolChoiceAny: forcedTools,
    supportsToolChoiceTool: forcedTools,
    supportsThinking: thinking !== 'none',
    supportsStructuredOutput: true,
    toolInputFormat: 'json-schema',
  }
}
