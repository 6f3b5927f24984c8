import type { TokenCost, TokenUsage } from './events.ts'
import type { ModelPricing } from './models.ts'

/** The tokens of a prompt, by where the service took them from. */
export interface InputTokens {
  /** The whole prompt. */
  total: number
  /** Neither read from the cache nor written to it. */
  uncached: number
  cacheRead: number
  cacheWrite: number
}

/**
 * Takes the tokens of a prompt apart. Services differ in whether `inputTokens` counts what the cache had: most count
 * it, Anthropic and Bedrock do not. The service's own total tells; those that report none are those that do not.
 */
export function splitInput(usage: TokenUsage): InputTokens {
  const { inputTokens, outputTokens, totalTokens } = usage
  const cacheRead = usage.cacheReadInputTokens ?? 0
  const cacheWrite = usage.cacheCreationInputTokens ?? 0
  const cached = cacheRead + cacheWrite
  const isInside =
    totalTokens !== undefined && totalTokens < inputTokens + outputTokens + cached && cached <= inputTokens
  const total = isInside ? inputTokens : inputTokens + cached
  return { total, uncached: total - cached, cacheRead, cacheWrite }
}

const TOKENS_PER_PRICE = 1_000_000

/** What an answer cost. A price for the cache that is not known is that of other input. */
export function costOf(usage: TokenUsage, pricing: ModelPricing): TokenCost {
  const { uncached, cacheRead, cacheWrite } = splitInput(usage)
  const input = (uncached * pricing.input) / TOKENS_PER_PRICE
  const output = (usage.outputTokens * pricing.output) / TOKENS_PER_PRICE
  const read = (cacheRead * (pricing.cacheRead ?? pricing.input)) / TOKENS_PER_PRICE
  const write = (cacheWrite * (pricing.cacheWrite ?? pricing.input)) / TOKENS_PER_PRICE
  return {
    input,
    output,
    ...(cacheRead > 0 && { cacheRead: read }),
    ...(cacheWrite > 0 && { cacheWrite: write }),
    total: input + output + read + write,
  }
}
