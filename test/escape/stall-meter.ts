const LOOK_MS = 5

/**
 * Measures for how long the main thread computes without giving the event loop a turn. Its own computing time counts,
 * not the clock on the wall, so that a busy machine does not look like a stall.
 */
export function createStallMeter() {
  let longestMs = 0
  let before = computedMs()
  const timer = setInterval(() => {
    const now = computedMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
  }, LOOK_MS)
  return {
    /** Ends it. Returns the longest stretch, milliseconds. */
    stop(): number {
      clearInterval(timer)
      return Math.max(longestMs, computedMs() - before)
    },
  }
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
