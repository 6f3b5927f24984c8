import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import { readText } from '../json-value.ts'

/** What the service says of a model or of an inference profile. */
export interface BedrockModel {
  id: string
  name?: string
  /** Of a profile: the model that it leads to. */
  modelId?: string
  supportsImages?: boolean
  /** It can be asked by its own id; else only through a profile. */
  isOnDemand: boolean
}

/**
 * Reads the answer of `GET /foundation-models`: models that write text, as a stream, and are not withdrawn.
 * @throws {ProviderError} kind `other` where it is no list of models.
 */
export function readFoundationModels(body: unknown): BedrockModel[] {
  return listIn(body, 'modelSummaries').flatMap(entry => {
    const id = readText(entry.modelId)
    const { outputModalities, inputModalities, responseStreamingSupported, inferenceTypesSupported } = entry
    if (id === undefined || responseStreamingSupported === false) return []
    if (Array.isArray(outputModalities) && !outputModalities.includes('TEXT')) return []
    const name = readText(entry.modelName)
    return [
      {
        id,
        ...(name !== undefined && { name }),
        ...(Array.isArray(inputModalities) && { supportsImages: inputModalities.includes('IMAGE') }),
        isOnDemand: !Array.isArray(inferenceTypesSupported) || inferenceTypesSupported.includes('ON_DEMAND'),
      },
    ]
  })
}

/**
 * Reads a page of `GET /inference-profiles`. `next` is the token of the page behind it, where there is one.
 * @throws {ProviderError} kind `other` where it is no list of profiles.
 */
export function readInferenceProfiles(body: unknown): { models: BedrockModel[]; next?: string } {
  const models = listIn(body, 'inferenceProfileSummaries').flatMap((entry): BedrockModel[] => {
    const id = readText(entry.inferenceProfileId)
    if (id === undefined || (entry.status !== undefined && entry.status !== 'ACTIVE')) return []
    const name = readText(entry.inferenceProfileName)
    const [target] = Array.isArray(entry.models) ? entry.models : []
    const arn = isRecord(target) ? readText(target.modelArn) : undefined
    const modelId = arn?.slice(arn.lastIndexOf('/') + 1)
    return [
      {
        id,
        ...(name !== undefined && { name }),
        ...(modelId !== undefined && { modelId }),
        isOnDemand: true,
      },
    ]
  })
  const next = isRecord(body) ? readText(body.nextToken) : undefined
  return { models, ...(next !== undefined && { next }) }
}

function listIn(body: unknown, field: string): Record<string, unknown>[] {
  const list = isRecord(body) ? body[field] : undefined
  if (Array.isArray(list)) return list.filter(isRecord)
  throw new ProviderError({
    kind: 'other',
    message: `Cannot read the list of models: expected { "${field}": [...] }, got: ${JSON.stringify(body)?.slice(0, 200)}`,
  })
}
