import type { TokenUsage } from '../../contract/events.ts'
import type { FlatUsage, JsonObject, NestedUsage } from './specification.ts'

/** Usage as versions 3 and 4 want it. Both objects are always there; what was not reported is undefined. */
export function toNestedUsage(usage: TokenUsage | undefined): NestedUsage {
  if (!usage) {
    return {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    }
  }
  const {
    outputTokens,
    cacheReadInputTokens: cacheRead,
    cacheCreationInputTokens: cacheWrite,
    reasoningTokens: reasoning,
  } = usage
  const total = promptTokens(usage)
  return {
    inputTokens: { total, noCache: Math.max(0, total - cachedTokens(usage)), cacheRead, cacheWrite },
    outputTokens: {
      total: outputTokens,
      text: reasoning === undefined ? undefined : Math.max(0, outputTokens - reasoning),
      reasoning,
    },
    raw: counts(usage),
  }
}

/** Usage as version 2 wants it. */
export function toFlatUsage(usage: TokenUsage | undefined): FlatUsage {
  if (!usage) return { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined }
  const { outputTokens, cacheReadInputTokens, reasoningTokens } = usage
  const inputTokens = promptTokens(usage)
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheReadInputTokens !== undefined && { cachedInputTokens: cacheReadInputTokens }),
  }
}

/**
 * The whole prompt. Anthropic and Bedrock leave what the cache held out of their count, OpenAI and Google do not:
 * the total tells, and of those that report none, Anthropic is the one with a cache.
 */
function promptTokens(usage: TokenUsage): number {
  const { inputTokens, outputTokens, totalTokens } = usage
  const cached = cachedTokens(usage)
  const leavesOut = totalTokens === undefined || totalTokens === inputTokens + outputTokens + cached
  return leavesOut ? inputTokens + cached : inputTokens
}

function cachedTokens({ cacheReadInputTokens = 0, cacheCreationInputTokens = 0 }: TokenUsage): number {
  return cacheReadInputTokens + cacheCreationInputTokens
}

/** What was reported, under Airlock's names. */
function counts(usage: TokenUsage): JsonObject {
  const entries = Object.entries(usage).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  )
  return Object.fromEntries(entries)
}
