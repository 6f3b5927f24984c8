import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import { readCount, readText } from '../json-value.ts'

/** What a list says of one of its models. What it leaves out is absent. */
export interface ListedOpenAiModel {
  id: string
  /** The model that a deployment runs. */
  model?: string
  /** Milliseconds since 1970. */
  createdAt?: number
  /** Who it belongs to: the service itself, or the organisation that made it. */
  owner?: string
}

/**
 * Reads the answer of `GET …/models`, or of a list of deployments. Left out is what says of itself that it does not
 * chat or is not ready.
 * @throws {ProviderError} kind `other` where it is no list.
 */
export function readOpenAiModels(body: unknown): ListedOpenAiModel[] {
  const list = isRecord(body) ? body.data : undefined
  if (!Array.isArray(list)) {
    throw new ProviderError({
      kind: 'other',
      message: `Cannot read the list of models: expected { "data": [...] }, got: ${JSON.stringify(body)?.slice(0, 200)}`,
    })
  }
  const models = new Map<string, ListedOpenAiModel>()
  for (const model of list.flatMap(readModel)) if (!models.has(model.id)) models.set(model.id, model)
  return [...models.values()]
}

function readModel(entry: unknown): ListedOpenAiModel[] {
  if (!isRecord(entry)) return []
  const id = readText(entry.id)
  const { capabilities, status } = entry
  if (id === undefined || (typeof status === 'string' && status !== 'succeeded')) return []
  if (isRecord(capabilities) && capabilities.chat_completion === false) return []
  const model = readText(entry.model)
  const created = readCount(entry.created) ?? readCount(entry.created_at)
  const owner = readText(entry.owned_by)
  return [
    {
      id,
      ...(model !== undefined && { model }),
      ...(created && { createdAt: created * 1000 }),
      ...(owner !== undefined && { owner }),
    },
  ]
}
