import { isRecord } from '../../is-record.ts'
import type { ModelCapabilities } from '../../models.ts'
import { ProviderError } from '../../provider-error.ts'
import { readCount, readText } from '../json-value.ts'

/** What the service says of one of its models. What it leaves out is absent. */
export interface ListedModel {
  id: string
  name?: string
  family?: string
  maxTokenCount?: number
  maxOutputTokens?: number
  capabilities: Partial<ModelCapabilities>
}

/**
 * Reads a page of `GET …/models`. `next` is the id to ask on after, where there is more.
 * @throws {ProviderError} kind `other` where it is no list of models.
 */
export function readModelPage(body: unknown): { models: ListedModel[]; next?: string } {
  const data = isRecord(body) ? body.data : undefined
  if (!isRecord(body) || !Array.isArray(data)) {
    throw new ProviderError({
      kind: 'other',
      message: `Cannot read the list of models: expected { "data": [...] }, got: ${JSON.stringify(body)?.slice(0, 200)}`,
    })
  }
  const models = data.flatMap(entry => readModel(entry))
  const last = readText(body.last_id) ?? models.at(-1)?.id
  return { models, ...(body.has_more === true && last !== undefined && { next: last }) }
}

function readModel(entry: unknown): ListedModel[] {
  if (!isRecord(entry)) return []
  const id = readText(entry.id)
  if (id === undefined || entry.lifecycle === 'retired') return []
  const name = readText(entry.display_name)
  const line = readText(entry.line)
  const maxTokenCount = readCount(entry.max_input_tokens)
  const maxOutputTokens = readCount(entry.max_tokens)
  return [
    {
      id,
      ...(name !== undefined && { name }),
      ...(line !== undefined && { family: `claude-${line}` }),
      ...(maxTokenCount && { maxTokenCount }),
      ...(maxOutputTokens && { maxOutputTokens }),
      capabilities: readCapabilities(entry.capabilities),
    },
  ]
}

function readCapabilities(capabilities: unknown): Partial<ModelCapabilities> {
  if (!isRecord(capabilities)) return {}
  const found: Partial<ModelCapabilities> = {}
  const supports = (name: string): boolean | undefined => {
    const capability = capabilities[name]
    return isRecord(capability) && typeof capability.supported === 'boolean'
      ? capability.supported
      : undefined
  }
  const images = supports('image_input')
  const files = supports('pdf_input')
  const thinking = supports('thinking')
  const structured = supports('structured_outputs')
  if (images !== undefined) found.supportsImages = images
  if (files !== undefined) found.supportsFiles = files
  if (thinking !== undefined) found.supportsThinking = thinking
  if (structured !== undefined) found.supportsStructuredOutput = structured
  return found
}
