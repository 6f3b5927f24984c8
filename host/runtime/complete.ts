import { readProviderError, startedCompletion } from '../contract/guest-values.ts'
import type { ToolInputFormat } from '../contract/models.ts'
import { createOrderLaw } from '../contract/order-law.ts'
import type { parseRequest } from '../contract/request.ts'
import { toGuestRequest } from '../contract/to-guest.ts'
import { ProviderError } from '../errors.ts'
import type { ResponseBody } from '../http/body.ts'
import type { Exchange } from '../http/egress.ts'
import { toOutgoingRequest } from '../http/outgoing-request.ts'
import { readBody } from '../http/read-body.ts'
import type { SandboxCompletion } from '../sandbox/life.ts'
import { createAcceptor } from './accept-events.ts'
import { toCallerError } from './caller-error.ts'
import { type Completion, createCompletion } from './completion.ts'
import type { ExtensionHost } from './extension-host.ts'
import { feedBody } from './feed-body.ts'
import type { CredentialRefresh } from './refresh.ts'

export interface CompletionTarget {
  host: ExtensionHost
  provider: string
  model: string
  /** How the model wants schemas; `json-schema` where its provider does not say. */
  toolInputFormat(): Promise<ToolInputFormat>
  /** Models of this provider that are called much the same, best first. Asks it where it has not listed them yet. */
  nearestModels(signal: AbortSignal): Promise<string[]>
}

type ParsedRequest = ReturnType<typeof parseRequest>

const MAX_ERROR_BODY_BYTES = 1024 * 1024
// A guest that computes its answer itself may think in steps, but not for ever.
const MAX_EMPTY_GROUPS = 100
// A service that has just refused a model lists the others at once, or the error goes without them.
const NEAREST_MODELS_MS = 2_000

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
      const { provider, model, host } = target
      const { partial } = source.completion
      const place = { extension: host.id, provider, model, partial, usage: law.usage }
      throw await nameNearest(toCallerError(error, place), target, controller.signal)
    }
  }

  async function runOn(target: CompletionTarget, request: ParsedRequest): Promise<void> {
    const { host, provider, model } = target
    // Of an attempt that was refused.
    guest?.drop()
    const accept = createAcceptor(law, source, host)
    guest = await host.start(provider, model, await encode(target, request))
    if (source.ended) return release()
    const started = startedCompletion.parse({ request: guest.request, framing: guest.framing })
    const lost = new Promise<never>((_, reject) => guest?.onLost(reject))
    lost.catch(() => {})
    if (started.framing === 'none') return Promise.race([lost, computeAll(guest, accept)])
    if (!started.request) throw new TypeError('a completion without a request, though its framing needs one')
    const send = host.send(toOutgoingRequest(started.request), controller.signal)
    const exchange = await Promise.race([send, lost])
    if (exchange.status < 200 || exchange.status > 299)
      return Promise.race([lost, rejectAll(guest, exchange)])
    body = exchange.body
    const feed = feedBody(guest, body, accept, {
      get ended() {
        return source.ended
      },
      get full() {
        return source.full
      },
      get stopped() {
        return law.stopped
      },
    })
    drained = feed.drained
    await Promise.race([lost, feed.finished])
    if (!source.ended) finish()
  }

  /** The guest computes the answer itself. */
  async function computeAll(
    from: SandboxCompletion,
    accept: (events: readonly unknown[]) => Promise<void>,
  ): Promise<void> {
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

/** The service knows no such model: which may have been meant. */
async function nameNearest(
  failure: unknown,
  target: CompletionTarget,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(failure instanceof ProviderError) || failure.kind !== 'model-not-found') return failure
  const limited = AbortSignal.any([signal, AbortSignal.timeout(NEAREST_MODELS_MS)])
  const near = (await target.nearestModels(limited)).filter(name => !failure.message.includes(`"${name}"`))
  if (near.length > 0)
    failure.message = `${failure.message.replace(/[.?!]?\s*$/, '.')} Did you mean ${near.map(name => `"${name}"`).join(' or ')}?`
  return failure
}

/** The contract's request. Schemas are written in the form that the model takes, for which it has to be known. */
async function encode({ toolInputFormat }: CompletionTarget, request: ParsedRequest) {
  const hasSchemas = (request.tools?.length ?? 0) > 0 || request.responseFormat !== undefined
  return toGuestRequest(request, hasSchemas ? { toolInputFormat: await toolInputFormat() } : {})
}
