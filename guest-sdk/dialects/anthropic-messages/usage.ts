import type { TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { readCount } from '../json-value.ts'
import { mergeCounts, type ReportedCounts } from '../merge-counts.ts'

/**
 * Puts what an event reports over what was known. Counts are totals: a field replaces the one before it, and one
 * that is left out or null keeps its value. False where nothing changed.
 *
 * As the API counts, `inputTokens` leaves out what was read from the cache or written to it: the whole prompt is the
 * sum of the three.
 */
export function mergeUsage(known: TokenUsage, reported: unknown): boolean {
  if (!isRecord(reported)) return false
  const details = isRecord(reported.output_tokens_details) ? reported.output_tokens_details : {}
  const found: ReportedCounts = {
    inputTokens: readCount(reported.input_tokens),
    outputTokens: readCount(reported.output_tokens),
    cacheCreationInputTokens: readCount(reported.cache_creation_input_tokens),
    cacheReadInputTokens: readCount(reported.cache_read_input_tokens),
    reasoningTokens: readCount(details.thinking_tokens),
  }
  return mergeCounts(known, found)
}
