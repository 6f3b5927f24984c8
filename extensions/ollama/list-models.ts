import {
  type Context,
  type CustomModel,
  errorFromResponse,
  type ModelDefinition,
  ProviderError,
} from '@airlock/guest-sdk'
import {
  type OllamaModelDetails,
  type OllamaRules,
  readOllamaModel,
  readOllamaTags,
} from '@airlock/guest-sdk/dialects/ollama-chat'
import { findKnownModel } from './models.ts'
import { apiHeaders, apiKey, apiUrl, ownUrl } from './service.ts'

/** Assumed of a model of which the server does not say it, tokens. */
const ASSUMED_CONTEXT = 32_768
/** Each model is asked for by itself. Of more than these only the names are told. */
const MAX_ASKED = 100

/** The models that the user named, then the others that the server has, each with what the server says of it. */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  // Neither a server nor a key: there is nothing to ask, and nobody asked for it.
  if (ownUrl(context) === undefined && apiKey(context) === undefined)
    return named.map(model => describe(model))
  const names = askNames(context, named)
  const all = [...new Set([...named.map(({ name }) => name), ...names])]
  return all.flatMap((id, at) => {
    const user = named.find(({ name }) => name === id)
    const details = names.includes(id) && at < MAX_ASKED ? askDetails(id, context) : undefined
    return details?.isForOtherUse && !user ? [] : [describe(user ?? { name: id }, details)]
  })
}

/** How the dialect is to treat a model: from the table, with what the user set for it. */
export function rulesOf(model: string, context: Context): Partial<OllamaRules> {
  const named = context.settings()?.availableModels.find(({ name }) => name === model)
  return { ...findKnownModel(model)?.rules, ...(named && { contextTokens: named.maxTokens }) }
}

function askNames(context: Context, named: readonly CustomModel[]): string[] {
  try {
    const response = context.fetch(apiUrl(context, 'tags'), { headers: apiHeaders(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readOllamaTags(response.json())
  } catch (error) {
    if (named.length === 0 || !(error instanceof ProviderError)) throw error
    context.log.warn(`Ollama lists no models, so only those of the settings are known: ${error.message}`)
    return []
  }
}

function askDetails(model: string, context: Context): OllamaModelDetails | undefined {
  try {
    const response = context.fetch(apiUrl(context, 'show'), { headers: apiHeaders(context), body: { model } })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readOllamaModel(response.json())
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    context.log.warn(`Ollama says nothing of the model "${model}": ${error.message}`)
    return undefined
  }
}

function describe(
  user: Pick<CustomModel, 'name'> & Partial<CustomModel>,
  details?: OllamaModelDetails,
): ModelDefinition {
  const { name: id, displayName, maxTokens, maxOutputTokens } = user
  return {
    id,
    ...(displayName !== undefined && { name: displayName }),
    ...(details?.family !== undefined && { family: details.family }),
    maxTokenCount: maxTokens ?? details?.maxTokenCount ?? ASSUMED_CONTEXT,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: {
      supportsImages: true,
      supportsTools: true,
      supportsThinking: true,
      supportsStructuredOutput: true,
      ...details?.capabilities,
      supportsFiles: false,
      supportsToolChoiceAny: false,
      supportsToolChoiceTool: false,
      toolInputFormat: 'json-schema',
    },
  }
}
