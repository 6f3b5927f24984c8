import { TransportError } from '../errors.ts'
import type { ResponseBody } from './body.ts'
import type { Sending, WireResponse } from './send.ts'

/** One request on its way, redirects and all: what its signal and its time limit can reach at any moment. */
export interface Trip {
  send(start: () => Sending): Promise<WireResponse>
  /** The body that the caller gets. `isDecoded`: it outlives its socket. */
  hold(body: ResponseBody, isDecoded: boolean): void
  socketDone(): void
  /** Lets go of signal and timer: the trip is over. */
  finish(): void
}

/** Throws nothing; the signal's reason, or TransportError 'timed-out' after `totalMs`, ends what is under way. */
export function createTrip(signal: AbortSignal | undefined, totalMs: number): Trip {
  let sending: Sending | undefined
  let body: ResponseBody | undefined
  let decoded = false
  let done = false
  let ended: Error | undefined

  function abort(reason: Error): void {
    ended = reason
    finish()
    if (body !== undefined) body.cancel(reason)
    else sending?.abort(reason)
  }
  // Whatever the caller gave as its reason is what it gets.
  const onAbort = () => abort(signal?.reason as Error)
  const timer = setTimeout(
    () => abort(new TransportError('timed-out', `The exchange took longer than ${totalMs} ms`)),
    totalMs,
  )
  signal?.addEventListener('abort', onAbort, { once: true })

  function finish(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }

  return {
    async send(start) {
      if (ended !== undefined) throw ended
      done = false
      sending = start()
      return await sending.response
    },
    hold(held, isDecoded) {
      body = held
      decoded = isDecoded
      if (ended !== undefined) held.cancel(ended)
      else if (done && !decoded) finish()
    },
    socketDone() {
      // A short answer is there in full before anyone holds its body; that of a redirect never is held.
      done = true
      if (body !== undefined && !decoded) finish()
    },
    finish,
  }
}
