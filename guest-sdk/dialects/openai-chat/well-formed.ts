/**
 * The same JSON value without half a surrogate pair in any of its strings: each becomes U+FFFD. Services refuse
 * a whole request for one of them, for as long as it stays in the history.
 */
export function wellFormed<T>(value: T): T {
  return repair(value) as T
}

function repair(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(repair)
  if (typeof value !== 'object' || value === null) return value
  // fromEntries defines own properties, so `__proto__` stays a plain key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), repair(item)]))
}
