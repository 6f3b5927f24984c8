import type { TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { readCount } from '../json-value.ts'

/** The `usage` of a response; undefined where there is none. `inputTokens` count what the cache answered, too. */
export function readUsage(reported: unknown): TokenUsage | undefined {
  if (!isRecord(reported)) return undefined
  const input = isRecord(reported.input_tokens_details) ? reported.input_tokens_details : {}
  const output = isRecord(reported.output_tokens_details) ? reported.output_tokens_details : {}
  const inputTokens = readCount(reported.input_tokens)
  const outputTokens = readCount(reported.output_tokens)
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  const usage: TokenUsage = { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 }
  const cacheReadInputTokens = readCount(input.cached_tokens)
  const cacheCreationInputTokens = readCount(input.cache_write_tokens)
  const reasoningTokens = readCount(output.reasoning_tokens)
  const totalTokens = readCount(reported.total_tokens)
  if (cacheReadInputTokens !== undefined) usage.cacheReadInputTokens = cacheReadInputTokens
  if (cacheCreationInputTokens !== undefined) usage.cacheCreationInputTokens = cacheCreationInputTokens
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens
  if (totalTokens !== undefined) usage.totalTokens = totalTokens
  return usage
}
