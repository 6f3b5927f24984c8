import { type Context, type ModelDefinition, ProviderError } from '@airlock/guest-sdk'
import {
  type GeminiRules,
  type ListedGeminiModel,
  readGeminiModelPage,
  readRejection,
} from '@airlock/guest-sdk/dialects/gemini'
import { listedOrKnown, readPages, withSettings } from '@airlock/guest-sdk/dialects/list-models'
import { DEFAULT_FAST_MODEL, DEFAULT_MODEL, findKnownModel, KNOWN_MODELS } from './models.ts'
import { apiHeaders, apiKey, apiUrl } from './service.ts'

/** Assumed of a model of which neither the table nor the service says it, tokens. */
const ASSUMED_CONTEXT = 1_048_576

/**
 * The models that the service lists for this key, with what is known of them, and those that the user named. Without
 * a key, or where the list cannot be had, the models that are known.
 */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const models = new Map(listed(context).map(model => [model.id, describe(model)]))
  for (const model of named)
    models.set(model.name, withSettings(models.get(model.name) ?? describe({ id: model.name }), model))
  return [...models.values()]
}

/** How the dialect is to treat a model: from the table, with what the user set for it. */
export function rulesOf(model: string, context: Context): Partial<GeminiRules> {
  const named = context.settings()?.availableModels.find(({ name }) => name === model)
  return {
    ...findKnownModel(model)?.rules,
    ...(named?.thinkingBudget !== undefined && { thinkingBudget: named.thinkingBudget }),
  }
}

function listed(context: Context): ListedGeminiModel[] {
  const known = KNOWN_MODELS.map(({ id }): ListedGeminiModel => ({ id }))
  if (apiKey(context) === undefined) return known
  return listedOrKnown(context, 'Google AI', () => askService(context), known)
}

function askService(context: Context): ListedGeminiModel[] {
  return readPages(token => {
    const query = `pageSize=1000${token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`}`
    const response = context.fetch(apiUrl(context, `models?${query}`), { headers: apiHeaders(context) })
    if (!response.ok) throw new ProviderError(readRejection(response))
    return readGeminiModelPage(response.json())
  })
}

function describe(model: ListedGeminiModel): ModelDefinition {
  const known = findKnownModel(model.id)
  const maxOutputTokens = model.maxOutputTokens ?? known?.maxOutputTokens
  return {
    id: model.id,
    name: model.name ?? known?.name ?? model.id,
    family: known?.family,
    maxTokenCount: model.maxTokenCount ?? known?.maxTokenCount ?? ASSUMED_CONTEXT,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: {
      supportsImages: true,
      supportsFiles: true,
      supportsTools: true,
      // The service has no way to hold a model to one call at a time.
      supportsParallelToolCalls: true,
      supportsThinking: model.supportsThinking ?? known !== undefined,
      supportsStructuredOutput: true,
      toolInputFormat: 'json-schema-subset',
    },
    pricing: known?.pricing,
    isDefault: model.id === DEFAULT_MODEL,
    isDefaultFast: model.id === DEFAULT_FAST_MODEL,
  }
}
