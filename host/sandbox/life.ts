import type { CompletionRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { ExtensionError, type ExtensionErrorCode, TransportError } from '../errors.ts'
import type { Channel, OpenChannel } from './channel.ts'
import { createInstancePool, type Instance, type PendingCall } from './instance-pool.ts'
import { createOutbox, type OutgoingCall } from './outbox.ts'
import type {
  Answer,
  CallId,
  FeedReply,
  FromSandbox,
  GuestCall,
  GuestFacts,
  GuestFailure,
  LogLine,
  SandboxLimits,
  SandboxSetup,
  StartReply,
} from './protocol.ts'
import type { SandboxCompletion } from './sandbox-completion.ts'
import { createWatchdog } from './watchdog.ts'

export type { SandboxCompletion }

export interface LifeLimits extends SandboxLimits {
  /** From the start of the sandbox to its first answer, milliseconds. */
  startMs: number
  /** Completions open at once. */
  openCompletions: number
  /** Requests of waiting guests at once. */
  pendingRequests: number
  /** Instances of one component. */
  instances: number
}

export interface LifeOptions {
  setup: Omit<SandboxSetup, 'limits'>
  open: OpenChannel
  memoryMiB: number
  limits: LifeLimits
  /** Answers a guest that waits. `callSignal` is the very signal that the call was made with, which tells whose call it is. */
  capability(
    name: string,
    args: unknown[],
    signal: AbortSignal,
    callSignal: AbortSignal | undefined,
  ): Promise<Answer>
  release(name: 'http-response-stream', handle: number): void
  log(line: LogLine): void
  /** It ended by itself, or had to be ended. Not called for `close`. */
  ended(): void
}

/** The guest returned the error of its `result`: `record` is a provider-error as it came, unchecked. */
export class ReturnedError extends Error {
  readonly record: unknown
  constructor(record: unknown) {
    super('the guest returned an error')
    this.record = record
  }
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Fails where every instance waits for the host, rather than wait for one: for what one of them may wait for. */
  atOnce?: boolean
}

/** One sandbox from its start to its end, and the calls in it. */
export interface Life {
  call(name: string, args: unknown[], options?: CallOptions): Promise<unknown>
  start(provider: string, model: string, request: CompletionRequest): Promise<SandboxCompletion>
  setFacts(facts: GuestFacts): void
  readonly instances: number
  readonly openCompletions: number
  close(): Promise<void>
}

/** Starts a sandbox. @throws {ExtensionError} `extension-start-failed`; nothing is left running. */
export async function startLife(options: LifeOptions): Promise<Life> {
  const { limits, setup } = options
  const { extension } = setup
  let counter = 0
  let over = false
  let waits = 0
  /** Computing time of the sandbox when it last said something. */
  let cpuMs = 0
  const stopped = new AbortController()
  const calls = new Map<CallId, PendingCall>()
  const pool = createInstancePool(limits.instances, () => ++counter)
  const started = Promise.withResolvers<void>()

  const failed = (code: ExtensionErrorCode, message: string, options: ErrorOptions = {}) =>
    new ExtensionError(code, extension, `Extension "${extension}" ${message}`, options)

  const watchdog = createWatchdog({
    limitMs: limits.computeMs,
    cpuMs: () => channel.cpuMs(),
    expired() {
      const guilty = pool.oldestRunning()
      const where = guilty?.name ?? 'a call'
      end(`computed for more than ${limits.computeMs} ms in ${where} and was stopped`, guilty)
    },
  })
  const outbox = createOutbox((batch, transfer) => {
    if (over) return
    // Not for a message that nothing answers: the silence after it means nothing.
    if (calls.size > 0) watchdog.started()
    channel.post({ type: 'calls', calls: batch }, transfer)
  })
  const channel: Channel = options.open(
    {
      message: receive,
      died(reason) {
        started.reject(failed('extension-start-failed', `could not be started: ${reason}`))
        end(`was stopped: ${reason}`)
      },
      output: text => options.log({ level: 'warn', message: `printed: ${text.slice(0, 1000)}` }),
    },
    options.memoryMiB,
  )

  function receive(message: FromSandbox) {
    if (over) return
    switch (message.type) {
      case 'ready':
        started.resolve()
        break
      case 'failed':
        started.reject(failed('extension-start-failed', `cannot be loaded: ${describe(message.failure)}`))
        break
      case 'replies':
        for (const reply of message.replies) settle(reply.call, reply)
        break
      case 'wait':
        void answerWait(message)
        break
      case 'release':
        options.release(message.name, message.handle)
        break
      case 'log':
        for (const line of message.lines) options.log(line)
        break
      default:
        message satisfies never
    }
    if ('cpuMs' in message) cpuMs = message.cpuMs
    watchdog.heard(pool.oldestRunning() !== undefined, cpuMs)
  }

  function settle(id: CallId, reply: { value: unknown } | { failure: GuestFailure }) {
    const call = calls.get(id)
    if (!call) return
    calls.delete(id)
    call.instance.calls.delete(call)
    if ('value' in reply) call.resolve(reply.value)
    else call.reject(toError(reply.failure, call.name, call))
    tidy(call.instance)
  }

  function toError(failure: GuestFailure, name: string, call?: PendingCall): Error {
    switch (failure.kind) {
      case 'returned':
        return new ReturnedError(failure.error)
      case 'trapped': {
        const cause = new Error(failure.stack)
        const instance = pool.remove(failure.instance)
        if (instance) lose(instance, failed('extension-trapped', 'was stopped: its instance trapped'))
        return failed('extension-trapped', `trapped in ${name}: ${failure.message}`, { cause })
      }
      case 'over-limit':
        end(`${failure.message} in ${name} and was stopped`, call)
        return failed('extension-stopped', `${failure.message} in ${name} and was stopped`)
      case 'framing':
        return new TransportError(failure.code, failure.message)
      case 'unusable':
        return failed('extension-broke-contract', `cannot be used: ${failure.message}`)
      default:
        return failure satisfies never
    }
  }

  async function answerWait(message: FromSandbox & { type: 'wait' }) {
    const instance = pool.get(message.instance)
    if (!instance) return
    const [running] = instance.calls
    if (running) {
      // A guest that computes a little between many requests computes too much all the same.
      running.computedMs += message.cpuMs - cpuMs
      if (running.computedMs > limits.computeMs) {
        end(`computed for more than ${limits.computeMs} ms in ${running.name} and was stopped`, running)
        return
      }
    }
    const signals = [stopped.signal, ...(running?.signal ? [running.signal] : [])]
    instance.waits++
    waits++
    const answer: Answer =
      waits > limits.pendingRequests
        ? { ok: false, error: `at most ${limits.pendingRequests} requests may be under way at once` }
        : await options
            .capability(message.name, message.args, AbortSignal.any(signals), running?.signal)
            .catch((error: unknown) => ({
              ok: false,
              error: error instanceof Error ? error.message : String(error),
            }))
    waits--
    instance.waits--
    if (over) return
    watchdog.started()
    channel.post({ type: 'answer', wait: message.wait, answer })
  }

  function send<Value>(
    instance: Instance,
    name: string,
    create: (call: CallId) => OutgoingCall,
    how: { signal?: AbortSignal | undefined; patient?: boolean } = {},
  ): Promise<Value> {
    if (over) return Promise.reject(failed('extension-stopped', 'was stopped'))
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const call: PendingCall = {
      id: ++counter,
      name,
      instance,
      signal: how.signal,
      computedMs: 0,
      resolve: resolve as (value: unknown) => void,
      reject,
    }
    calls.set(call.id, call)
    instance.calls.add(call)
    outbox.add(() => create(call.id), how)
    return promise
  }

  function tidy(instance: Instance) {
    if (pool.tidy(instance)) post({ op: 'drop-instance', instance: instance.id })
  }

  function post(call: GuestCall) {
    outbox.add(() => ({ call }))
  }

  function lose(instance: Instance, error: Error) {
    const listeners = [...instance.completions.values()]
    instance.completions.clear()
    // Later than the answer to the call that brought this about, which says more.
    setImmediate(() => {
      for (const lost of listeners) lost(error)
    })
  }

  /** Fails everything that is under way. `guilty` is told the reason, or everybody where nobody is. */
  function failAll(error: Error, reason: Error, guilty: PendingCall | undefined) {
    over = true
    watchdog.close()
    outbox.clear()
    stopped.abort(error)
    for (const call of calls.values()) call.reject(!guilty || call === guilty ? reason : error)
    calls.clear()
    for (const instance of pool.all) lose(instance, error)
  }

  function end(reason: string, guilty?: PendingCall) {
    if (over) return
    failAll(failed('extension-stopped', 'was stopped'), failed('extension-stopped', reason), guilty)
    void channel.kill()
    options.log({ level: 'error', message: reason })
    options.ended()
  }

  async function close() {
    if (over) return
    const error = failed('extension-closed', 'was closed')
    failAll(error, error, undefined)
    await channel.kill()
  }

  async function start(
    provider: string,
    model: string,
    request: CompletionRequest,
  ): Promise<SandboxCompletion> {
    if (pool.openCompletions >= limits.openCompletions) {
      throw failed(
        'extension-stopped',
        `has ${limits.openCompletions} completions open, the most there may be at once`,
      )
    }
    const instance = pool.choose('start')
    const completion = ++counter
    let onLost: (error: Error) => void = () => {}
    instance.completions.set(completion, error => onLost(error))

    const drop = () => {
      if (!instance.completions.delete(completion) || over) return
      // A guest's destructor that traps or hangs is dealt with like any other call; nobody waits for it.
      send(instance, 'the destructor of a completion', call => ({
        call: { op: 'drop', call, completion },
      })).catch(() => {})
    }
    const ask = { op: 'start', instance: instance.id, completion, provider, model, request } as const
    const reply = await send<StartReply>(instance, 'start-completion', call => ({
      call: { ...ask, call },
    })).catch(error => {
      drop()
      throw error
    })

    return {
      ...reply,
      async feed(take) {
        try {
          const create = (call: CallId) => {
            const { bytes, end } = take()
            return {
              call: { op: 'feed' as const, call, completion, bytes, end },
              ...(bytes && { transfer: bytes.buffer }),
            }
          }
          const { events, failure } = await send<FeedReply>(instance, 'completion.decode', create, {
            patient: true,
          })
          return failure ? { events, failure: toError(failure, 'completion.decode') } : { events }
        } catch (error) {
          return { events: [], failure: error as Error }
        }
      },
      grown: outbox.grown,
      flush: outbox.flush,
      reject: response =>
        send(instance, 'completion.reject', call => ({
          call: { op: 'reject', call, completion, response: response as never },
        })),
      onLost(listener) {
        onLost = listener
      },
      drop,
    }
  }

  channel.post({ type: 'setup', setup: { ...setup, limits } })
  const timer = setTimeout(
    () => started.reject(failed('extension-start-failed', `did not start within ${limits.startMs} ms`)),
    limits.startMs,
  )
  try {
    await started.promise
  } catch (error) {
    await close()
    throw error
  } finally {
    clearTimeout(timer)
  }

  return {
    call(name, args, how = {}) {
      const instance = pool.choose('export')
      if (how.atOnce && instance.waits > 0)
        return Promise.reject(
          failed(
            'extension-stopped',
            `has ${limits.instances} calls that wait, the most there may be at once`,
          ),
        )
      const ask = { op: 'export', instance: instance.id, name, args } as const
      return send(instance, name, call => ({ call: { ...ask, call } }), how)
    },
    start,
    setFacts(facts) {
      // What was asked for before goes before.
      outbox.flush()
      if (!over) channel.post({ type: 'facts', facts })
    },
    get instances() {
      return pool.size
    },
    get openCompletions() {
      return pool.openCompletions
    },
    close,
  }
}

function describe(failure: GuestFailure): string {
  return 'message' in failure ? failure.message : 'it returned an error'
}
