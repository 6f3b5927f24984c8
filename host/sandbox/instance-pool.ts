import type { CallId, CompletionId, InstanceId } from './protocol.ts'

export interface PendingCall {
  id: CallId
  /** For messages: the export that was called. */
  name: string
  instance: Instance
  signal: AbortSignal | undefined
  /** Computing time before it last waited for the host, milliseconds. */
  computedMs: number
  resolve(value: unknown): void
  reject(error: Error): void
}

/** One instance of the component, as the host sees it. */
export interface Instance {
  id: InstanceId
  /** Calls sent and not yet answered, in the order in which the sandbox runs them. */
  calls: Set<PendingCall>
  /** Calls in it that wait for the host: while there is one, nothing new is given to it. */
  waits: number
  /** Open completions, and whom to tell when the guest dies. */
  completions: Map<CompletionId, (error: Error) => void>
}

export interface InstancePool {
  /** The instance for a new call. One that waits for the host is given nothing new, if that can be helped. */
  choose(kind: 'start' | 'export'): Instance
  get(id: InstanceId): Instance | undefined
  /** A trapped instance is gone. Returns it, if it was there. */
  remove(id: InstanceId): Instance | undefined
  /** Lets go of an instance that has nothing to do while another has room. True where it did. */
  tidy(instance: Instance): boolean
  /** The call that the sandbox has been running longest, those that wait for the host aside. */
  oldestRunning(): PendingCall | undefined
  readonly all: Iterable<Instance>
  readonly size: number
  readonly openCompletions: number
}

/** Which instances there are: one for all streams, more only while one of them waits for the host. */
export function createInstancePool(most: number, nextId: () => InstanceId): InstancePool {
  const byId = new Map<InstanceId, Instance>()

  return {
    choose(kind) {
      const all = [...byId.values()]
      const free = all.filter(instance => instance.waits === 0)
      // An export may fetch, and its instance would keep the streams in it waiting: it gets one without streams.
      const idle = (instance: Instance) => instance.completions.size === 0 && instance.calls.size === 0
      const fitting = kind === 'start' ? free[0] : free.find(idle)
      if (fitting) return fitting
      if (all.length >= most) return (free[0] ?? all[0])!
      const created: Instance = { id: nextId(), calls: new Set(), waits: 0, completions: new Map() }
      byId.set(created.id, created)
      return created
    },
    get: id => byId.get(id),
    remove(id) {
      const instance = byId.get(id)
      byId.delete(id)
      return instance
    },
    tidy(instance) {
      if (byId.size < 2 || instance.calls.size > 0 || instance.completions.size > 0) return false
      const hasRoom = [...byId.values()].some(other => other !== instance && other.waits === 0)
      return hasRoom && byId.delete(instance.id)
    },
    oldestRunning() {
      let oldest: PendingCall | undefined
      for (const { waits, calls } of byId.values()) {
        const [first] = calls
        if (first && waits === 0 && (!oldest || first.id < oldest.id)) oldest = first
      }
      return oldest
    },
    all: { [Symbol.iterator]: () => byId.values() },
    get size() {
      return byId.size
    },
    get openCompletions() {
      let count = 0
      for (const { completions } of byId.values()) count += completions.size
      return count
    },
  }
}
