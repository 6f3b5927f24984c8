import { type Event, toEvent } from './event.ts'

export interface CancellationToken {
  readonly isCancellationRequested: boolean
  /** Tells a listener that comes too late as well, in a turn of its own. */
  readonly onCancellationRequested: Event<unknown>
}

/** The work was cancelled, or a person did not allow it. */
export class CancellationError extends Error {
  constructor(message = 'Canceled', options?: ErrorOptions) {
    super(message, options)
    this.name = 'Canceled'
  }
}

/** Makes a token, and cancels it. */
export class CancellationTokenSource {
  readonly token: CancellationToken
  readonly #controller = new AbortController()

  constructor() {
    this.token = toToken(this.#controller.signal)
  }

  cancel(): void {
    this.#controller.abort(new CancellationError())
  }

  /** The token can be cancelled no more. */
  dispose(): void {}
}

/** What a tool is given for a signal. Who disposes of a listener leaves none on the signal. */
export function toToken(signal: AbortSignal): CancellationToken {
  return {
    get isCancellationRequested() {
      return signal.aborted
    },
    onCancellationRequested: toEvent(listener => {
      if (signal.aborted) {
        const timer = setTimeout(listener, 0, undefined)
        return () => clearTimeout(timer)
      }
      const told = () => listener(undefined)
      signal.addEventListener('abort', told, { once: true })
      return () => signal.removeEventListener('abort', told)
    }),
  }
}

/** A signal that aborts with a `CancellationError` where the token is cancelled, until it is disposed of. */
export function toSignal(token: CancellationToken | undefined): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  let listening = token?.isCancellationRequested ? undefined : token?.onCancellationRequested(abort)
  function dispose() {
    listening?.dispose()
    listening = undefined
  }
  function abort() {
    controller.abort(new CancellationError())
    dispose()
  }
  if (token?.isCancellationRequested) abort()
  return { signal: controller.signal, [Symbol.dispose]: dispose }
}
