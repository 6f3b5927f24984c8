// Longer error bodies are pages and dumps.
const MAX_BODY_BYTES = 64 * 1024
const MAX_DEPTH = 5

/**
 * The wait that the body of a refusal names, milliseconds: `retryDelay` of Google's RetryInfo ("37s"), `retry_after`
 * and `resets_in_seconds` in seconds, `resets_at` in seconds since 1970. Undefined where it names none.
 */
export function waitInBody(body: Uint8Array, now: number): number | undefined {
  if (body.byteLength > MAX_BODY_BYTES) return undefined
  const text = new TextDecoder().decode(body)
  if (!/retry_?(delay|after)|resets_(in|at)/i.test(text)) return undefined
  try {
    return search(JSON.parse(text), now, 0)
  } catch {
    // What is no JSON may still be a message, which is read as such.
    return undefined
  }
}

function search(value: unknown, now: number, depth: number): number | undefined {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined
  const { retryDelay, retry_after_ms, retry_after, resets_in_seconds, resets_at } = value as Readonly<
    Record<string, unknown>
  >
  const seconds =
    typeof retryDelay === 'string'
      ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1]
      : (retry_after ?? resets_in_seconds)
  for (const [amount, unit] of [
    [retry_after_ms, 1],
    [seconds, 1_000],
  ] as const) {
    const count = typeof amount === 'string' && amount !== '' ? Number(amount) : amount
    if (typeof count === 'number' && count >= 0) return Math.ceil(count * unit)
  }
  if (typeof resets_at === 'number') return Math.max(0, Math.ceil(resets_at * 1_000 - now))
  for (const inner of Object.values(value)) {
    const found = search(inner, now, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
