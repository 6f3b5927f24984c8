import type { TokenUsage } from '../../contract/events.ts'
import { splitInput } from '../../contract/usage.ts'
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
  const { total, uncached: noCache } = splitInput(usage)
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite },
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
  const { total: inputTokens } = splitInput(usage)
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheReadInputTokens !== undefined && { cachedInputTokens: cacheReadInputTokens }),
  }
}

/** What was reported, under Airlock's names. */
function counts(usage: TokenUsage): JsonObject {
  const entries = Object.entries(usage).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  )
  return Object.fromEntries(entries)
}
