export interface Watchdog {
  /** Work was handed over: where there was none before, silence counts from here on. */
  started(): void
  /** The sandbox said something, so it is in no endless loop. `busy`: it still has work. `cpuMs`: computed so far. */
  heard(busy: boolean, cpuMs?: number): void
  close(): void
}

export interface WatchdogOptions {
  /** Computing time of one call, milliseconds. */
  limitMs: number
  /** Computing time of the sandbox so far; undefined where this system does not tell. */
  cpuMs(): Promise<number | undefined>
  expired(): void
}

// A busy machine gives a guest little of its time: a call may take this many times its limit by the clock on the wall.
const PATIENCE = 10
const SHORTEST_LOOK_MS = 50

/**
 * Tells when a sandbox that has work has computed for `limitMs` without a word. A sandbox runs one call at a time and
 * replies after each (or within 50 ms), so silence means that one call computes that long. It costs one timer for a
 * whole busy stretch, not one a call.
 */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { limitMs, cpuMs, expired } = options
  let working = false
  let quietSince = 0
  let quietAtCpuMs = 0
  let timer: NodeJS.Timeout | undefined

  async function check() {
    timer = undefined
    if (!working) return
    const seen = quietSince
    const silentMs = performance.now() - seen
    if (silentMs < limitMs) return arm(limitMs - silentMs)
    const computed = await cpuMs()
    // After a stall of this thread replies may be waiting unread: a turn of the event loop delivers them first.
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
    if (!working) return
    if (seen !== quietSince) return arm(limitMs)
    const left = computed === undefined ? 0 : limitMs - (computed - quietAtCpuMs)
    if (left > 0 && silentMs < limitMs * PATIENCE) arm(Math.max(left, SHORTEST_LOOK_MS))
    else expired()
  }

  function arm(ms: number) {
    timer ??= setTimeout(() => void check(), ms)
  }

  return {
    started() {
      if (!working) quietSince = performance.now()
      working = true
      arm(limitMs)
    },
    heard(busy, cpuMs = quietAtCpuMs) {
      quietSince = performance.now()
      quietAtCpuMs = cpuMs
      working = busy
    },
    close() {
      working = false
      clearTimeout(timer)
    },
  }
}
