import { errorFromResponse, errorFromValue } from '../../http-error.ts'
import type { HttpResponse } from '../../http-response.ts'
import { isRecord } from '../../is-record.ts'
import { ProviderError, type ProviderErrorDetails } from '../../provider-error.ts'
import { parseJson } from '../json-value.ts'

/** What an answer outside 200-299 means. */
export function readRejection(response: HttpResponse): ProviderErrorDetails {
  return withQuota(errorFromResponse(response), parseJson(response.text()))
}

/** The error that a chunk is, `{"error":{"code":…,"status":…,"message":…}}`; undefined where it is none. */
export function readChunkError(chunk: Record<string, unknown>): ProviderError | undefined {
  if (chunk.error === undefined || chunk.error === null) return undefined
  return new ProviderError(withQuota(errorFromValue(chunk), chunk))
}

/** The API says `RESOURCE_EXHAUSTED` of limits a minute, where waiting helps, and of limits a day, where it does not. */
function withQuota(details: ProviderErrorDetails, body: unknown): ProviderErrorDetails {
  const holder = Array.isArray(body) ? body[0] : body
  const error = isRecord(holder) ? holder.error : undefined
  if (details.kind !== 'rate-limited' || !isRecord(error) || !Array.isArray(error.details)) return details
  const violations = error.details.flatMap(detail =>
    isRecord(detail) && Array.isArray(detail.violations) ? detail.violations : [],
  )
  const isDaily = violations.some(
    violation => isRecord(violation) && /PerDay/.test(String(violation.quotaId)),
  )
  return isDaily ? { ...details, kind: 'quota-exhausted' } : details
}
