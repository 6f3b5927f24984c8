const UNIT_MS: readonly (readonly [unit: RegExp, ms: number])[] = [
  [/^ns$/, 1e-6],
  [/^(us|µs|micro.*)$/, 1e-3],
  [/^(ms|msecs?|milli.*)$/, 1],
  [/^s/, 1_000],
  [/^m/, 60_000],
  [/^h/, 3_600_000],
  [/^d/, 86_400_000],
]

// Longest first: "ms" is not a minute and an "s". A unit in front of a letter is the beginning of some other word.
const UNIT =
  'milliseconds?|msecs?|ms|microseconds?|us|µs|ns|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d'
const PIECE = `(\\d+(?:\\.\\d+)?)\\s*(${UNIT})(?![a-z])`
const DURATION = `${PIECE}(?:\\s*,?\\s*(?:and\\s+)?${PIECE})*`

const WHOLE = new RegExp(`^${DURATION}$`, 'i')
const PIECES = new RegExp(PIECE, 'gi')
// What is further from its number is about something else.
const ASKED = new RegExp(
  `\\b(?:try(?:ing)? again|retry(?:ing)?|wait(?:ing)?|come back|resets?)\\b[^.\\d]{0,40}?(${DURATION})`,
  'i',
)

/** Milliseconds of `6m0s`, `7.66s`, `250ms`, `1h2m3.5s`. Undefined for what is none. */
export function readDuration(text: string): number | undefined {
  return WHOLE.test(text) ? sum(text) : undefined
}

/**
 * The wait that a message asks for, milliseconds: "try again in 20s", "retry after 26 seconds", "wait 1 minute and
 * 5 seconds". Undefined where it names none, or a number without a unit.
 */
export function waitInMessage(message: string): number | undefined {
  const asked = ASKED.exec(message)?.[1]
  return asked === undefined ? undefined : sum(asked)
}

function sum(text: string): number {
  let total = 0
  for (const [, amount, unit = ''] of text.matchAll(PIECES)) {
    const found = UNIT_MS.find(([pattern]) => pattern.test(unit.toLowerCase()))
    total += Number(amount) * (found?.[1] ?? 0)
  }
  return Math.ceil(total)
}
