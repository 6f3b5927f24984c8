import type { TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { readCount } from '../json-value.ts'
import { mergeCounts, type ReportedCounts } from '../merge-counts.ts'

/**
 * Puts the `usageMetadata` of a chunk over what was known: totals so far, each chunk's replace those before. False
 * where nothing changed.
 *
 * `outputTokens` count the thoughts, which the API reports beside the answer; `inputTokens` what was read from the
 * cache and what tools of the service's own added.
 */
export function mergeUsage(known: TokenUsage, reported: unknown): boolean {
  if (!isRecord(reported)) return false
  const thoughts = readCount(reported.thoughtsTokenCount)
  const found: ReportedCounts = {
    inputTokens: sum(readCount(reported.promptTokenCount), readCount(reported.toolUsePromptTokenCount)),
    outputTokens: sum(readCount(reported.candidatesTokenCount), thoughts),
    cacheReadInputTokens: readCount(reported.cachedContentTokenCount),
    reasoningTokens: thoughts,
    totalTokens: readCount(reported.totalTokenCount),
  }
  return mergeCounts(known, found)
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
}
