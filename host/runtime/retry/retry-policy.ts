import { InvalidOptionError, type ProviderError, TransportError } from '../../errors.ts'

/** How often and how long a completion is tried again, as long as nothing of its answer was delivered. */
export interface RetryOptions {
  /** Attempts at one model, the first included. Default: 3. */
  maxAttempts?: number
  /** The longest wait for another attempt, milliseconds. Where a service asks for more, it fails at once. Default: 60,000. */
  maxWaitMs?: number
}

export type RetryPolicy = Required<RetryOptions>

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 3, maxWaitMs: 60_000 }

const BACKOFF_MS = 500
// Many callers that were refused together do not come back together.
const SPREAD_MS = 250
// `Retry-After: 0` is no invitation to ask without a pause.
const LEAST_WAIT_MS = 50

// What comes over the wire and was not the request's fault. 500 is what services say when they do not know.
const PASSING_STATUSES = new Set([408, 409, 425, 500])
const PASSING_TRANSPORT = new Set(['connect-failed', 'dns-failed', 'timed-out', 'connection-lost'])

/** @throws {InvalidOptionError} naming the option, and what it must be. */
export function resolveRetry(...given: (RetryOptions | false | undefined)[]): RetryPolicy {
  const policy = { ...DEFAULT_RETRY }
  for (const options of given) {
    if (options === undefined) continue
    if (options === false) policy.maxAttempts = 1
    else for (const name of Object.keys(options)) setOption(policy, name, options)
  }
  return policy
}

function setOption(policy: RetryPolicy, name: string, options: RetryOptions): void {
  if (name !== 'maxAttempts' && name !== 'maxWaitMs')
    throw new InvalidOptionError(`Cannot use retry.${name}: there are maxAttempts and maxWaitMs`)
  const value = options[name]
  if (value === undefined) return
  const least = name === 'maxAttempts' ? 1 : 0
  if (!Number.isSafeInteger(value) || value < least)
    throw new InvalidOptionError(
      `Cannot use retry.${name}: it must be an integer of ${least} or more: current value is ${String(value)}`,
    )
  policy[name] = value
}

/** Whether the same request may well work in a while. */
export function isPassing({ kind, status, cause }: ProviderError): boolean {
  if (kind === 'rate-limited' || kind === 'overloaded') return true
  if (kind === 'network') return !(cause instanceof TransportError) || PASSING_TRANSPORT.has(cause.code)
  return kind === 'other' && status !== undefined && PASSING_STATUSES.has(status)
}

/**
 * How long to wait before attempt `attempt + 1`, milliseconds: what the service asked for, else a backoff that doubles.
 * @param random from 0 to 1
 */
export function waitBefore(failure: ProviderError, attempt: number, random: number): number {
  const { retryAfterMs } = failure
  if (retryAfterMs !== undefined)
    return Math.max(LEAST_WAIT_MS, retryAfterMs) + Math.round(random * SPREAD_MS)
  const backoff = BACKOFF_MS * 2 ** (attempt - 1)
  return Math.max(LEAST_WAIT_MS, Math.round(backoff * (0.5 + random / 2)))
}

/** The failure of a service that asks to wait longer than the caller would: says when to come back. */
export function comeBackLater(failure: ProviderError, maxWaitMs: number, now: number): ProviderError {
  const wait = failure.retryAfterMs ?? 0
  const at = new Date(now + wait).toISOString().replace(/\.\d+Z$/, 'Z')
  const sentence = failure.message.replace(/[.?!]?\s*$/, '.')
  failure.message = `${sentence} The service asks to wait ${inWords(wait)}, longer than the ${inWords(maxWaitMs)} that are waited here: come back at ${at}.`
  return failure
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  return `${Math.ceil(minutes / 60)} h`
}
