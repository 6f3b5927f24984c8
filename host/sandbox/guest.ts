import { createFramer, type Framer } from '../http/frames.ts'
import { createBoundedDecoder } from './bounded-decoder.ts'
import { createCpuClock } from './cpu-clock.ts'
import { createGuestLog } from './guest-log.ts'
import { createImports } from './imports.ts'
import { loadComponent } from './load-component.ts'
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
  Reply,
  SandboxSetup,
  StartReply,
  ToSandbox,
} from './protocol.ts'
import { createWasi, WASI_OFFERED } from './wasi.ts'
import { isHeavierThan } from './weigh.ts'

// A reply waits for the rest of its batch, but not longer: silence is how the host tells that a guest hangs.
const FLUSH_MS = 50
// What the host is handed in one piece, its thread takes in one piece. A list of 4,000 models has 120,000 parts.
const MAX_PARTS = 150_000
const MAX_ERROR_UNITS = 1024 * 1024
// A request's body may be as large as its guest's memory.
const MAX_QUESTION_UNITS = 80 * 1024 * 1024
// All text that the transpiled code reads out of an instance in one call. Text that is not read twice has no more
// bytes than the instance has memory.
const MAX_TEXT_BYTES = 128 * 1024 * 1024

/** What the transpiled module offers: every export is asynchronous, since any may be suspended. */
type GuestExports = Record<string, (...args: unknown[]) => Promise<unknown>>

interface GuestCompletion {
  decode(frames: unknown[]): Promise<unknown[]>
  finish(): Promise<unknown[]>
  reject(response: unknown): Promise<unknown>
  [Symbol.dispose](): void
}

interface Instance {
  id: InstanceId
  exports: GuestExports
  /** Runs one call at a time: a suspended guest must not be entered again. */
  active: boolean
  queue: GuestCall[]
  completions: Set<CompletionId>
  decoder: ReturnType<typeof createBoundedDecoder>
}

interface Completion {
  instance: Instance
  guest: GuestCompletion
  framer: Framer | undefined
}

/** The sandbox's end of the protocol: the first message sets it up, the others are for the guest. */
export function createSandboxEnd(post: (message: FromSandbox) => void): (message: ToSandbox) => void {
  let guest: Awaited<ReturnType<typeof serveGuest>> | undefined
  return message => {
    if (message.type !== 'setup') return guest?.receive(message)
    serveGuest(post, message.setup).then(
      created => {
        guest = created
        post({ type: 'ready', cpuMs: cpuClock.exact() })
      },
      error => post({ type: 'failed', failure: { kind: 'unusable', message: messageOf(error) } }),
    )
  }
}

const cpuClock = createCpuClock()

/** Holds the instances of one component and runs the host's calls in them. */
async function serveGuest(post: (message: FromSandbox) => void, setup: SandboxSetup) {
  const { limits, world } = setup
  const instances = new Map<InstanceId, Promise<Instance>>()
  const completions = new Map<CompletionId, Completion>()
  const waits = new Map<number, (answer: Answer) => void>()
  const logger = createGuestLog(limits.logLinesPerSecond, lines => post({ type: 'log', lines }))
  const instantiate = await loadComponent(setup)
  const usesWasi = setup.imports.some(name => WASI_OFFERED.includes(name))
  let facts: GuestFacts = setup.facts
  let waitCount = 0
  let running = 0
  let replies: Reply[] = []
  let flushedAt = performance.now()

  async function createInstance(id: InstanceId): Promise<Instance> {
    const instance: Instance = {
      id,
      exports: {},
      active: false,
      queue: [],
      completions: new Set(),
      decoder: createBoundedDecoder(MAX_TEXT_BYTES),
    }
    const exports = await instantiate(instance.decoder.TextDecoder, {
      ...createImports({
        facts: () => facts,
        wait: (name, args) => suspend(instance, name, args),
        release: handle => post({ type: 'release', name: 'http-response-stream', handle }),
        log: line => logger.add(line),
      }),
      ...(usesWasi && (await createWasi(line => logger.add(line)))),
    })
    const offered = exports[world]
    if (typeof offered !== 'object' || offered === null) throw new Error(`it does not export ${world}`)
    instance.exports = offered as GuestExports
    return instance
  }

  function instanceFor(id: InstanceId): Promise<Instance> {
    const present = instances.get(id)
    if (present) return present
    const created = createInstance(id)
    instances.set(id, created)
    return created
  }

  function suspend(instance: Instance, name: string, args: unknown[]): Promise<Answer> {
    if (isHeavierThan({ parts: MAX_PARTS, units: MAX_QUESTION_UNITS }, args))
      return Promise.resolve({ ok: false, error: `${name} was given more than may be handed over at once` })
    const wait = ++waitCount
    running--
    flush()
    post({ type: 'wait', wait, instance: instance.id, name, args, cpuMs: cpuClock.exact() })
    return new Promise<Answer>(resolve => waits.set(wait, resolve)).then(answer => {
      running++
      return answer
    })
  }

  function flush() {
    if (replies.length === 0) return
    const batch = replies
    replies = []
    flushedAt = performance.now()
    logger.flush()
    post({ type: 'replies', replies: batch, cpuMs: cpuClock.recent() })
  }

  function reply(call: CallId, value: unknown) {
    replies.push({ call, value })
  }

  function fail(call: CallId, failure: GuestFailure) {
    replies.push({ call, failure })
  }

  /** Calls of one instance run in their order, those of others beside them. */
  async function enqueue(call: GuestCall, id: InstanceId) {
    let instance: Instance
    running++
    try {
      instance = await instanceFor(id)
    } catch (error) {
      instances.delete(id)
      if ('call' in call) fail(call.call, { kind: 'unusable', message: messageOf(error) })
      settle()
      return
    }
    if (instance.active) {
      running--
      instance.queue.push(call)
      return
    }
    instance.active = true
    for (let next: GuestCall | undefined = call; next; next = instance.queue.shift()) {
      await perform(instance, next)
      if (performance.now() - flushedAt > FLUSH_MS) flush()
    }
    instance.active = false
    settle()
  }

  function settle() {
    if (--running === 0) flush()
  }

  async function perform(instance: Instance, call: GuestCall) {
    instance.decoder.reset()
    try {
      switch (call.op) {
        case 'export':
          return reply(call.call, light(await callExport(instance, call.name, call.args)))
        case 'start':
          return reply(call.call, await start(instance, call))
        case 'feed':
          return reply(call.call, await feed(call))
        case 'reject':
          return reply(call.call, light(await completions.get(call.completion)?.guest.reject(call.response)))
        case 'drop':
          return reply(call.call, drop(call.completion))
        case 'drop-instance':
          instances.delete(call.instance)
          return
        default:
          return call satisfies never
      }
    } catch (error) {
      const failure = toFailure(error, instance)
      if (failure.kind === 'trapped') bury(instance)
      if ('call' in call) fail(call.call, failure)
    }
  }

  async function callExport(instance: Instance, name: string, args: unknown[]): Promise<unknown> {
    const run = instance.exports[name]
    if (typeof run !== 'function') throw new Error(`it does not export ${name}`)
    return run(...args)
  }

  async function start(instance: Instance, call: GuestCall & { op: 'start' }): Promise<StartReply> {
    const started = (await callExport(instance, 'startCompletion', [
      call.provider,
      call.model,
      call.request,
    ])) as StartReply & { completion: GuestCompletion }
    const framer =
      started.framing === 'none'
        ? undefined
        : createFramer(started.framing, { maxFrameBytes: limits.frameBytes })
    completions.set(call.completion, { instance, guest: started.completion, framer })
    instance.completions.add(call.completion)
    return light({ request: started.request, framing: started.framing })
  }

  async function feed(call: GuestCall & { op: 'feed' }): Promise<FeedReply> {
    const completion = completions.get(call.completion)
    if (!completion) return { events: [] }
    const { guest, framer, instance } = completion
    let events: unknown[] = []
    try {
      const frames = framer && call.bytes ? framer.push(call.bytes) : []
      if (framer && call.end) frames.push(...framer.end())
      if (frames.length > 0 || !framer) events = await guest.decode(frames)
      if (framer?.error) {
        const { code, message } = framer.error
        return { events, failure: { kind: 'framing', code, message } }
      }
      if (call.end) events.push(...(await guest.finish()))
    } catch (error) {
      const failure = toFailure(error, instance)
      if (failure.kind === 'trapped') bury(instance)
      return { events, failure }
    }
    if (events.length > limits.eventsPerCall) {
      const message = `returned ${events.length} events at once, at most ${limits.eventsPerCall} are allowed`
      return { events: [], failure: { kind: 'over-limit', message } }
    }
    if (isHeavierThan({ parts: Number.POSITIVE_INFINITY, units: limits.eventUnits }, events)) {
      const message = `returned more than ${limits.eventUnits} characters at once`
      return { events: [], failure: { kind: 'over-limit', message } }
    }
    return { events }
  }

  function drop(id: CompletionId) {
    const completion = completions.get(id)
    if (!completion) return
    completions.delete(id)
    completion.instance.completions.delete(id)
    completion.guest[Symbol.dispose]()
  }

  /** A trapped instance is dead: nothing of it may be entered again. */
  function bury(instance: Instance) {
    instances.delete(instance.id)
    for (const id of instance.completions) completions.delete(id)
    for (const call of instance.queue.splice(0)) {
      if ('call' in call)
        fail(call.call, {
          kind: 'trapped',
          message: 'its instance trapped',
          stack: '',
          instance: instance.id,
        })
    }
  }

  function instanceOf(call: GuestCall): InstanceId | undefined {
    return 'instance' in call ? call.instance : completions.get(call.completion)?.instance.id
  }

  return {
    receive(message: Exclude<ToSandbox, { type: 'setup' }>) {
      switch (message.type) {
        case 'facts':
          facts = message.facts
          return
        case 'calls':
          for (const call of message.calls) {
            const id = instanceOf(call)
            if (id !== undefined) void enqueue(call, id)
            // The instance trapped since the host sent this; the host knows it by now.
            else if ('call' in call)
              fail(call.call, { kind: 'trapped', message: 'its instance trapped', stack: '', instance: -1 })
          }
          if (running === 0) flush()
          return
        case 'answer': {
          const resume = waits.get(message.wait)
          waits.delete(message.wait)
          resume?.(message.answer)
          return
        }
        default:
          message satisfies never
      }
    },
  }
}

/** What a guest's export threw: the error of its `result`, or a trap. */
function toFailure(error: unknown, instance: Instance): GuestFailure {
  if (error instanceof TooHeavy) return { kind: 'over-limit', message: error.message }
  if (!(error instanceof Error)) return returned(error)
  if ('payload' in error) return returned(error.payload)
  return { kind: 'trapped', message: error.message, stack: error.stack ?? '', instance: instance.id }
}

function returned(error: unknown): GuestFailure {
  return isHeavierThan({ parts: MAX_PARTS, units: MAX_ERROR_UNITS }, error)
    ? { kind: 'over-limit', message: `returned an error of more than ${MAX_ERROR_UNITS} characters` }
    : { kind: 'returned', error }
}

class TooHeavy extends Error {}

function light<Value>(value: Value): Value {
  if (!isHeavierThan({ parts: MAX_PARTS, units: MAX_QUESTION_UNITS }, value)) return value
  throw new TooHeavy(`returned more than ${MAX_PARTS} values or ${MAX_QUESTION_UNITS} characters`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
