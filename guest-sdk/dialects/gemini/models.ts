import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import { readCount, readText } from '../json-value.ts'

/** What the service says of one of its models. What it leaves out is absent. */
export interface ListedGeminiModel {
  id: string
  name?: string
  maxTokenCount?: number
  maxOutputTokens?: number
  supportsThinking?: boolean
}

/**
 * Reads a page of `GET …/models`: those that generate content. `next` is the token of the next page.
 * @throws {ProviderError} kind `other` where it is no list of models.
 */
export function readGeminiModelPage(body: unknown): { models: ListedGeminiModel[]; next?: string } {
  const list = isRecord(body) ? body.models : undefined
  if (!isRecord(body) || !Array.isArray(list)) {
    throw new ProviderError({
      kind: 'other',
      message: `Cannot read the list of models: expected { "models": [...] }, got: ${JSON.stringify(body)?.slice(0, 200)}`,
    })
  }
  const next = readText(body.nextPageToken)
  return { models: list.flatMap(entry => readModel(entry)), ...(next !== undefined && { next }) }
}

function readModel(entry: unknown): ListedGeminiModel[] {
  if (!isRecord(entry)) return []
  const id = readText(entry.name)?.replace(/^models\//, '')
  const methods = entry.supportedGenerationMethods
  if (id === undefined || (Array.isArray(methods) && !methods.includes('generateContent'))) return []
  const name = readText(entry.displayName)
  const maxTokenCount = readCount(entry.inputTokenLimit)
  const maxOutputTokens = readCount(entry.outputTokenLimit)
  return [
    {
      id,
      ...(name !== undefined && { name }),
      ...(maxTokenCount && { maxTokenCount }),
      ...(maxOutputTokens && { maxOutputTokens }),
      ...(typeof entry.thinking === 'boolean' && { supportsThinking: entry.thinking }),
    },
  ]
}
