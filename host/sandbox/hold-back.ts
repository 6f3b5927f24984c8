const WINDOW_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Counts deaths, and says how long to wait before the next try: not at all, then a second, two, four, up to a minute. */
export function createHoldBack(allowedDeaths: number) {
  let recent: number[] = []
  let total = 0
  let until = 0
  return {
    record() {
      const now = performance.now()
      total++
      recent = [...recent.filter(at => now - at < WINDOW_MS), now]
      const over = recent.length - allowedDeaths
      if (over >= 0) until = now + Math.min(FIRST_PAUSE_MS * 2 ** over, LONGEST_PAUSE_MS)
    },
    /** Milliseconds; 0 where nothing holds it back. */
    get pauseMs() {
      return Math.max(0, until - performance.now())
    },
    /** Within the last minute. */
    get recentDeaths() {
      return recent.length
    },
    get totalDeaths() {
      return total
    },
  }
}
