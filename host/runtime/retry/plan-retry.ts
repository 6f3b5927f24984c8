import { type ProviderError, TransportError } from '../../errors.ts'
import type { RetryPolicy } from './retry-policy.ts'

const BACKOFF_MS = 500
// Longer waits help nobody who sits in front of it; a service that wants more says so.
const MAX_BACKOFF_MS = 30_000
// Many callers that were refused together do not come back together.
const SPREAD_MS = 250
// `Retry-After: 0` is no invitation to ask without a pause.
const LEAST_WAIT_MS = 50

// What comes over the wire and was not the request's fault. 500 is what services say when they do not know.
const PASSING_STATUSES = new Set([408, 409, 425, 500])
// A certificate does not mend itself, and what is too large stays so.
const PASSING_TRANSPORT = new Set(['connect-failed', 'dns-failed', 'timed-out', 'connection-lost'])

export interface RetryState {
  /** The one that failed: 1 for the first at this model. */
  attempt: number
  policy: RetryPolicy
  /** Until the caller's deadline, milliseconds; infinite where there is none. */
  leftMs: number
  /** From 0 to 1. */
  random: number
  /** Milliseconds since 1970. */
  now: number
}

/** To wait and try again, or to fail: with the same error, which says when to come back where the service said so. */
export type RetryPlan = { waitMs: number; failure?: never } | { failure: ProviderError }

/** What to do about a failure that came before anything of the answer was delivered. */
export function planRetry(failure: ProviderError, state: RetryState): RetryPlan {
  const { attempt, policy, leftMs, now } = state
  if (!isPassing(failure)) return { failure }
  const asked = failure.retryAfterMs ?? 0
  if (policy.maxAttempts > 1 && asked > policy.maxWaitMs)
    return { failure: comeBackLater(failure, now, `the ${inWords(policy.maxWaitMs)} of retry.maxWaitMs`) }
  if (attempt >= policy.maxAttempts) return { failure }
  const waitMs = waitAfter(failure, state)
  if (waitMs < leftMs) return { waitMs }
  return { failure: asked < leftMs ? failure : comeBackLater(failure, now, 'timeoutMs leaves') }
}

/** Whether the same request may well work in a while. */
function isPassing({ kind, status, cause }: ProviderError): boolean {
  if (kind === 'rate-limited' || kind === 'overloaded') return true
  if (kind === 'network') return !(cause instanceof TransportError) || PASSING_TRANSPORT.has(cause.code)
  return kind === 'other' && status !== undefined && PASSING_STATUSES.has(status)
}

/** What the service asked for, else a backoff that doubles, of which chance decides how much. */
function waitAfter({ retryAfterMs }: ProviderError, { attempt, policy, random }: RetryState): number {
  if (retryAfterMs !== undefined)
    return Math.max(LEAST_WAIT_MS, retryAfterMs) + Math.round(random * SPREAD_MS)
  const most = Math.min(BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS, policy.maxWaitMs)
  return Math.max(Math.min(LEAST_WAIT_MS, policy.maxWaitMs), Math.round(random * most))
}

/** The failure of a service that asks to wait longer than the caller would: says when to come back. */
function comeBackLater(failure: ProviderError, now: number, limit: string): ProviderError {
  const waitMs = failure.retryAfterMs ?? 0
  const time = new Date(now + waitMs)
  // A wait of more than 270,000 years is no date.
  const when = Number.isNaN(time.getTime()) ? 'never' : `at ${time.toISOString().replace(/\.\d+Z$/, 'Z')}`
  const sentence = failure.message.replace(/[.?!]?\s*$/, '.')
  failure.message = `${sentence} The service asks to wait ${inWords(waitMs)}, longer than ${limit}: come back ${when}.`
  return failure
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
