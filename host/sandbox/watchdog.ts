export interface Watchdog {
  /** Work was handed over: where there was none before, silence counts from here on. */
  started(): void
  /** The sandbox said something, so it is in no endless loop. `busy`: it still has work. */
  heard(busy: boolean): void
  close(): void
}

/**
 * Tells when a sandbox that has work has been silent for `limitMs`. A sandbox runs one call at a time and
 * replies after each (or within 50 ms), so silence means that one call computes that long. It costs one
 * timer for a whole busy stretch, not one a call.
 */
export function createWatchdog(options: { limitMs: number; expired(): void }): Watchdog {
  const { limitMs, expired } = options
  let working = false
  let quietSince = 0
  let timer: NodeJS.Timeout | undefined

  function check() {
    timer = undefined
    if (!working) return
    const seen = quietSince
    if (seen + limitMs > performance.now()) return arm()
    // After a stall of this thread replies may be waiting unread: a turn of the event loop delivers them first.
    setImmediate(() =>
      setImmediate(() => {
        if (!working) return
        if (seen === quietSince) expired()
        else arm()
      }),
    )
  }

  function arm() {
    timer ??= setTimeout(check, Math.max(1, quietSince + limitMs - performance.now()))
  }

  return {
    started() {
      if (!working) quietSince = performance.now()
      working = true
      arm()
    },
    heard(busy) {
      quietSince = performance.now()
      working = busy
    },
    close() {
      working = false
      clearTimeout(timer)
    },
  }
}
