// When to come back, as services say it in the headers of a refusal.
import { readDuration } from './durations.ts'

const NUMBER = /^\d+(\.\d+)?$/
const RFC_3339 = /^\d{4}-\d\d-\d\dT/
const MONTH_NAME = /[a-z]{3}/i

// What is larger is a point in time: nobody asks to wait for ten years. In seconds, and in milliseconds.
const EPOCH_SECONDS_FROM = 315_360_000
const EPOCH_MS_FROM = 315_360_000_000

type Headers = readonly (readonly [name: string, value: string])[]

/** What the headers say of one limit. */
interface Limit {
  /** Undefined where they do not say whether anything is left. */
  exhausted: boolean | undefined
  waitMs: number
}

/**
 * How long a service asks to wait, milliseconds; 0 for a time that has passed. Undefined where it does not say.
 * `retry-after-ms` and `retry-after` (RFC 9110, section 10.2.3) say it outright. Else the resets of those limits count
 * of which nothing is left: the reset of a limit that still has room says nothing of this refusal. Of limits that do
 * not say what is left, the longest counts where no other is known to be used up.
 * @param now milliseconds since 1970
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value.trim()]))
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const milliseconds = values.get(name)
    if (milliseconds !== undefined && NUMBER.test(milliseconds)) return Math.ceil(Number(milliseconds))
  }
  const outright = readWait(values.get('retry-after') ?? '', now)
  if (outright !== undefined) return outright
  const limits = [...resetHeaders(values, now), ...rateLimitFields(values.get('ratelimit'), now)]
  const exhausted = limits.filter(limit => limit.exhausted === true)
  const counting = exhausted.length > 0 ? exhausted : limits.filter(limit => limit.exhausted === undefined)
  return counting.length === 0 ? undefined : Math.max(...counting.map(({ waitMs }) => waitMs))
}

/** `x-ratelimit-reset-requests`, `anthropic-ratelimit-tokens-reset`, `ratelimit-reset`, each with its `remaining`. */
function* resetHeaders(values: ReadonlyMap<string, string>, now: number): Generator<Limit> {
  for (const [name, value] of values) {
    if (!/rate-?limit.*-reset\b/.test(name)) continue
    const waitMs = readWait(value, now)
    if (waitMs === undefined) continue
    const of = (what: string) => values.get(name.replace(/-reset(-after)?/, `-${what}`))
    const remaining = of('remaining')
    const status = of('status')
    if (remaining !== undefined && NUMBER.test(remaining))
      yield { exhausted: Number(remaining) === 0, waitMs }
    else yield { exhausted: status === undefined ? undefined : status === 'rejected', waitMs }
  }
}

/**
 * `RateLimit: "default";r=0;t=30, "day";r=5;t=3600` of the IETF's draft, and `limit=10, remaining=0, reset=30` of its
 * earlier versions. Seconds.
 */
function* rateLimitFields(text: string | undefined, now: number): Generator<Limit> {
  if (text === undefined) return
  const policies = /[;,\s](r|t)\s*=/.test(text) ? text.split(',') : [text]
  for (const policy of policies) {
    const remaining = /(?:^|[;,\s])(?:r|remaining)\s*=\s*(\d+)/.exec(policy)?.[1]
    const reset = /(?:^|[;,\s])(?:t|reset)\s*=\s*(\d+)/.exec(policy)?.[1]
    const waitMs = reset === undefined ? undefined : readWait(reset, now)
    if (waitMs !== undefined)
      yield { exhausted: remaining === undefined ? undefined : Number(remaining) === 0, waitMs }
  }
}

/** Seconds, a duration such as `6m0s`, a point in time in seconds or milliseconds since 1970, or a date. */
export function readWait(text: string, now: number): number | undefined {
  if (NUMBER.test(text)) {
    const value = Number(text)
    if (value >= EPOCH_MS_FROM) return Math.max(0, Math.ceil(value - now))
    if (value >= EPOCH_SECONDS_FROM) return Math.max(0, Math.ceil(value * 1_000 - now))
    return Math.ceil(value * 1_000)
  }
  const duration = readDuration(text)
  if (duration !== undefined) return duration
  // Date.parse makes a year of "-1" and of other oddities: a date names its month, or is written as in RFC 3339.
  if (!RFC_3339.test(text) && !MONTH_NAME.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
