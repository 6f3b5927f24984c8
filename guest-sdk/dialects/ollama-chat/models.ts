import { isRecord } from '../../is-record.ts'
import type { ModelCapabilities } from '../../models.ts'
import { ProviderError } from '../../provider-error.ts'
import { readCount, readText } from '../json-value.ts'

/** What a server says of one of its models. What it leaves out is absent. */
export interface OllamaModelDetails {
  family?: string
  maxTokenCount?: number
  /** Absent where the server does not tell (before 0.6.4). */
  capabilities?: Partial<ModelCapabilities>
  /** Makes no text, e.g. embeddings only. */
  isForOtherUse: boolean
}

/**
 * The names that `GET /api/tags` lists.
 * @throws {ProviderError} kind `other` where it is no list of models.
 */
export function readOllamaTags(body: unknown): string[] {
  const list = isRecord(body) ? body.models : undefined
  if (!Array.isArray(list)) {
    throw new ProviderError({
      kind: 'other',
      message: `Cannot read the list of models: expected { "models": [...] }, got: ${JSON.stringify(body)?.slice(0, 200)}`,
    })
  }
  const names = list.flatMap(entry =>
    isRecord(entry) ? [readText(entry.model) ?? readText(entry.name)] : [],
  )
  return [...new Set(names.filter(name => name !== undefined))]
}

/** Reads the answer of `POST /api/show`. */
export function readOllamaModel(body: unknown): OllamaModelDetails {
  if (!isRecord(body)) return { isForOtherUse: false }
  const details = isRecord(body.details) ? body.details : {}
  const info = isRecord(body.model_info) ? body.model_info : {}
  const family = readText(details.family)
  // The key begins with the architecture: "qwen3.context_length".
  const [, length] = Object.entries(info).find(([key]) => key.endsWith('.context_length')) ?? []
  const maxTokenCount = readCount(length)
  const can = Array.isArray(body.capabilities) ? body.capabilities : undefined
  return {
    ...(family !== undefined && { family }),
    ...(maxTokenCount && { maxTokenCount }),
    ...(can && {
      capabilities: {
        supportsImages: can.includes('vision'),
        supportsTools: can.includes('tools'),
        supportsThinking: can.includes('thinking'),
      },
    }),
    isForOtherUse: can !== undefined && can.length > 0 && !can.includes('completion'),
  }
}
