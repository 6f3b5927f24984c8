import { type Context, type ModelDefinition, ProviderError } from '@airlock/guest-sdk'
import {
  type BedrockModel,
  type ConverseRules,
  readBedrockRejection,
  readFoundationModels,
  readInferenceProfiles,
} from '@airlock/guest-sdk/dialects/bedrock-converse'
import { readPages, withSettings } from '@airlock/guest-sdk/dialects/list-models'
import { DEFAULT_FAST_MODEL, DEFAULT_MODEL, findKnownModel, KNOWN_MODELS } from './models.ts'
import { findIdentity, findRegion, signedRequest } from './service.ts'

/** Assumed of a model of which the table says nothing, tokens; the service does not tell. */
const ASSUMED_CONTEXT = 128_000

/**
 * The models and the inference profiles of the region, with what is known of them, and those that the user named.
 * Without keys or a region, or where the list cannot be had, the models that are known.
 */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const models = new Map(listed(context).map(model => [model.id, describe(model)]))
  markDefaults(models)
  for (const model of named) {
    const found = models.get(model.name) ?? describe({ id: model.name, isOnDemand: true })
    models.set(model.name, withSettings(found, model))
  }
  return [...models.values()]
}

/** How the dialect is to treat a model: from the table, with what the user set for it. */
export function rulesOf(model: string, context: Context): Partial<ConverseRules> {
  const known = findKnownModel(model)
  const named = context.settings()?.availableModels.find(({ name }) => name === model)
  const maxOutputTokens = named?.maxOutputTokens ?? known?.maxOutputTokens
  const { thinking } = known?.rules ?? {}
  const thinkingBudget = named?.thinkingBudget
  return {
    ...known?.rules,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinking?.type === 'anthropic' &&
      thinkingBudget !== undefined && {
        thinking: { type: 'anthropic', rules: { ...thinking.rules, thinkingBudget } },
      }),
  }
}

function listed(context: Context): BedrockModel[] {
  const known = KNOWN_MODELS.map(({ id, profile = id }): BedrockModel => ({ id: profile, isOnDemand: true }))
  if (findIdentity(context) === undefined || findRegion(context) === undefined) return known
  try {
    const models = readFoundationModels(ask(context, '/foundation-models?byOutputModality=TEXT'))
    return [...models.filter(model => model.isOnDemand), ...askProfiles(context, models)]
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind === 'authentication') throw error
    context.log.warn(
      `Amazon Bedrock lists no models, so only those known to the extension are offered: ${error.message}`,
    )
    return known
  }
}

/** Profiles that lead to a model of the list; what else there is makes no text. */
function askProfiles(context: Context, models: readonly BedrockModel[]): BedrockModel[] {
  const byId = new Map(models.map(model => [model.id, model]))
  const profiles = readPages(token => {
    const after = token === undefined ? '' : `&nextToken=${encodeURIComponent(token)}`
    return readInferenceProfiles(ask(context, `/inference-profiles?maxResults=1000${after}`))
  })
  return profiles.flatMap(profile => {
    const model = profile.modelId === undefined ? undefined : byId.get(profile.modelId)
    return model ? [{ ...model, ...profile }] : []
  })
}

function ask(context: Context, path: string): unknown {
  const { url, headers } = signedRequest(context, { plane: 'bedrock', method: 'get', path })
  const response = context.fetch(url, { headers, maxRedirects: 0 })
  if (!response.ok) throw new ProviderError({ ...readBedrockRejection(response), status: response.status })
  return response.json()
}

function describe({ id, name, modelId, supportsImages }: BedrockModel): ModelDefinition {
  const known = findKnownModel(modelId ?? id)
  const forced = known?.rules.forcedTools !== false
  return {
    id,
    name: name ?? known?.name ?? id,
    ...(known && { family: known.family, maxOutputTokens: known.maxOutputTokens, pricing: known.pricing }),
    maxTokenCount: known?.maxTokenCount ?? ASSUMED_CONTEXT,
    capabilities: {
      supportsImages: true,
      supportsFiles: true,
      supportsTools: true,
      supportsToolChoiceAny: forced,
      supportsToolChoiceTool: forced,
      supportsThinking: known?.rules.thinking !== undefined,
      supportsStructuredOutput: known?.rules.structuredOutput === true,
      toolInputFormat: 'json-schema',
      ...known?.capabilities,
      ...(supportsImages !== undefined && { supportsImages }),
    },
  }
}

/** One model of the many ids that it has: that of the table, where the region has it. */
function markDefaults(models: Map<string, ModelDefinition>): void {
  for (const [field, wanted] of [
    ['isDefault', DEFAULT_MODEL],
    ['isDefaultFast', DEFAULT_FAST_MODEL],
  ] as const) {
    const profile = findKnownModel(wanted)?.profile ?? wanted
    const id = models.has(profile)
      ? profile
      : [...models.keys()].find(key => findKnownModel(key)?.id === wanted)
    const model = id === undefined ? undefined : models.get(id)
    if (model) models.set(model.id, { ...model, [field]: true })
  }
}
