import {
  type Context,
  errorFromResponse,
  isObject,
  type ModelDefinition,
  type ModelPricing,
  ProviderError,
} from '@airlock/guest-sdk'
import { assumedModel, readModelList } from '@airlock/guest-sdk/dialects/openai-chat'
import { apiHeaders, apiKey, appHeaders, baseUrl } from './service.ts'

const DEFAULT_MODEL = 'openrouter/auto'

/** The models that OpenRouter lists now, with their prices, then those that the user named and it does not list. */
export function listModels(context: Context): ModelDefinition[] {
  // Everybody may see the list.
  const headers = apiKey(context) === undefined ? appHeaders : apiHeaders(context)
  const response = context.fetch(`${baseUrl(context)}/models`, { headers })
  if (!response.ok) throw new ProviderError(errorFromResponse(response))
  const answer = response.json()
  const entries = isObject(answer) && Array.isArray(answer.data) ? answer.data.filter(isObject) : []
  const prices = new Map(entries.map(entry => [entry.id, readPricing(entry.pricing)]))
  const listed = readModelList(answer).map(model => ({
    ...model,
    family: model.id.split('/')[0],
    pricing: prices.get(model.id),
    isDefault: model.id === DEFAULT_MODEL,
  }))
  const ids = new Set(listed.map(({ id }) => id))
  const named = context.settings()?.availableModels ?? []
  return [
    ...listed,
    ...named
      .filter(({ name }) => !ids.has(name))
      .map(({ name, displayName, maxTokens, maxOutputTokens }) => ({
        ...assumedModel(name),
        maxTokenCount: maxTokens,
        ...(displayName !== undefined && { name: displayName }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      })),
  ]
}

/** Dollars for one token, as text; -1 where the price depends on what is chosen. */
function readPricing(pricing: unknown): ModelPricing | undefined {
  if (!isObject(pricing)) return undefined
  const input = perMillion(pricing.prompt)
  const output = perMillion(pricing.completion)
  if (input === undefined || output === undefined) return undefined
  return {
    input,
    output,
    cacheRead: perMillion(pricing.input_cache_read),
    cacheWrite: perMillion(pricing.input_cache_write),
  }
}

function perMillion(price: unknown): number | undefined {
  const dollars = typeof price === 'string' && price.trim() !== '' ? Number(price) : price
  if (typeof dollars !== 'number' || !Number.isFinite(dollars) || dollars < 0) return undefined
  // 0.0000025 * 1e6 is 2.4999999999999996.
  return Number((dollars * 1e6).toPrecision(12))
}
