import type { ProviderErrorDetails, ProviderErrorKind } from '../../errors.ts'
import { waitInMessage } from './durations.ts'
import { retryAfterOf } from './retry-after.ts'
import { waitInBody } from './wait-in-body.ts'

/** What came with a failure. */
export interface FailureSource {
  headers: readonly (readonly [name: string, value: string])[]
  /** Of an answer outside 200-299. */
  body?: Uint8Array
}

// Of other failures no wait is the remedy: limits that such an answer tells of are not why it came.
const WAITING_HELPS: ReadonlySet<ProviderErrorKind> = new Set([
  'rate-limited',
  'overloaded',
  'quota-exhausted',
])

/** The failure with the wait that its service asked for, where its extension has not found one. */
export function withWait(
  details: ProviderErrorDetails,
  { headers, body }: FailureSource,
  now: number,
): ProviderErrorDetails {
  if (details.retryAfterMs !== undefined || !WAITING_HELPS.has(details.kind)) return details
  const retryAfterMs =
    retryAfterOf(headers, now) ?? (body && waitInBody(body, now)) ?? waitInMessage(details.message)
  return retryAfterMs === undefined ? details : { ...details, retryAfterMs }
}
