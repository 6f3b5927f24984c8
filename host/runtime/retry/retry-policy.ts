import { InvalidOptionError } from '../../errors.ts'
import { checkOptionNames } from '../check-option-names.ts'

/** How often and how long a completion is tried again, as long as nothing of its answer was delivered. */
export interface RetryOptions {
  /** Attempts at one model, the first included. Default: 3. */
  maxAttempts?: number
  /** The longest wait for another attempt, milliseconds. Where a service asks for more, it fails at once. Default: 60,000. */
  maxWaitMs?: number
}

export type RetryPolicy = Required<RetryOptions>

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 3, maxWaitMs: 60_000 }

/** @throws {InvalidOptionError} naming the option, and what it must be. */
export function resolveRetry(...given: (RetryOptions | false | undefined)[]): RetryPolicy {
  const policy = { ...DEFAULT_RETRY }
  for (const options of given) {
    if (options === undefined) continue
    if (options === false) policy.maxAttempts = 1
    else {
      checkOptionNames(options, Object.keys(policy), 'use retry')
      setOption(policy, 'maxAttempts', options)
      setOption(policy, 'maxWaitMs', options)
    }
  }
  return policy
}

function setOption(policy: RetryPolicy, name: keyof RetryPolicy, options: RetryOptions): void {
  const value = options[name]
  if (value === undefined) return
  const least = name === 'maxAttempts' ? 1 : 0
  if (!Number.isSafeInteger(value) || value < least)
    throw new InvalidOptionError(
      `Cannot use retry.${name}: it must be an integer of ${least} or more: current value is ${String(value)}`,
    )
  policy[name] = value
}
