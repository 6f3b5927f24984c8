import type { TokenUsage } from '../contract/events.ts'
import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { readProviderError, startedCompletion } from '../contract/guest-values.ts'
import { createOrderLaw } from '../contract/order-law.ts'
import { ProviderError } from '../errors.ts'
import type { ResponseBody } from '../http/body.ts'
import type { Exchange } from '../http/egress.ts'
import { toOutgoingRequest } from '../http/outgoing-request.ts'
import { readBody } from '../http/read-body.ts'
import type { SandboxCompletion } from '../sandbox/life.ts'
import { createAcceptor } from './accept-events.ts'
import type { AttemptSink } from './attempt-sink.ts'
import type { ExtensionHost } from './extension-host.ts'
import { feedBody } from './feed-body.ts'
import { withWait } from './retry/find-wait.ts'

const MAX_ERROR_BODY_BYTES = 1024 * 1024
// A guest that computes its answer itself may think in steps, but not for ever.
const MAX_EMPTY_GROUPS = 100
// Made once: a stack for each answer that ends well would cost more than the end.
const OVER = new DOMException('The attempt is over', 'AbortError')

/** One try at an answer: the guest says what to ask, the host asks, the guest reads what comes. */
export interface Attempt {
  /** Resolves when the answer is whole. To be called once. */
  run(): Promise<void>
  /** What the service has reported so far. */
  readonly usage: TokenUsage | undefined
  /** The reader has caught up. */
  drained(): void
  /** Gives back the socket and the guest's resource. Idempotent. */
  release(): void
}

export function createAttempt(
  { host, provider, model }: { host: ExtensionHost; provider: string; model: string },
  request: GuestRequest,
  caller: AttemptSink,
): Attempt {
  const law = createOrderLaw()
  const over = new AbortController()
  // What is still under way when it is over reaches nobody: another attempt may be telling its own answer.
  const sink: AttemptSink = {
    push(event) {
      if (!over.signal.aborted) caller.push(event)
    },
    get ended() {
      return over.signal.aborted || caller.ended
    },
    get full() {
      return caller.full
    },
    beforeUsage: caller.beforeUsage,
  }
  const accept = createAcceptor(law, sink, host, details => withWait(details, { headers }, Date.now()))
  let guest: SandboxCompletion | undefined
  let headers: Exchange['headers'] = []
  let body: ResponseBody | undefined
  let drained = () => {}

  async function run(): Promise<void> {
    guest = await host.start(provider, model, request)
    if (sink.ended) return release()
    const started = startedCompletion.parse({ request: guest.request, framing: guest.framing })
    const lost = new Promise<never>((_, reject) => guest?.onLost(reject))
    lost.catch(() => {})
    if (started.framing === 'none') return Promise.race([lost, computeAll(guest)])
    if (!started.request) throw new TypeError('a completion without a request, though its framing needs one')
    const send = host.send(toOutgoingRequest(started.request), over.signal)
    const exchange = await Promise.race([send, lost])
    if (exchange.status < 200 || exchange.status > 299)
      return Promise.race([lost, rejectAll(guest, exchange)])
    headers = exchange.headers
    body = exchange.body
    const feed = feedBody(guest, body, accept, {
      get ended() {
        return sink.ended
      },
      get full() {
        return sink.full
      },
      get stopped() {
        return law.stopped
      },
    })
    drained = feed.drained
    await Promise.race([lost, feed.finished])
    if (!sink.ended) await finish()
  }

  /** The guest computes the answer itself. */
  async function computeAll(from: SandboxCompletion): Promise<void> {
    let emptyGroups = 0
    while (!law.stopped && !sink.ended) {
      const fed = from.feed(() => ({ bytes: undefined, end: false }))
      // Nothing else is coming that it could wait for.
      from.flush()
      const { events, failure } = await fed
      await accept(events)
      if (failure) throw failure
      emptyGroups = events.length === 0 ? emptyGroups + 1 : 0
      if (emptyGroups > MAX_EMPTY_GROUPS)
        throw new TypeError(`no event ${MAX_EMPTY_GROUPS} times in a row from decode, and no stop`)
      if (sink.full && !sink.ended) await new Promise<void>(resolve => (drained = resolve))
    }
    await finish()
  }

  /** The service answered outside 200-299. */
  async function rejectAll(from: SandboxCompletion, exchange: Exchange): Promise<never> {
    const bytes = await readBody(exchange.body, MAX_ERROR_BODY_BYTES)
    const { status, headers } = exchange
    const details = readProviderError(await from.reject({ status, headers, body: bytes }))
    throw new ProviderError(withWait(details, { headers, body: bytes }, Date.now()))
  }

  async function finish(): Promise<void> {
    if (law.usage) await sink.beforeUsage()
    if (sink.ended) return
    if (!law.end(sink.push))
      throw new ProviderError({ kind: 'network', message: 'The stream ended before the answer was complete' })
  }

  function release() {
    over.abort(OVER)
    body?.cancel()
    guest?.drop()
    drained()
  }

  return {
    run,
    get usage() {
      return law.usage
    },
    drained: () => drained(),
    release,
  }
}
