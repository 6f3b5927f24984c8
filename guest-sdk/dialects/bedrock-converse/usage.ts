import type { TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { readCount } from '../json-value.ts'

/**
 * As the service counts, `inputTokens` leaves out what was read from the cache or written to it: the whole prompt is
 * the sum of the three. Undefined where it says nothing.
 */
export function readUsage(reported: unknown): TokenUsage | undefined {
  if (!isRecord(reported)) return undefined
  const cacheRead = readCount(reported.cacheReadInputTokens)
  const cacheWrite = readCount(reported.cacheWriteInputTokens)
  const total = readCount(reported.totalTokens)
  return {
    inputTokens: readCount(reported.inputTokens) ?? 0,
    outputTokens: readCount(reported.outputTokens) ?? 0,
    ...(cacheWrite !== undefined && { cacheCreationInputTokens: cacheWrite }),
    ...(cacheRead !== undefined && { cacheReadInputTokens: cacheRead }),
    ...(total !== undefined && { totalTokens: total }),
  }
}
