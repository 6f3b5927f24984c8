import type { CompletionRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { ExtensionError, TransportError } from '../errors.ts'
import type { Channel, OpenChannel } from './channel.ts'
import { createOutbox, type OutgoingCall } from './outbox.ts'
import type {
  Answer,
  CallId,
  CompletionId,
  FeedReply,
  FromSandbox,
  GuestCall,
  GuestFacts,
  GuestFailure,
  InstanceId,
  LogLine,
  SandboxLimits,
  SandboxSetup,
  StartReply,
} from './protocol.ts'
import { createWatchdog } from './watchdog.ts'

export interface SupervisorOptions {
  extension: string
  world: SandboxSetup['world']
  /** Transpiles, or finds the transpiled component; called for each start. */
  prepare(): Promise<{ folder: string; entry: string }>
  open: OpenChannel
  memoryMiB: number
  limits: SupervisorLimits
  facts: GuestFacts
  /** Answers a guest that waits. */
  capability(name: string, args: unknown[], signal: AbortSignal): Promise<Answer>
  release(name: 'http-response-stream', handle: number): void
  log(line: LogLine): void
}

export interface SupervisorLimits extends SandboxLimits {
  /** From the start of the sandbox to its first answer, milliseconds. */
  startMs: number
  /** Completions open at once. */
  openCompletions: number
  /** Requests of waiting guests at once. */
  pendingRequests: number
  /** Instances of one component. */
  instances: number
  /** Deaths within a minute before the extension is held back. */
  deaths: number
}

/** The guest returned the error of its `result`: `record` is a provider-error as it came, unchecked. */
export class ReturnedError extends Error {
  readonly record: unknown
  constructor(record: unknown) {
    super('the guest returned an error')
    this.record = record
  }
}

export interface BodyPiece {
  bytes: Uint8Array<ArrayBuffer> | undefined
  end: boolean
}

export interface SandboxCompletion extends StartReply {
  /**
   * Hands over bytes of the body, `end` with or after the last. `take` is called when they go, a few milliseconds
   * later in a busy stretch; their buffer is given away. Never rejects: what went wrong is in `failure`.
   */
  feed(take: () => BodyPiece): Promise<{ events: unknown[]; failure?: Error }>
  /** Lets what waits go now. */
  flush(): void
  /** Asks what an answer outside 200-299 means. */
  reject(response: unknown): Promise<unknown>
  /** Called once where the guest died under it, between calls too. */
  onLost(listener: (error: Error) => void): void
  /** Frees the guest's resource. Idempotent. */
  drop(): void
}

export interface SupervisorStats {
  state: 'idle' | 'running' | 'held-back'
  instances: number
  openCompletions: number
  deaths: number
  /** Milliseconds until a held-back extension may start again. */
  heldBackMs?: number
}

export interface Supervisor {
  call(name: string, args: unknown[], options?: { signal?: AbortSignal | undefined }): Promise<unknown>
  start(provider: string, model: string, request: CompletionRequest): Promise<SandboxCompletion>
  setFacts(facts: GuestFacts): void
  stats(): SupervisorStats
  close(): Promise<void>
}

interface PendingCall {
  id: CallId
  /** For messages: the export that was called. */
  name: string
  instance: InstanceState
  signal: AbortSignal | undefined
  resolve(value: unknown): void
  reject(error: Error): void
}

interface InstanceState {
  id: InstanceId
  /** Calls sent and not yet answered, in the order in which the sandbox runs them. */
  calls: Set<PendingCall>
  /** The guest waits for the host; nothing new is given to it. */
  suspended: number
  /** Open completions, and whom to tell when the guest dies. */
  open: Map<CompletionId, (error: Error) => void>
}

/** What one life of the sandbox holds; a new one begins empty. */
interface Life {
  channel: Channel
  ready: Promise<void>
  instances: Map<InstanceId, InstanceState>
  calls: Map<CallId, PendingCall>
  waits: Set<AbortController>
  over: boolean
}

const DEATHS_WINDOW_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Owns the sandbox of one extension: starts it when needed, gives it work, ends it when it misbehaves. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { extension, limits, memoryMiB } = options
  let facts = options.facts
  let life: Promise<Life> | undefined
  let current: Life | undefined
  let closed = false
  let counter = 0
  let deaths: number[] = []
  let totalDeaths = 0
  let heldBackUntil = 0

  function failed(code: ExtensionError['code'], message: string, cause?: unknown) {
    return new ExtensionError(
      code,
      extension,
      `Extension "${extension}" ${message}`,
      cause === undefined ? {} : { cause },
    )
  }

  function ensure(): Promise<Life> {
    if (closed) return Promise.reject(failed('extension-closed', 'was closed'))
    const pause = heldBackUntil - performance.now()
    if (!life && pause > 0) {
      const message = `failed ${deaths.length} times within a minute and is held back for another ${Math.ceil(pause / 1000)} s`
      return Promise.reject(failed('extension-held-back', message))
    }
    life ??= begin().catch(error => {
      life = undefined
      throw error
    })
    return life
  }

  async function begin(): Promise<Life> {
    const { folder, entry } = await options.prepare()
    if (closed) throw failed('extension-closed', 'was closed')
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    const begun: Life = {
      channel: options.open(
        {
          message(message) {
            if (begun.over) return
            if (message.type === 'ready') resolve()
            else if (message.type === 'failed')
              reject(failed('extension-start-failed', `cannot be loaded: ${describe(message.failure)}`))
            else receive(begun, message)
          },
          died(reason) {
            reject(failed('extension-start-failed', `could not be started: ${reason}`))
            end(begun, undefined, `was stopped: ${reason}`)
          },
          output: text => options.log({ level: 'warn', message: `printed: ${text.slice(0, 1000)}` }),
        },
        memoryMiB,
      ),
      ready,
      instances: new Map(),
      calls: new Map(),
      waits: new Set(),
      over: false,
    }
    begun.channel.post({
      type: 'setup',
      setup: { extension, folder, entry, world: options.world, limits, facts },
    })
    const timer = setTimeout(
      () => reject(failed('extension-start-failed', `did not start within ${limits.startMs} ms`)),
      limits.startMs,
    )
    try {
      await ready
    } catch (error) {
      begun.over = true
      await begun.channel.kill()
      recordDeath()
      throw error
    } finally {
      clearTimeout(timer)
    }
    current = begun
    return begun
  }

  const watchdog = createWatchdog({
    limitMs: limits.computeMs,
    expired() {
      if (!current) return
      const guilty = oldestRunning(current)
      end(
        current,
        guilty,
        `computed for more than ${limits.computeMs} ms in ${guilty?.name ?? 'a call'} and was stopped`,
      )
    },
  })

  const outbox = createOutbox((calls, transfer) => {
    if (!current || current.over) return
    watchdog.started()
    current.channel.post({ type: 'calls', calls }, transfer)
  })

  function receive(from: Life, message: Exclude<FromSandbox, { type: 'ready' | 'failed' }>) {
    handle(from, message)
    watchdog.heard(oldestRunning(from) !== undefined)
  }

  function handle(from: Life, message: Exclude<FromSandbox, { type: 'ready' | 'failed' }>) {
    switch (message.type) {
      case 'replies':
        for (const reply of message.replies) settle(from, reply.call, reply)
        return
      case 'wait':
        void answerWait(from, message)
        return
      case 'release':
        options.release(message.name, message.handle)
        return
      case 'log':
        for (const line of message.lines) options.log(line)
        return
      default:
        message satisfies never
    }
  }

  function settle(from: Life, id: CallId, reply: { value: unknown } | { failure: GuestFailure }) {
    const call = from.calls.get(id)
    if (!call) return
    from.calls.delete(id)
    call.instance.calls.delete(call)
    if ('value' in reply) call.resolve(reply.value)
    else call.reject(toError(reply.failure, call.name, from, call))
    tidy(from, call.instance)
  }

  function toError(failure: GuestFailure, name: string, from: Life, call?: PendingCall): Error {
    switch (failure.kind) {
      case 'returned':
        return new ReturnedError(failure.error)
      case 'trapped': {
        const instance = from.instances.get(failure.instance)
        if (instance) {
          from.instances.delete(instance.id)
          lose(instance, failed('extension-trapped', 'was stopped: its instance trapped'))
        }
        return failed('extension-trapped', `trapped in ${name}: ${failure.message}`, new Error(failure.stack))
      }
      case 'over-limit': {
        const error = failed('extension-stopped', `${failure.message} (in ${name}) and was stopped`)
        end(from, call, `was stopped: it ${failure.message}`)
        return error
      }
      case 'framing':
        return new TransportError(failure.code, failure.message)
      case 'unusable':
        return failed('extension-broke-contract', `cannot be used: ${failure.message}`)
      default:
        return failure satisfies never
    }
  }

  async function answerWait(from: Life, message: FromSandbox & { type: 'wait' }) {
    const instance = from.instances.get(message.instance)
    if (!instance) return
    const controller = new AbortController()
    const signal = first(instance.calls)?.signal
    const abort = () => controller.abort(signal?.reason)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    instance.suspended++
    from.waits.add(controller)
    let answer: Answer
    if (from.waits.size > limits.pendingRequests) {
      answer = { ok: false, error: `at most ${limits.pendingRequests} requests may be under way at once` }
    } else {
      answer = await options
        .capability(message.name, message.args, controller.signal)
        .catch((error: unknown) => ({
          ok: false,
          error: error instanceof Error ? error.message : String(error),
        }))
    }
    signal?.removeEventListener('abort', abort)
    from.waits.delete(controller)
    instance.suspended--
    if (from.over) return
    watchdog.started()
    from.channel.post({ type: 'answer', wait: message.wait, answer })
  }

  /** The instance for a new call. One that waits for the host is given nothing new. */
  function choose(from: Life, kind: 'start' | 'export'): InstanceState {
    const all = [...from.instances.values()]
    const free = all.filter(instance => instance.suspended === 0)
    // An export may fetch, and its instance would keep the streams in it waiting: it gets one without streams.
    const fitting =
      kind === 'start' ? free : free.filter(instance => instance.open.size === 0 && instance.calls.size === 0)
    if (fitting[0]) return fitting[0]
    if (all.length >= limits.instances) return (free[0] ?? all[0])!
    const created: InstanceState = { id: ++counter, calls: new Set(), suspended: 0, open: new Map() }
    from.instances.set(created.id, created)
    return created
  }

  /** An instance more than are needed costs memory: only one idle one is kept. */
  function tidy(from: Life, instance: InstanceState) {
    if (from.instances.size < 2 || instance.calls.size > 0 || instance.open.size > 0) return
    const others = [...from.instances.values()].filter(other => other !== instance && other.suspended === 0)
    if (others.length === 0 || !from.instances.delete(instance.id)) return
    outbox.add(() => ({ call: { op: 'drop-instance', instance: instance.id } }))
  }

  function send<Value>(
    from: Life,
    instance: InstanceState,
    name: string,
    create: (call: CallId) => GuestCall | OutgoingCall,
    how: { signal?: AbortSignal | undefined; patient?: boolean } = {},
  ): Promise<Value> {
    if (from.over) return Promise.reject(failed('extension-stopped', 'was stopped'))
    return new Promise<Value>((resolve, reject) => {
      const id = ++counter
      const pending: PendingCall = {
        id,
        name,
        instance,
        signal: how.signal,
        resolve: resolve as (value: unknown) => void,
        reject,
      }
      from.calls.set(id, pending)
      instance.calls.add(pending)
      outbox.add(() => {
        const made = create(id)
        return 'op' in made ? { call: made } : made
      }, how)
    })
  }

  function oldestRunning(from: Life): PendingCall | undefined {
    let oldest: PendingCall | undefined
    for (const { suspended, calls } of from.instances.values()) {
      const head = first(calls)
      if (head && suspended === 0 && (!oldest || head.id < oldest.id)) oldest = head
    }
    return oldest
  }

  /** The sandbox is ended; `guilty` gets the reason, the others are told that the extension was stopped. */
  function end(from: Life, guilty: PendingCall | undefined, reason: string) {
    if (from.over) return
    from.over = true
    if (current === from) current = undefined
    life = undefined
    watchdog.heard(false)
    outbox.clear()
    void from.channel.kill()
    recordDeath()
    for (const controller of from.waits) controller.abort(failed('extension-stopped', 'was stopped'))
    for (const call of from.calls.values()) {
      call.reject(
        call === guilty || !guilty
          ? failed('extension-stopped', reason)
          : failed('extension-stopped', 'was stopped'),
      )
    }
    from.calls.clear()
    for (const instance of from.instances.values()) lose(instance, failed('extension-stopped', 'was stopped'))
    options.log({ level: 'error', message: reason })
  }

  function lose(instance: InstanceState, error: Error) {
    const listeners = [...instance.open.values()]
    instance.open.clear()
    for (const lost of listeners) lost(error)
  }

  function recordDeath() {
    const now = performance.now()
    totalDeaths++
    deaths = [...deaths.filter(at => now - at < DEATHS_WINDOW_MS), now]
    const over = deaths.length - limits.deaths
    if (over >= 0) heldBackUntil = now + Math.min(FIRST_PAUSE_MS * 2 ** over, LONGEST_PAUSE_MS)
  }

  async function start(
    provider: string,
    model: string,
    request: CompletionRequest,
  ): Promise<SandboxCompletion> {
    const here = await ensure()
    const openCount = [...here.instances.values()].reduce((sum, instance) => sum + instance.open.size, 0)
    if (openCount >= limits.openCompletions) {
      throw failed(
        'extension-stopped',
        `has ${openCount} completions open, at most ${limits.openCompletions} are allowed at once`,
      )
    }
    const instance = choose(here, 'start')
    const completion = ++counter
    let onLost: (error: Error) => void = () => {}
    instance.open.set(completion, error => onLost(error))
    let reply: StartReply
    try {
      reply = await send<StartReply>(here, instance, 'start-completion', call => ({
        op: 'start',
        call,
        instance: instance.id,
        completion,
        provider,
        model,
        request,
      }))
    } catch (error) {
      instance.open.delete(completion)
      throw error
    }
    return {
      ...reply,
      async feed(take) {
        try {
          const fed = await send<FeedReply>(
            here,
            instance,
            'completion.decode',
            call => {
              const { bytes, end } = take()
              return {
                call: { op: 'feed', call, completion, bytes, end },
                ...(bytes && { transfer: bytes.buffer }),
              }
            },
            { patient: true },
          )
          if (!fed.failure) return { events: fed.events }
          return { events: fed.events, failure: toError(fed.failure, 'completion.decode', here) }
        } catch (error) {
          return { events: [], failure: error as Error }
        }
      },
      reject: response =>
        send(here, instance, 'completion.reject', call => ({
          op: 'reject',
          call,
          completion,
          response: response as never,
        })),
      flush: outbox.flush,
      onLost(listener) {
        onLost = listener
      },
      drop() {
        if (!instance.open.delete(completion) || here.over) return
        outbox.add(() => ({ call: { op: 'drop', completion } }))
        tidy(here, instance)
      },
    }
  }

  return {
    async call(name, args, how = {}) {
      const here = await ensure()
      how.signal?.throwIfAborted()
      const instance = choose(here, 'export')
      return send(
        here,
        instance,
        name,
        call => ({ op: 'export', call, instance: instance.id, name, args }),
        how,
      )
    },
    start,
    setFacts(next) {
      facts = next
      if (current && !current.over) {
        outbox.flush()
        current.channel.post({ type: 'facts', facts })
      }
    },
    stats() {
      const pause = heldBackUntil - performance.now()
      const instances = current ? [...current.instances.values()] : []
      return {
        state: current ? 'running' : pause > 0 ? 'held-back' : 'idle',
        instances: instances.length,
        openCompletions: instances.reduce((sum, instance) => sum + instance.open.size, 0),
        deaths: totalDeaths,
        ...(pause > 0 && !current && { heldBackMs: Math.ceil(pause) }),
      }
    },
    async close() {
      if (closed) return
      closed = true
      watchdog.close()
      outbox.clear()
      const here = await life?.catch(() => undefined)
      if (!here || here.over) return
      here.over = true
      current = undefined
      for (const controller of here.waits) controller.abort(failed('extension-closed', 'was closed'))
      for (const call of here.calls.values()) call.reject(failed('extension-closed', 'was closed'))
      await here.channel.kill()
    },
  }
}

function first<Value>(values: Set<Value>): Value | undefined {
  for (const value of values) return value
  return undefined
}

function describe(failure: GuestFailure): string {
  return 'message' in failure ? failure.message : 'it returned an error'
}
