import type { Context, CustomModel } from '../../context.ts'
import { errorFromResponse } from '../../http-error.ts'
import type { ModelDefinition } from '../../models.ts'
import { ProviderError } from '../../provider-error.ts'
import { needsKey, ownUrl, serviceEndpoint, serviceHeaders, serviceKey } from './ask-service.ts'
import { type ChatService, findKnownModel } from './chat-service.ts'
import { assumedModel, type ListedChatModel, readListedModels } from './models.ts'

/**
 * The models that the user named, then the others that the service lists, with what is known of them. What the user
 * says of a model goes before what the service says of it, and that before the table. Without a key the table is
 * all there is; so it is where the list cannot be had, unless there is nothing to offer then.
 */
export function listChatModels(service: ChatService, context: Context): ModelDefinition[] {
  const named = context.settings()?.availableModels ?? []
  const listed = new Map(listedModels(service, context, named).map(model => [model.id, model]))
  const models = named.map(model => describeNamed(service, model, listed.get(model.name)))
  for (const { name } of named) listed.delete(name)
  return [...models, ...[...listed.values()].map(model => describe(service, model))]
}

function listedModels(
  service: ChatService,
  context: Context,
  named: readonly CustomModel[],
): readonly ListedChatModel[] {
  const known = (service.models ?? []).map(({ id }): ListedChatModel => ({ id, capabilities: {} }))
  const isSetUp = service.apiUrl !== undefined || ownUrl(context) !== undefined
  const lacksKey = needsKey(service, context) && serviceKey(service, context) === undefined
  if (service.isPreset && (!isSetUp || lacksKey)) return []
  if (service.modelList === 'none' || lacksKey) return known
  try {
    return withAliases(service, askService(service, context))
  } catch (error) {
    if (!(error instanceof ProviderError) || !mayPass(error, isSetUp)) throw error
    if (known.length + named.length === 0) throw error
    const offered = known.length > 0 ? 'the extension' : 'the settings'
    context.log.warn(
      `${service.name} lists no models, so only those of ${offered} are known: ${error.message}`,
    )
    return known
  }
}

/** A wrong key is worth an error, and so is a server that nobody named. */
function mayPass({ kind }: ProviderError, isSetUp: boolean): boolean {
  return isSetUp && kind !== 'authentication' && kind !== 'permission'
}

function askService(service: ChatService, context: Context): ListedChatModel[] {
  const { modelList = 'models', otherUses = [] } = service
  const endpoint = modelList === 'none' ? 'models' : modelList
  const response = context.fetch(serviceEndpoint(service, context, endpoint), {
    headers: serviceHeaders(service, context),
  })
  if (!response.ok) throw new ProviderError(errorFromResponse(response))
  return readListedModels(response.json()).filter(({ id }) => !otherUses.includes(id))
}

/** Of a model that the service lists under another id, the table's own id counts too. */
function withAliases(service: ChatService, listed: readonly ListedChatModel[]): ListedChatModel[] {
  const ids = new Set(listed.map(({ id }) => id))
  const more = (service.models ?? []).flatMap(({ id, aliases = [] }) => {
    const twin = ids.has(id) ? undefined : listed.find(model => aliases.includes(model.id))
    return twin ? [{ ...twin, id }] : []
  })
  return [...listed, ...more]
}

function describe(service: ChatService, said: ListedChatModel): ModelDefinition {
  const known = findKnownModel(service, said.id)
  const assumed = assumedModel(said.id)
  const name = said.name ?? known?.name
  const maxOutputTokens = said.maxOutputTokens ?? known?.maxOutputTokens
  const pricing = said.pricing ?? known?.pricing
  const { forcedTools } = { ...service.quirks, ...known?.quirks }
  return {
    ...assumed,
    ...(name !== undefined && { name }),
    ...(known?.family !== undefined && { family: known.family }),
    maxTokenCount: said.maxTokenCount ?? known?.maxTokenCount ?? assumed.maxTokenCount,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: {
      ...assumed.capabilities,
      ...(forcedTools === 'never' && { supportsToolChoiceAny: false, supportsToolChoiceTool: false }),
      ...service.capabilities,
      ...known?.capabilities,
      ...said.capabilities,
    },
    ...(pricing && { pricing }),
    ...(known?.isDefault && said.id === known.id && { isDefault: true }),
    ...(known?.isDefaultFast && said.id === known.id && { isDefaultFast: true }),
  }
}

function describeNamed(
  service: ChatService,
  model: CustomModel,
  listed: ListedChatModel | undefined,
): ModelDefinition {
  const { name: id, displayName, maxTokens, maxOutputTokens } = model
  return {
    ...describe(service, listed ?? { id, capabilities: {} }),
    maxTokenCount: maxTokens,
    ...(displayName !== undefined && { name: displayName }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}
