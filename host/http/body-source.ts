import type { BodySink, ResponseBody } from './body.ts'

/** What a body needs of the connection it comes from. */
export interface BodyControl {
  pause(): void
  resume(): void
  /** Destroys the socket. */
  abort(reason: Error): void
}

/** The writing end of a ResponseBody: the connection pushes, the body holds what nobody has asked for yet. */
export interface BodySource {
  readonly body: ResponseBody
  data(chunk: Uint8Array): void
  end(): void
  error(error: Error): void
}

/** `onSettled` is called once, when the body has ended, failed or was cancelled. */
export function createBodySource(control: BodyControl, onSettled: () => void): BodySource {
  let sink: BodySink | undefined
  let paused = false
  let held: Uint8Array[] = []
  let ended = false
  let failure: Error | undefined
  /** The connection has nothing more to say. */
  let settled = false
  /** The sink has been told. */
  let told = false
  let sourcePaused = false

  function settle(): void {
    if (settled) return
    settled = true
    onSettled()
  }

  function hold(): void {
    if (sourcePaused || settled) return
    sourcePaused = true
    control.pause()
  }

  /** Hands over what is held, until the sink pauses; then the end. */
  function flow(): void {
    while (sink !== undefined && !paused && !told) {
      const chunk = held.shift()
      if (chunk !== undefined) {
        sink.data(chunk)
        continue
      }
      if (failure !== undefined || ended) {
        told = true
        if (failure === undefined) sink.end()
        else sink.error(failure)
        return
      }
      if (sourcePaused && !settled) {
        sourcePaused = false
        control.resume()
      }
      return
    }
  }

  const body: ResponseBody = {
    pipe(to) {
      if (sink !== undefined) throw new TypeError('Cannot pipe a response body twice')
      sink = to
      flow()
    },
    pause() {
      paused = true
      hold()
    },
    resume() {
      if (!paused) return
      paused = false
      flow()
    },
    cancel(reason = new Error('The response body was cancelled')) {
      if (told || failure !== undefined) return
      failure = reason
      held = []
      if (!settled) control.abort(reason)
      settle()
      // A paused sink learns of it too: nothing is left that it could be spared.
      paused = false
      flow()
    },
  }

  return {
    body,
    data(chunk) {
      if (settled) return
      if (sink !== undefined && !paused && held.length === 0) {
        sink.data(chunk)
        return
      }
      held.push(chunk)
      hold()
    },
    end() {
      if (settled) return
      ended = true
      settle()
      flow()
    },
    error(error) {
      if (settled) return
      failure = error
      // What came before a fault was paid for and is handed over first.
      settle()
      flow()
    },
  }
}
