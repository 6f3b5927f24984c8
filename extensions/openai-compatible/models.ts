import {
  type Context,
  type CustomModel,
  errorFromResponse,
  type ModelDefinition,
  ProviderError,
} from '@airlock/guest-sdk'
import { assumedModel, readModelList } from '@airlock/guest-sdk/dialects/openai-chat'
import { serverHeaders, serverUrl } from './server.ts'

/**
 * The models that the user named, then the others that the server lists. What the user says of a model goes
 * before what the server says of it; a server that lists none is no error while the user named some.
 */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const listed = new Map(askServer(context, named.length > 0).map(model => [model.id, model]))
  const models = named.map(model => describe(model, listed.get(model.name)))
  for (const { name } of named) listed.delete(name)
  return [...models, ...listed.values()]
}

function askServer(context: Context, mayFail: boolean): ModelDefinition[] {
  const url = serverUrl(context, 'models')
  try {
    const response = context.fetch(url, { headers: serverHeaders(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readModelList(response.json())
  } catch (error) {
    if (!mayFail || !(error instanceof ProviderError)) throw error
    context.log.warn(`The server lists no models, so only those of the settings are known: ${error.message}`)
    return []
  }
}

function describe(model: CustomModel, listed: ModelDefinition | undefined): ModelDefinition {
  const { name: id, displayName, maxTokens, maxOutputTokens } = model
  return {
    ...(listed ?? assumedModel(id)),
    maxTokenCount: maxTokens,
    ...(displayName !== undefined && { name: displayName }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}
