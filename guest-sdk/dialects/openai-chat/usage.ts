import type { TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { mergeCounts } from '../merge-counts.ts'

/**
 * Adds what a chunk reports to what was known: totals, so a field replaces the one before it and is never added
 * to it, and a field that is left out keeps its value. False where nothing changed.
 */
export function mergeUsage(known: TokenUsage, reported: unknown): boolean {
  if (!isRecord(reported)) return false
  const prompt = isRecord(reported.prompt_tokens_details) ? reported.prompt_tokens_details : {}
  const output = isRecord(reported.completion_tokens_details) ? reported.completion_tokens_details : {}
  const found: { [Field in keyof TokenUsage]-?: number | undefined } = {
    inputTokens: firstCount(reported.prompt_tokens, reported.input_tokens),
    outputTokens: firstCount(reported.completion_tokens, reported.output_tokens),
    cacheReadInputTokens: firstCount(
      prompt.cached_tokens,
      reported.cached_tokens,
      reported.prompt_cache_hit_tokens,
      reported.cache_read_input_tokens,
    ),
    cacheCreationInputTokens: firstCount(
      prompt.cache_write_tokens,
      prompt.cache_creation_tokens,
      reported.cache_creation_input_tokens,
    ),
    reasoningTokens: firstCount(output.reasoning_tokens, reported.reasoning_tokens),
    totalTokens: firstCount(reported.total_tokens),
  }
  // Some services report reasoning beside the answer, others inside of it: their total tells which.
  const { inputTokens, outputTokens, reasoningTokens, totalTokens } = found
  const isBeside =
    reasoningTokens !== undefined &&
    inputTokens !== undefined &&
    outputTokens !== undefined &&
    reasoningTokens > 0 &&
    totalTokens === inputTokens + outputTokens + reasoningTokens
  if (isBeside) found.outputTokens = outputTokens + reasoningTokens
  return mergeCounts(known, found)
}

/** A count is a whole number of 0 or more; services also send null, -1 and, for what they do not count, nothing. */
function firstCount(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0)
}
