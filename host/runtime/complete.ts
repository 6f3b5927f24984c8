import type { CompletionEvent } from '../contract/events.ts'
import { readGuestEvent } from '../contract/guest-event.ts'
import { readProviderError, startedCompletion } from '../contract/guest-values.ts'
import { createOrderLaw } from '../contract/order-law.ts'
import type { parseRequest } from '../contract/request.ts'
import { toGuestRequest } from '../contract/to-guest.ts'
import {
  AirlockError,
  ExtensionError,
  PermissionDeniedError,
  ProviderError,
  type ProviderErrorDetails,
  TransportError,
} from '../errors.ts'
import type { ResponseBody } from '../http/body.ts'
import type { Exchange } from '../http/egress.ts'
import { toOutgoingRequest } from '../http/outgoing-request.ts'
import { readBody } from '../http/read-body.ts'
import { ReturnedError, type SandboxCompletion } from '../sandbox/life.ts'
import { type Completion, type CompletionSource, createCompletion } from './completion.ts'
import type { ExtensionHost } from './extension-host.ts'
import type { CredentialRefresh } from './refresh.ts'

export interface CompletionTarget {
  host: ExtensionHost
  provider: string
  model: string
}

type ParsedRequest = ReturnType<typeof parseRequest>

// Chunks are gathered while the guest is busy. More than this is handed over in pieces, so that no group is so large
// that its events stall the main thread.
const MAX_GROUP_BYTES = 256 * 1024
// Past this the socket waits. A frame may be larger: what is not whole yet is in the sandbox.
const MAX_WAITING_BYTES = 1024 * 1024
// After the guest's `stop` a service may still send usage. One that keeps the connection open does not hold the answer.
const AFTER_STOP_MS = 1_000
const MAX_ERROR_BODY_BYTES = 1024 * 1024
// A guest that computes its answer itself may think in steps, but not for ever.
const MAX_EMPTY_GROUPS = 100
// The events of one group are handed on in slices of this, so that other work of the thread gets its turn.
const SLICE_MS = 8
const EVENTS_BETWEEN_LOOKS = 128

/** Runs one completion: the guest says what to ask, the host asks, the guest reads what comes. */
export function complete(
  parse: () => ParsedRequest,
  find: (request: ParsedRequest) => Promise<CompletionTarget>,
  { withCredential }: Pick<CredentialRefresh, 'withCredential'>,
  signal: AbortSignal | undefined,
): Completion {
  const law = createOrderLaw()
  const controller = new AbortController()
  let guest: SandboxCompletion | undefined
  let body: ResponseBody | undefined
  let drained = () => {}
  let accept: (events: unknown[]) => Promise<void>
  const source = createCompletion({
    usage: () => law.usage,
    drained: () => drained(),
    cancelled: reason => controller.abort(reason),
  })

  const abort = () => source.completion.cancel(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  controller.signal.addEventListener('abort', release, { once: true })

  /** Every exit comes by here: the socket, the guest's resource and the listeners are given back. */
  function release() {
    signal?.removeEventListener('abort', abort)
    body?.cancel()
    guest?.drop()
  }

  async function run(): Promise<void> {
    const request = parse()
    const target = await find(request)
    try {
      const attempt = () => runOn(target, request)
      const isTouched = () => source.ended || source.completion.partial.length > 0
      await withCredential(target, attempt, { signal: controller.signal, isTouched })
    } catch (error) {
      throw toCallerError(error, target, source, law.usage)
    }
  }

  async function runOn({ host, provider, model }: CompletionTarget, request: ParsedRequest): Promise<void> {
    // Of an attempt that was refused.
    guest?.drop()
    accept = createAcceptor(host)
    guest = await host.start(provider, model, toGuestRequest(request))
    if (source.ended) return release()
    const started = startedCompletion.parse({ request: guest.request, framing: guest.framing })
    const lost = new Promise<never>((_, reject) => guest?.onLost(reject))
    lost.catch(() => {})
    if (started.framing === 'none') return Promise.race([lost, computeAll(guest)])
    if (!started.request) throw new TypeError('a completion without a request, though its framing needs one')
    const send = host.send(toOutgoingRequest(started.request), controller.signal)
    const exchange = await Promise.race([send, lost])
    if (exchange.status < 200 || exchange.status > 299)
      return Promise.race([lost, rejectAll(guest, exchange)])
    body = exchange.body
    return Promise.race([lost, decodeAll(guest, exchange.body)])
  }

  /** The guest computes the answer itself. */
  async function computeAll(from: SandboxCompletion): Promise<void> {
    let emptyGroups = 0
    while (!law.stopped && !source.ended) {
      const fed = from.feed(() => ({ bytes: undefined, end: false }))
      // Nothing else is coming that it could wait for.
      from.flush()
      const { events, failure } = await fed
      await accept(events)
      if (failure) throw failure
      emptyGroups = events.length === 0 ? emptyGroups + 1 : 0
      if (emptyGroups > MAX_EMPTY_GROUPS)
        throw new TypeError(`no event ${MAX_EMPTY_GROUPS} times in a row from decode, and no stop`)
      if (source.full) await new Promise<void>(resolve => (drained = resolve))
    }
    finish()
  }

  /** The service answered outside 200-299. */
  async function rejectAll(from: SandboxCompletion, exchange: Exchange): Promise<never> {
    const bytes = await readBody(exchange.body, MAX_ERROR_BODY_BYTES)
    const { status, headers } = exchange
    throw new ProviderError(readProviderError(await from.reject({ status, headers, body: bytes })))
  }

  function decodeAll(from: SandboxCompletion, stream: ResponseBody): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Uint8Array[] = []
    let waitingBytes = 0
    let ended = false
    let broken: Error | undefined
    let feeding = false
    let paused = false
    let grace: NodeJS.Timeout | undefined

    const done = (settle: () => void) => {
      clearTimeout(grace)
      settle()
    }

    drained = () => {
      if (!paused || source.full || waitingBytes >= MAX_WAITING_BYTES) return
      paused = false
      stream.resume()
    }

    function take() {
      const bytes = takeBytes(waiting, MAX_GROUP_BYTES)
      waitingBytes -= bytes?.byteLength ?? 0
      return { bytes, end: ended && !broken && waiting.length === 0 }
    }

    async function pump() {
      if (source.ended) return done(resolve)
      if (feeding) return from.grown()
      feeding = true
      try {
        for (;;) {
          let last = false
          const { events, failure } = await from.feed(() => {
            const piece = take()
            last = piece.end
            return piece
          })
          if (source.ended) return done(resolve)
          await accept(events)
          if (failure) throw failure
          if (last || (law.stopped && ended)) {
            finish()
            return done(resolve)
          }
          if (law.stopped) grace ??= setTimeout(finishEarly, AFTER_STOP_MS)
          if (waiting.length === 0 && broken) throw broken
          drained()
          if (waiting.length === 0 && !ended) break
        }
      } catch (error) {
        done(() => reject(error))
      } finally {
        feeding = false
      }
    }

    function finishEarly() {
      if (source.ended) return
      finish()
      done(resolve)
    }

    stream.pipe({
      data(chunk) {
        waiting.push(chunk)
        waitingBytes += chunk.byteLength
        if (!paused && (source.full || waitingBytes >= MAX_WAITING_BYTES)) {
          paused = true
          stream.pause()
        }
        void pump()
      },
      end() {
        ended = true
        void pump()
        from.flush()
      },
      error(error) {
        broken = error
        void pump()
        from.flush()
      },
    })
    return promise
  }

  /** Reads a guest's events, and hands on what they mean. */
  function createAcceptor({ id, limits: { answerEvents, answerUnits } }: ExtensionHost) {
    let count = 0
    let units = 0

    function push(event: CompletionEvent) {
      count++
      units += unitsOf(event)
      source.push(event)
      if (count <= answerEvents && units <= answerUnits) return
      const what = count > answerEvents ? `${answerEvents} events` : `${answerUnits} characters`
      throw new ExtensionError(
        'extension-stopped',
        id,
        `Extension "${id}" gave more than ${what} in one answer, and the answer was stopped`,
      )
    }

    return async (events: unknown[]): Promise<void> => {
      let sliceEnd = performance.now() + SLICE_MS
      for (let index = 0; index < events.length; index++) {
        const failed = law.accept(readGuestEvent(events[index]), push)
        if (failed) throw new ProviderError(failed)
        if (index % EVENTS_BETWEEN_LOOKS !== 0 || index === 0 || performance.now() < sliceEnd) continue
        await new Promise(setImmediate)
        if (source.ended) return
        sliceEnd = performance.now() + SLICE_MS
      }
    }
  }

  function finish() {
    if (!law.end(source.push)) {
      throw new ProviderError({ kind: 'network', message: 'The stream ended before the answer was complete' })
    }
    source.end()
    release()
  }

  run().catch(error => {
    source.end(error)
    release()
  })
  return source.completion
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

/** What the caller gets: a ProviderError that knows where it happened, whatever the cause. */
function toCallerError(
  error: unknown,
  target: CompletionTarget,
  source: CompletionSource,
  usage: ProviderErrorDetails['usage'],
) {
  if (error instanceof PermissionDeniedError) return error
  const { provider, model, host } = target
  const where = { provider, model, partial: [...source.completion.partial], ...(usage && { usage }) }
  if (error instanceof ProviderError) {
    const { kind, message, status, retryAfterMs, code } = error
    return new ProviderError({
      kind,
      message,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(code !== kind && { providerCode: code }),
      ...where,
      cause: error.cause,
    })
  }
  if (error instanceof ReturnedError)
    return new ProviderError({ ...readProviderError(error.record), ...where })
  if (error instanceof TransportError) {
    return new ProviderError({
      kind: 'network',
      message: error.message,
      providerCode: error.code,
      ...where,
      cause: error,
    })
  }
  if (error instanceof ExtensionError) {
    return new ProviderError({
      kind: 'other',
      message: error.message,
      providerCode: error.code,
      ...where,
      cause: error,
    })
  }
  if (error instanceof AirlockError) return error
  const broke = new ExtensionError(
    'extension-broke-contract',
    host.id,
    `Extension "${host.id}" broke the contract: it returned ${String((error as Error)?.message ?? error)}`,
    { cause: error },
  )
  return new ProviderError({
    kind: 'other',
    message: broke.message,
    providerCode: broke.code,
    ...where,
    cause: broke,
  })
}

function unitsOf(event: CompletionEvent): number {
  let units = 0
  for (const value of Object.values(event)) if (typeof value === 'string') units += value.length
  return units
}
