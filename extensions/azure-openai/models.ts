import { type Context, errorFromResponse, type ModelDefinition, ProviderError } from '@airlock/guest-sdk'
import { withSettings } from '@airlock/guest-sdk/dialects/list-models'
import {
  describeOpenAiModel,
  findOpenAiModel,
  OPENAI_MODELS,
  type OpenAiModel,
  type ResponsesOptions,
  readOpenAiModels,
} from '@airlock/guest-sdk/dialects/openai-responses'
import { apiHeaders, deploymentsUrl, SERVICE } from './service.ts'

/**
 * The deployments that the user named, then the others that the resource lists. A resource that lists none is no
 * error while the user named some: newer ones do not.
 */
export function listModels(context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const listed = new Map(askResource(context, named.length > 0).map(model => [model.id, model]))
  const models = named.map(model => {
    const found = listed.get(model.name) ?? describe(model.name, findKnown(model.name, context))
    listed.delete(model.name)
    return withSettings(found, model)
  })
  return [...models, ...listed.values()]
}

/** How the dialect is to treat a deployment: as the model that it runs, where that is known. */
export function optionsFor(deployment: string, context: Context): ResponsesOptions {
  const named = context.settings()?.availableModels.find(({ name }) => name === deployment)
  return {
    service: SERVICE,
    rules: {
      ...findKnown(deployment, context)?.rules,
      ...(named?.thinkingBudget !== undefined && { thinkingBudget: named.thinkingBudget }),
    },
    log: context.log,
  }
}

/** The model that a deployment runs: it has that model's id, or the user says it in `displayName`, as id or as name. */
export function findKnown(deployment: string, context: Context): OpenAiModel | undefined {
  const named = context.settings()?.availableModels.find(({ name }) => name === deployment)
  const said = named?.displayName ?? ''
  return (
    findOpenAiModel(deployment) ?? findOpenAiModel(said) ?? OPENAI_MODELS.find(model => model.name === said)
  )
}

function askResource(context: Context, mayFail: boolean): ModelDefinition[] {
  const url = deploymentsUrl(context)
  try {
    const response = context.fetch(url, { headers: apiHeaders(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readOpenAiModels(response.json()).map(({ id, model = id }) => describe(id, findOpenAiModel(model)))
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (mayFail) {
      context.log.warn(
        `The resource lists no deployments, so only those of the settings are known: ${error.message}`,
      )
      return []
    }
    if (error.kind === 'authentication' || error.kind === 'permission' || error.kind === 'network')
      throw error
    throw new ProviderError({
      ...error,
      message: `The resource lists no deployments (${error.message}). Name them in providers.azure-openai.availableModels of the settings.`,
    })
  }
}

/** What a deployment costs depends on its kind and region, which the service does not tell. */
function describe(id: string, known: OpenAiModel | undefined): ModelDefinition {
  return { ...describeOpenAiModel(id, known), name: id, pricing: undefined }
}
