import type { TokenUsage } from '../../contract/events.ts'
import { InvalidOptionError } from '../../errors.ts'
import { createTokenBucket, type TokenBucket } from './token-bucket.ts'

/** Bounds on how much one provider is asked, for those who set one. */
export interface RateLimit {
  /** Completions at once. */
  concurrency?: number | undefined
  requestsPerMinute?: number | undefined
  /** Input and output together. */
  tokensPerMinute?: number | undefined
}

/** Holds completions back so that a provider is not asked more than its limit allows, first come, first served. */
export interface RateLimiter {
  /**
   * Resolves when the provider may be asked. What comes back is to be called once, when the answer has ended, with
   * what it used. An abort leaves the queue at once, with the signal's reason.
   * @param names what callers call the provider, of which the first that has a limit counts
   * @param tokens how many are set aside until the answer has told; asked only where they are limited
   */
  enter(
    names: readonly string[],
    tokens: () => number,
    signal: AbortSignal,
  ): Promise<(usage: TokenUsage | undefined) => void>
}

const NAMES = ['concurrency', 'requestsPerMinute', 'tokensPerMinute'] as const
const MINUTE = 60_000

/** @throws {InvalidOptionError} naming the limit, and what it must be. */
export function createRateLimiter(
  limits: Readonly<Record<string, RateLimit>>,
  now: () => number = Date.now,
): RateLimiter {
  const queues = new Map<string, Queue>()
  for (const [provider, limit] of Object.entries(limits))
    queues.set(provider, createQueue(checked(provider, limit), now))
  return {
    async enter(names, tokens, signal) {
      const queue = names.map(name => queues.get(name)).find(found => found !== undefined)
      if (!queue) return () => {}
      const reserved = queue.countsTokens ? tokens() : 0
      await queue.enter(reserved, signal)
      return usage => queue.leave(reserved, usage)
    },
  }
}

interface Waiting {
  tokens: number
  go(): void
}

interface Queue {
  readonly countsTokens: boolean
  enter(tokens: number, signal: AbortSignal): Promise<void>
  leave(tokens: number, usage: TokenUsage | undefined): void
}

function createQueue(
  { concurrency, requestsPerMinute, tokensPerMinute }: RateLimit,
  now: () => number,
): Queue {
  const bucketOf = (perMinute: number | undefined): TokenBucket | undefined =>
    perMinute === undefined
      ? undefined
      : createTokenBucket({ capacity: perMinute, perMs: perMinute / MINUTE, now })
  const requests = bucketOf(requestsPerMinute)
  const tokenBucket = bucketOf(tokensPerMinute)
  const waiting: Waiting[] = []
  let running = 0
  let timer: NodeJS.Timeout | undefined

  /** Lets in who may go, in order: who waits for tokens is not overtaken by who needs fewer. */
  function admit() {
    clearTimeout(timer)
    timer = undefined
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (concurrency !== undefined && running >= concurrency) return
      const delay = Math.max(requests?.delayFor(1) ?? 0, tokenBucket?.delayFor(next.tokens) ?? 0)
      if (delay > 0) {
        timer = setTimeout(admit, delay)
        return
      }
      requests?.take(1)
      tokenBucket?.take(next.tokens)
      waiting.shift()
      running++
      next.go()
    }
  }

  return {
    countsTokens: tokenBucket !== undefined,
    enter(tokens, signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const abort = () => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(signal.reason)
        admit()
      }
      const entry: Waiting = {
        tokens,
        go() {
          signal.removeEventListener('abort', abort)
          resolve()
        },
      }
      signal.addEventListener('abort', abort, { once: true })
      waiting.push(entry)
      admit()
      return promise
    },
    leave(tokens, usage) {
      running--
      // What was set aside and not used, or used beyond it.
      if (usage) tokenBucket?.take(usage.inputTokens + usage.outputTokens - tokens)
      admit()
    },
  }
}

function checked(provider: string, limit: RateLimit): RateLimit {
  for (const [name, value] of Object.entries(limit)) {
    const where = `rateLimits.${provider}.${name}`
    if (!NAMES.some(known => known === name))
      throw new InvalidOptionError(`Cannot use ${where}: there are ${NAMES.join(', ')}`)
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new InvalidOptionError(
        `Cannot use ${where}: it must be a positive integer: current value is ${String(value)}`,
      )
  }
  return limit
}
