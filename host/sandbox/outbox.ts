import type { GuestCall } from './protocol.ts'

// A post wakes the other thread, which costs as much as decoding a dozen events. Work that comes faster than this
// goes together: less than a frame of a 120 Hz screen, so nobody sees it, and one event a millisecond costs an eighth.
const GROUPING_MS = 8

export interface Outbox {
  /** `patient` work may wait for GROUPING_MS since the last post; everything else goes with this turn of the event loop. */
  add(call: GuestCall, how?: { patient?: boolean; transfer?: ArrayBuffer }): void
  flush(): void
  close(): void
}

/** Gathers the calls of one turn of the event loop into one message, and those of a busy stretch into few. */
export function createOutbox(post: (calls: GuestCall[], transfer: ArrayBuffer[]) => void): Outbox {
  let calls: GuestCall[] = []
  let transfer: ArrayBuffer[] = []
  let postedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined

  function flush() {
    clearTimeout(timer)
    clearImmediate(immediate)
    timer = immediate = undefined
    if (calls.length === 0) return
    const batch = calls
    const buffers = transfer
    calls = []
    transfer = []
    postedAt = performance.now()
    post(batch, buffers)
  }

  return {
    add(call, how = {}) {
      calls.push(call)
      if (how.transfer) transfer.push(how.transfer)
      if (immediate) return
      const wait = how.patient ? postedAt + GROUPING_MS - performance.now() : 0
      if (wait <= 0) immediate = setImmediate(flush)
      else timer ??= setTimeout(flush, wait)
    },
    flush,
    close() {
      calls = []
      flush()
    },
  }
}
