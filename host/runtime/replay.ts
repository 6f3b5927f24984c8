/** Events that any number of readers can read from their beginning, at any time. */
export interface Replay<Event> {
  /** The events so far. */
  readonly events: readonly Event[]
  /** One more reader. */
  read(): AsyncIterator<Event>
  /** All events, once there is an end; rejects with its error. Asking keeps the events coming, read or not. */
  whole(): Promise<readonly Event[]>
  push(event: Event): void
  /** The end, with its error if one is given. What comes after it is ignored. */
  end(...error: unknown[]): void
  readonly ended: boolean
  /** True where a reader lags so far behind that the producer should wait. */
  readonly full: boolean
}

export interface ReplayHooks {
  /** A reader that lagged has caught up. */
  drained(): void
  /** The last reader left before the end, and nobody asked for the whole. */
  abandoned(): void
  /** Somebody has read all there is and wants more: the next, or the whole. */
  hungry?(wanted: 'next' | 'whole'): void
}

interface Reader {
  at: number
  wake: (() => void) | undefined
}

// A reader may lag by this many events before the producer should wait. Enough for the largest group; small in memory.
const MAX_LAG = 1_024

export function createReplay<Event>(hooks: ReplayHooks): Replay<Event> {
  const events: Event[] = []
  const readers = new Set<Reader>()
  let whole: Promise<readonly Event[]> | undefined
  let failure: { error: unknown } | undefined
  let ended = false
  const settled = Promise.withResolvers<void>()

  function lag(): number {
    if (whole) return 0
    let furthest = 0
    for (const { at } of readers) furthest = Math.max(furthest, at)
    return events.length - furthest
  }

  function wakeAll() {
    for (const reader of readers) {
      reader.wake?.()
      reader.wake = undefined
    }
  }

  function read(): AsyncIterator<Event> {
    const reader: Reader = { at: 0, wake: undefined }
    readers.add(reader)
    let left = false
    /** The call of `next()` that came last, where one waits: who asks without waiting is answered in order. */
    let waiting: Promise<unknown> | undefined

    async function wait(): Promise<IteratorResult<Event>> {
      while (reader.at >= events.length && !ended && !left)
        await new Promise<void>(resolve => (reader.wake = resolve))
      return take()
    }

    function take(): IteratorResult<Event> {
      if (left) return { done: true, value: undefined }
      if (reader.at < events.length) {
        const event = events[reader.at++] as Event
        if (lag() === MAX_LAG >> 1) hooks.drained()
        return { done: false, value: event }
      }
      readers.delete(reader)
      if (failure) throw failure.error
      return { done: true, value: undefined }
    }

    return {
      next() {
        if (!ended && reader.at >= events.length) hooks.hungry?.('next')
        if (waiting === undefined && reader.at < events.length) return Promise.resolve(take())
        const turn = waiting === undefined ? wait() : waiting.then(wait, wait)
        waiting = turn
        const over = () => {
          if (waiting === turn) waiting = undefined
        }
        turn.then(over, over)
        return turn
      },
      return() {
        left = true
        reader.wake?.()
        readers.delete(reader)
        if (readers.size === 0 && !whole) hooks.abandoned()
        else hooks.drained()
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  }

  return {
    events,
    read,
    whole() {
      if (!whole) {
        whole = settled.promise.then(() => {
          if (failure) throw failure.error
          return events
        })
        hooks.drained()
        if (!ended) hooks.hungry?.('whole')
      }
      return whole
    },
    push(event) {
      if (ended) return
      events.push(event)
      wakeAll()
    },
    end(...error) {
      if (ended) return
      ended = true
      if (error.length > 0) failure = { error: error[0] }
      wakeAll()
      settled.resolve()
    },
    get ended() {
      return ended
    },
    get full() {
      return lag() >= MAX_LAG
    },
  }
}
