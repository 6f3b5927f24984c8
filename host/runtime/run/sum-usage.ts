import type { TokenUsage } from '../../contract/events.ts'

const OPTIONAL = [
  'cacheCreationInputTokens',
  'cacheReadInputTokens',
  'reasoningTokens',
  'totalTokens',
] as const

/** Both together. What neither reported stays absent. */
export function sumUsage(one: TokenUsage | undefined, other: TokenUsage | undefined): TokenUsage | undefined {
  if (!one || !other) return one ?? other
  const sum: TokenUsage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  }
  for (const key of OPTIONAL)
    if (one[key] !== undefined || other[key] !== undefined) sum[key] = (one[key] ?? 0) + (other[key] ?? 0)
  return sum
}
