import {
  type Context,
  type CustomModel,
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
import { DEFAULT_FAST_MODEL, DEFAULT_MODEL, findKnownModel, KNOWN_MODELS } from './models.ts'
import { apiHeaders, apiKey, apiUrl } from './service.ts'

/** Assumed of a model of which neither the table nor the service says it, tokens. */
const ASSUMED_CONTEXT = 200_000
/** A list that goes on for ever is broken. */
const MAX_PAGES = 20

/**
 * The models that the service lists for this key, with what is known of them, and those that the user named. Without
 * a key, or where the list cannot be had, the models that are known.
 */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const models = new Map(listed(context).map(model => [model.id, describe(model)]))
  for (const model of named) models.set(model.name, describeNamed(model, models.get(model.name)))
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
  try {
    const models = askService(context)
    const ids = new Set(models.map(({ id }) => id))
    // The service lists the dated ids only, and takes the short ones.
    const short = KNOWN_MODELS.filter(({ id, snapshot }) => snapshot && ids.has(snapshot) && !ids.has(id))
    return [...models, ...short.map(({ id }): ListedModel => ({ id, capabilities: {} }))]
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind === 'authentication' || error.kind === 'permission')
      throw error
    context.log.warn(
      `Anthropic lists no models, so only those known to the extension are offered: ${error.message}`,
    )
    return known
  }
}

function askService(context: Context): ListedModel[] {
  const models: ListedModel[] = []
  let after: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `limit=1000${after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`}`
    const response = context.fetch(apiUrl(context, `models?${query}`), { headers: apiHeaders(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    const { models: more, next } = readModelPage(response.json())
    models.push(...more)
    if (next === undefined || next === after) break
    after = next
  }
  return models
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

function describeNamed(model: CustomModel, found: ModelDefinition | undefined): ModelDefinition {
  const { name: id, displayName, maxTokens, maxOutputTokens } = model
  return {
    ...(found ?? describe({ id, capabilities: {} })),
    maxTokenCount: maxTokens,
    ...(displayName !== undefined && { name: displayName }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
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
