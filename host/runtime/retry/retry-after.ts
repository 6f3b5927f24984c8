// When to come back, as services say it in the headers of a refusal.

const NUMBER = /^\d+(\.\d+)?$/
// "6m0s", "1h2m3.5s", "250ms": each unit once at most, in this order.
const DURATION = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/
const RFC_3339 = /^\d{4}-\d\d-\d\dT/
const MONTH_NAME = /[a-z]{3}/i

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
// What is larger is a point in time: nobody asks to wait for ten years. In seconds, and in milliseconds.
const EPOCH_SECONDS_FROM = 315_360_000
const EPOCH_MS_FROM = 315_360_000_000

/**
 * How long a service asks to wait, milliseconds; 0 for a time that has passed. Undefined where it does not say.
 * `retry-after-ms` and `retry-after` say it outright. Else the resets of those limits count of which nothing is left:
 * the reset of a limit that still has room says nothing of this refusal.
 * @param now milliseconds since 1970
 */
export function retryAfterOf(
  headers: readonly (readonly [name: string, value: string])[],
  now: number,
): number | undefined {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value.trim()]))
  const milliseconds = values.get('retry-after-ms')
  if (milliseconds !== undefined && NUMBER.test(milliseconds)) return Math.ceil(Number(milliseconds))
  const after = values.get('retry-after')
  const outright = after === undefined ? undefined : readWait(after, now)
  if (outright !== undefined) return outright
  let longest: number | undefined
  for (const [name, value] of values) {
    if (!/ratelimit.*reset/.test(name) || values.get(remainingName(name)) !== '0') continue
    const wait = readWait(value, now)
    if (wait !== undefined) longest = Math.max(longest ?? 0, wait)
  }
  return longest
}

/** `x-ratelimit-reset-requests` goes with `x-ratelimit-remaining-requests`. */
function remainingName(reset: string): string {
  return reset.replace('-reset-after', '-remaining').replace('-reset', '-remaining')
}

/** Seconds, a duration such as `6m0s`, a point in time in seconds or milliseconds since 1970, or a date. */
function readWait(text: string, now: number): number | undefined {
  if (NUMBER.test(text)) {
    const value = Number(text)
    if (value >= EPOCH_MS_FROM) return Math.max(0, Math.ceil(value - now))
    if (value >= EPOCH_SECONDS_FROM) return Math.max(0, Math.ceil(value * SECOND - now))
    return Math.ceil(value * SECOND)
  }
  const duration = text === '' ? null : DURATION.exec(text)
  if (duration) {
    const [days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = duration
      .slice(1)
      .map(part => Number(part ?? 0))
    return Math.ceil(days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND + ms)
  }
  // Date.parse makes a year of "-1" and of other oddities: a date names its month, or is written as in RFC 3339.
  if (!RFC_3339.test(text) && !MONTH_NAME.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
