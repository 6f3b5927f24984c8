import { isRecord } from '../../is-record.ts'
import type { ModelCapabilities, ModelDefinition, ModelPricing } from '../../models.ts'
import { ProviderError } from '../../provider-error.ts'

/**
 * The input window assumed of a model whose server does not tell, tokens: what current models have at least.
 * Too small a figure would keep callers from what the server can do; it refuses by itself what is too long.
 */
export const ASSUMED_CONTEXT_TOKENS = 128_000

/** What a server that does not say is taken to offer: a request that it cannot serve is its own to refuse. */
const ASSUMED: Partial<ModelCapabilities> = {
  supportsImages: true,
  supportsFiles: true,
  supportsTools: true,
  supportsThinking: true,
  supportsStructuredOutput: true,
}

/** What a server says of one of its models. What it leaves out is absent. */
export interface ListedChatModel {
  id: string
  name?: string
  maxTokenCount?: number
  maxOutputTokens?: number
  capabilities: Partial<ModelCapabilities>
  pricing?: ModelPricing
}

/**
 * The answer of `GET …/models` as models, with what is assumed where the server says nothing.
 * @throws {ProviderError} kind `other` where it is no list of models.
 */
export function readModelList(body: unknown): ModelDefinition[] {
  return readListedModels(body).map(({ capabilities, ...said }) => ({
    ...assumedModel(said.id),
    ...said,
    capabilities: { ...ASSUMED, ...capabilities },
  }))
}

/**
 * Reads the answer of `GET …/models`: `{ data: [...] }`, `{ models: [...] }` or a bare list, of objects or ids.
 * Models that the server marks as made for something else than chat are left out.
 * @throws {ProviderError} kind `other` where it is no list of models.
 */
export function readListedModels(body: unknown): ListedChatModel[] {
  const list = isRecord(body) ? (body.data ?? body.models) : body
  if (!Array.isArray(list)) {
    throw new ProviderError({
      kind: 'other',
      message: `Cannot read the list of models: expected { "data": [...] }, got: ${JSON.stringify(body)?.slice(0, 200)}`,
    })
  }
  const models = new Map<string, ListedChatModel>()
  for (const entry of list) {
    const model = readModel(entry)
    if (model && !models.has(model.id)) models.set(model.id, model)
  }
  return [...models.values()]
}

/** A model of which nothing is known but what the caller adds. */
export function assumedModel(id: string): ModelDefinition {
  return { id, maxTokenCount: ASSUMED_CONTEXT_TOKENS, capabilities: ASSUMED }
}

function readModel(entry: unknown): ListedChatModel | undefined {
  if (typeof entry === 'string') return entry === '' ? undefined : { id: entry, capabilities: {} }
  if (!isRecord(entry)) return undefined
  const id = firstText(entry.id, entry.model, entry.name)
  if (id === undefined || isForOtherUse(entry)) return undefined
  const name = firstText(entry.display_name, entry.name)
  const maxTokenCount = readContext(entry)
  const maxOutputTokens = readMaxOutput(entry)
  const pricing = readPricing(entry)
  return {
    id,
    ...(name !== undefined && name !== id && { name }),
    ...(maxTokenCount !== undefined && { maxTokenCount }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: readCapabilities(entry),
    ...(pricing && { pricing }),
  }
}

/** Integers of US cents per hundred million tokens, as xAI lists them. */
const CENTS_PER_HUNDRED_MILLION = 10_000

function readPricing(entry: Record<string, unknown>): ModelPricing | undefined {
  const input = firstCount(entry.prompt_text_token_price)
  const output = firstCount(entry.completion_text_token_price)
  const cacheRead = firstCount(entry.cached_prompt_text_token_price)
  if (input === undefined || output === undefined) return undefined
  return {
    input: input / CENTS_PER_HUNDRED_MILLION,
    output: output / CENTS_PER_HUNDRED_MILLION,
    ...(cacheRead !== undefined && { cacheRead: cacheRead / CENTS_PER_HUNDRED_MILLION }),
  }
}

/** Each server has its own name for the input window. What it serves counts before what the model was made for. */
function readContext(entry: Record<string, unknown>): number | undefined {
  const top = record(entry.top_provider)
  const meta = record(entry.meta)
  const limits = record(record(entry.capabilities).limits)
  return firstCount(
    entry.loaded_context_length,
    top.context_length,
    entry.context_length,
    entry.max_model_len,
    entry.context_window,
    entry.max_context_length,
    entry.max_context_window_tokens,
    entry.max_input_tokens,
    entry.inputTokenLimit,
    limits.max_context_window_tokens,
    meta.n_ctx,
    meta.n_ctx_train,
    entry.n_ctx,
  )
}

function readMaxOutput(entry: Record<string, unknown>): number | undefined {
  const top = record(entry.top_provider)
  const limits = record(record(entry.capabilities).limits)
  return firstCount(
    top.max_completion_tokens,
    entry.max_completion_tokens,
    entry.max_output_tokens,
    entry.max_output_length,
    entry.outputTokenLimit,
    limits.max_output_tokens,
  )
}

/** Only what the server says. */
function readCapabilities(entry: Record<string, unknown>): Partial<ModelCapabilities> {
  const found: Partial<ModelCapabilities> = {}
  const inputs = record(entry.architecture).input_modalities ?? entry.input_modalities
  if (Array.isArray(inputs)) {
    found.supportsImages = inputs.includes('image')
    found.supportsFiles = inputs.includes('file')
  }
  const parameters = entry.supported_parameters
  if (Array.isArray(parameters)) {
    found.supportsTools = parameters.includes('tools')
    found.supportsThinking = parameters.includes('reasoning') || parameters.includes('include_reasoning')
    found.supportsStructuredOutput = parameters.includes('structured_outputs')
  }
  const flags = record(entry.capabilities)
  if (typeof flags.vision === 'boolean') found.supportsImages = flags.vision
  if (typeof flags.function_calling === 'boolean') found.supportsTools = flags.function_calling
  if (typeof flags.reasoning === 'boolean') found.supportsThinking = flags.reasoning
  return found
}

function isForOtherUse(entry: Record<string, unknown>): boolean {
  const { type, capabilities } = entry
  if (typeof type === 'string' && /^(embeddings?|rerank(er)?|image|audio|moderation|transcribe)$/.test(type))
    return true
  return record(capabilities).completion_chat === false || entry.active === false
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}

function firstCount(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => Number.isSafeInteger(value) && (value as number) > 0)
}
