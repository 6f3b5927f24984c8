/** Lets callers of one process in one at a time, first come first served. */
export interface Turns {
  /** Runs `work` when everybody who asked for the same `key` before is done. */
  take<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    take(key, work) {
      const before = last.get(key) ?? Promise.resolve()
      const mine = before.then(work, work)
      last.set(key, mine)
      const leave = () => {
        if (last.get(key) === mine) last.delete(key)
      }
      mine.then(leave, leave)
      return mine
    },
  }
}
