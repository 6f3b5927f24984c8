import { raced } from '../contract/raced.ts'

/** Lets so many through at once; the others wait in line. */
export interface Turnstile {
  /** Runs `run` when there is room. Aborting `signal` leaves the line. */
  pass<Result>(run: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

export function createTurnstile(most: number): Turnstile {
  let inside = 0
  const line: PromiseWithResolvers<void>[] = []

  async function enter(signal: AbortSignal): Promise<void> {
    if (inside < most) {
      inside++
      return
    }
    const turn = Promise.withResolvers<void>()
    line.push(turn)
    try {
      await raced(turn.promise, signal)
    } catch (error) {
      const place = line.indexOf(turn)
      // Its turn may have come at the same time.
      if (place === -1) leave()
      else line.splice(place, 1)
      throw error
    }
  }

  function leave() {
    const next = line.shift()
    if (next) next.resolve()
    else inside--
  }

  return {
    async pass(run, signal) {
      await enter(signal)
      try {
        return await run()
      } finally {
        leave()
      }
    },
  }
}
