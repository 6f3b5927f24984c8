import { InvalidOptionError } from '../errors.ts'
import type { Retry } from '../telemetry/observer.ts'
import { checkOptionNames } from './check-option-names.ts'
import type { FallbackRule } from './retry/fallback.ts'
import type { RetryOptions } from './retry/retry-policy.ts'

/** How one completion is run. */
export interface CompleteOptions {
  /** Ends it with the signal's reason. */
  signal?: AbortSignal
  /** Past it, counted from the call on, it fails: milliseconds. A wait for another attempt never goes past it. */
  timeoutMs?: number
  /** How often it is tried again while nothing of its answer was delivered; `false` for never. Default: the airlock's. */
  retry?: RetryOptions | false
  /** Whether the next model of the request's list is asked, in the place of the default rule. */
  fallback?: FallbackRule
  /** Told of each wait for another attempt. */
  onRetry?: (retry: Retry) => void
}

const KNOWN: Readonly<Record<keyof CompleteOptions, true>> = {
  signal: true,
  timeoutMs: true,
  retry: true,
  fallback: true,
  onRetry: true,
}
// The longest that a timer can wait.
const MAX_TIMEOUT_MS = 2_147_483_647

/** @throws {InvalidOptionError} naming the option, and what it must be. */
export function checkCompleteOptions(options: CompleteOptions): CompleteOptions {
  checkOptionNames(options, Object.keys(KNOWN), 'complete')
  const { timeoutMs, signal } = options
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new InvalidOptionError(`Cannot use signal: it must be an AbortSignal: it is ${typeof signal}`)
  for (const name of ['fallback', 'onRetry'] as const) {
    const value: unknown = options[name]
    if (value !== undefined && typeof value !== 'function')
      throw new InvalidOptionError(`Cannot use ${name}: it must be a function: it is ${typeof value}`)
  }
  if (
    timeoutMs !== undefined &&
    !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)
  )
    throw new InvalidOptionError(
      `Cannot use timeoutMs: it must be an integer from 1 to ${MAX_TIMEOUT_MS}: current value is ${String(timeoutMs)}`,
    )
  return options
}
