import type { ResponseBody } from '../http/body.ts'
import type { SandboxCompletion } from '../sandbox/life.ts'

// Chunks are gathered while the guest is busy. More than this is handed over in pieces, so that no group is so large
// that its events stall the main thread.
const MAX_GROUP_BYTES = 256 * 1024
// A group of this many bytes costs more to decode than to hand over.
const LARGE_GROUP_BYTES = 32 * 1024
// Past this the socket waits. A frame may be larger: what is not whole yet is in the sandbox.
const MAX_WAITING_BYTES = 1024 * 1024
// After the guest's `stop` a service may still send usage. One that keeps the connection open does not hold the answer.
const AFTER_STOP_MS = 1_000

/** How far the answer is, for whoever feeds it. */
export interface FeedProgress {
  /** Nobody wants more: the caller cancelled, or the answer failed. */
  readonly ended: boolean
  /** The reader lags: the body should wait. */
  readonly full: boolean
  /** The guest has said why the answer ended. */
  readonly stopped: boolean
}

export interface BodyFeed {
  /** Resolves when all of the body that counts was decoded; rejects with what went wrong. */
  finished: Promise<void>
  /** The reader has caught up. */
  drained(): void
}

/** Feeds a body to the guest in groups of all that has arrived, and holds the socket back while a reader lags. */
export function feedBody(
  guest: SandboxCompletion,
  body: ResponseBody,
  accept: (events: readonly unknown[]) => Promise<void>,
  progress: FeedProgress,
): BodyFeed {
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let ended = false
  let broken: Error | undefined
  let feeding = false
  let paused = false
  let grace: NodeJS.Timeout | undefined

  const finish = () => {
    clearTimeout(grace)
    resolve()
  }

  function drained() {
    if (!paused || progress.full || waitingBytes >= MAX_WAITING_BYTES) return
    paused = false
    body.resume()
  }

  function take() {
    const bytes = takeBytes(waiting, MAX_GROUP_BYTES)
    waitingBytes -= bytes?.byteLength ?? 0
    return { bytes, end: ended && !broken && waiting.length === 0 }
  }

  async function feedOnce(): Promise<void> {
    let last = false
    const fed = guest.feed(() => {
      const piece = take()
      last = piece.end
      return piece
    })
    // Waiting gathers more into one group; where there is enough, or no more to come, it only takes time.
    if (ended || broken || waitingBytes >= LARGE_GROUP_BYTES) guest.flush()
    const { events, failure } = await fed
    if (progress.ended) return finish()
    await accept(events)
    if (failure) throw failure
    if (last || (progress.stopped && ended)) return finish()
    if (progress.stopped) grace ??= setTimeout(finish, AFTER_STOP_MS)
    if (waiting.length === 0 && broken) throw broken
    drained()
    if (waiting.length > 0 || ended) return feedOnce()
  }

  async function pump() {
    if (progress.ended) return finish()
    if (feeding) return guest.grown()
    feeding = true
    try {
      await feedOnce()
    } catch (error) {
      clearTimeout(grace)
      reject(error)
    } finally {
      feeding = false
    }
  }

  body.pipe({
    data(chunk) {
      waiting.push(chunk)
      waitingBytes += chunk.byteLength
      if (!paused && (progress.full || waitingBytes >= MAX_WAITING_BYTES)) {
        paused = true
        body.pause()
      }
      void pump()
    },
    end() {
      ended = true
      void pump()
      guest.flush()
    },
    error(error) {
      broken = error
      void pump()
      guest.flush()
    },
  })
  return { finished, drained }
}

/** Takes whole chunks up to about `most` bytes, in a buffer of their own that can be given away. */
function takeBytes(chunks: Uint8Array[], most: number): Uint8Array<ArrayBuffer> | undefined {
  let count = 0
  let length = 0
  while (count < chunks.length && (count === 0 || length < most)) length += chunks[count++]!.byteLength
  if (count === 0) return undefined
  const joined = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks.splice(0, count)) {
    joined.set(chunk, at)
    at += chunk.byteLength
  }
  return joined
}
