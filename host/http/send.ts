import type { Dispatcher } from 'undici'
import { TransportError } from '../errors.ts'
import type { HttpLimits } from '../policy/limits.ts'
import type { ResponseBody } from './body.ts'
import { type BodySource, createBodySource } from './body-source.ts'
import { toTransportError } from './transport-error.ts'

/** One request as it goes over the wire. */
export interface WireRequest {
  method: string
  url: URL
  headers: readonly (readonly [string, string])[]
  body?: Uint8Array
}

/** One answer as it came over the wire: names in lower case, nothing decoded. */
export interface WireResponse {
  status: number
  headers: [string, string][]
  body: ResponseBody
}

export interface Sending {
  response: Promise<WireResponse>
  /** Destroys the socket at once. `response` rejects with the reason, or the body fails with it. */
  abort(reason: Error): void
}

/** Sends one request on a connection of the dispatcher. `onSettled` is called once, when its socket is done with. */
export function send(
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: HttpLimits,
  onSettled: () => void,
): Sending {
  const exchange = new Exchange(request.url.origin, limits, onSettled)
  const { url, method, headers, body } = request
  exchange.waitFor('connection')
  try {
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headers.flat(),
        body: body ?? null,
      },
      exchange,
    )
  } catch (error) {
    exchange.fail(error)
  }
  return exchange
}

type Waiting = 'connection' | 'answer' | 'body'

/** undici calls this for every chunk: a class, so that each call finds the same shape. */
class Exchange implements Dispatcher.DispatchHandler, Sending {
  readonly response: Promise<WireResponse>
  readonly #origin: string
  readonly #limits: HttpLimits
  readonly #onSettled: () => void
  readonly #resolve: (response: WireResponse) => void
  readonly #reject: (error: Error) => void
  #controller: Dispatcher.DispatchController | undefined
  #source: BodySource | undefined
  #timer: NodeJS.Timeout | undefined
  #over: Error | true | undefined
  #wantsFlow = true
  #bytes = 0

  constructor(origin: string, limits: HttpLimits, onSettled: () => void) {
    const { promise, resolve, reject } = Promise.withResolvers<WireResponse>()
    this.response = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#origin = origin
    this.#limits = limits
    this.#onSettled = onSettled
  }

  abort(reason: Error): void {
    // The caller's own reason: it is not ours to translate.
    if (this.#source === undefined) this.#end(reason)
    else this.#source.body.cancel(reason)
  }

  /** Ends the exchange: the socket is destroyed, whoever waits is told. */
  fail(error: unknown): void {
    if (this.#over === undefined) this.#end(toTransportError(error, this.#origin))
  }

  #end(failure: Error): void {
    if (this.#over !== undefined) return
    this.#settle(failure)
    this.#controller?.abort(failure)
    this.#reject(failure)
    this.#source?.error(failure)
  }

  waitFor(what: Waiting): void {
    clearTimeout(this.#timer)
    const { connectMs, firstByteMs, idleMs } = this.#limits
    const ms = what === 'connection' ? connectMs : what === 'answer' ? firstByteMs : idleMs
    this.#timer = setTimeout(() => this.fail(timedOut(what, this.#origin, ms)), ms)
  }

  // --- called by undici ---

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over !== undefined) {
      controller.abort(this.#over === true ? new Error('aborted') : this.#over)
      return
    }
    this.#controller = controller
    this.waitFor('answer')
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // 1xx: the answer proper is still to come.
    if (status < 200 || this.#over !== undefined) return
    this.waitFor('body')
    this.#source = createBodySource(
      {
        pause: () => {
          this.#wantsFlow = false
          controller.pause()
          // Nobody waits for the service now: it is not its silence.
          clearTimeout(this.#timer)
          this.#timer = undefined
        },
        resume: () => {
          this.#wantsFlow = true
          // Not from inside another connection's parser, of which undici has one.
          queueMicrotask(() => {
            if (!this.#wantsFlow || this.#over !== undefined) return
            this.waitFor('body')
            controller.resume()
          })
        },
        abort: reason => {
          this.#settle(reason)
          controller.abort(reason)
        },
      },
      () => this.#settle(true),
    )
    this.#resolve({ status, headers: readHeaders(controller.rawHeaders), body: this.#source.body })
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#timer?.refresh()
    this.#bytes += chunk.length
    if (this.#bytes > this.#limits.maxBodyBytes) {
      const most = this.#limits.maxBodyBytes
      this.fail(
        new TransportError(
          'too-large',
          `The answer of ${this.#origin} is longer than ${most} bytes, the most accepted`,
        ),
      )
      return
    }
    this.#source?.data(chunk)
  }

  onResponseEnd(): void {
    this.#source?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(error)
  }

  onRequestUpgrade(): void {
    throw new TransportError('invalid-response', `${this.#origin} answered with another protocol`)
  }

  #settle(how: Error | true): void {
    if (this.#over !== undefined) return
    this.#over = how
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#onSettled()
  }
}

function timedOut(what: Waiting, origin: string, ms: number): TransportError {
  const message = {
    connection: `Cannot reach ${origin}: no connection within ${ms} ms`,
    answer: `${origin} took the request and did not answer within ${ms} ms`,
    body: `${origin} sent nothing for ${ms} ms in the middle of its answer`,
  }[what]
  return new TransportError('timed-out', message)
}

/** Latin-1, as the Fetch standard reads them (isomorphic decode). */
function readHeaders(raw: Dispatcher.DispatchController['rawHeaders']): [string, string][] {
  const headers: [string, string][] = []
  if (!Array.isArray(raw)) return headers
  for (let i = 0; i + 1 < raw.length; i += 2) {
    headers.push([text(raw[i]).toLowerCase(), text(raw[i + 1])])
  }
  return headers
}

function text(value: Buffer | string | undefined): string {
  return typeof value === 'string' ? value : (value?.toString('latin1') ?? '')
}
