import type { GuestCall } from './protocol.ts'

// A post wakes the other thread, which costs as much as decoding a hundred events. Work that comes faster than this
// goes together: a frame of a 60 Hz screen, so nobody sees it, and one event a millisecond costs a sixteenth.
const GROUPING_MS = 16
// A timer of its own wakes this thread once more. Where work keeps arriving, its arrival is the better clock.
const TIMER_SLACK_MS = 4

export interface OutgoingCall {
  call: GuestCall
  transfer?: ArrayBuffer
}

export interface Outbox {
  /**
   * `create` is called when the message is made up: work that grows while it waits goes whole. `patient` work may wait
   * for GROUPING_MS since the last post; everything else goes with this turn of the event loop.
   */
  add(create: () => OutgoingCall, how?: { patient?: boolean }): void
  /** Something that waits has grown: a busy stretch needs no timer to tell that its time has come. */
  grown(): void
  flush(): void
  /** Forgets what waits. */
  clear(): void
}

/** Gathers the calls of one turn of the event loop into one message, and those of a busy stretch into few. */
export function createOutbox(post: (calls: GuestCall[], transfer: ArrayBuffer[]) => void): Outbox {
  let waiting: (() => OutgoingCall)[] = []
  let postedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined

  function flush() {
    clearTimeout(timer)
    clearImmediate(immediate)
    timer = immediate = undefined
    if (waiting.length === 0) return
    const batch = waiting.map(create => create())
    waiting = []
    postedAt = performance.now()
    post(
      batch.map(({ call }) => call),
      batch.flatMap(({ transfer }) => transfer ?? []),
    )
  }

  return {
    add(create, how = {}) {
      waiting.push(create)
      if (immediate) return
      const wait = how.patient ? postedAt + GROUPING_MS - performance.now() : 0
      if (wait <= 0) immediate = setImmediate(flush)
      else timer ??= setTimeout(flush, wait + TIMER_SLACK_MS)
    },
    grown() {
      if (timer && !immediate && performance.now() >= postedAt + GROUPING_MS) immediate = setImmediate(flush)
    },
    flush,
    clear() {
      waiting = []
      flush()
    },
  }
}
