export interface TokenBucket {
  /** Milliseconds until `count` can be taken; more than the bucket holds can be taken when it is full. */
  delayFor(count: number): number
  /** Takes out, or puts back where `count` is negative. What is there may fall below 0: then all wait longer. */
  take(count: number): void
}

/** Holds up to `capacity`, and `perMs` comes in every millisecond. Full at first. */
export function createTokenBucket({
  capacity,
  perMs,
  now,
}: {
  capacity: number
  perMs: number
  now: () => number
}): TokenBucket {
  let level = capacity
  let at = now()

  function fill() {
    const time = now()
    level = Math.min(capacity, level + (time - at) * perMs)
    at = time
  }

  return {
    delayFor(count) {
      fill()
      return Math.max(0, Math.ceil((Math.min(count, capacity) - level) / perMs))
    },
    take(count) {
      fill()
      level = Math.min(capacity, level - count)
    },
  }
}
