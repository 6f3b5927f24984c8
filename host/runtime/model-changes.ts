import { createRegistration, type Registration } from '../contract/registration.ts'

/** Providers whose models may not be what they were, by their references. */
export interface ModelsChange {
  providers: readonly string[]
}

export interface ModelChanges {
  /** Until what comes back is disposed of. A listener that throws stops no other. */
  onChange(listener: (change: ModelsChange) => void): Registration
  /** Says it once for all that changes in one go. */
  changed(providers: readonly string[]): void
}

export function createModelChanges(failed: (error: unknown) => void): ModelChanges {
  const listeners = new Set<(change: ModelsChange) => void>()
  let waiting: Set<string> | undefined

  function tell() {
    const providers = [...(waiting ?? [])].sort()
    waiting = undefined
    for (const listener of [...listeners]) {
      try {
        listener({ providers })
      } catch (error) {
        failed(error)
      }
    }
  }

  return {
    onChange(listener) {
      // The same function twice is two listeners.
      const own = (change: ModelsChange) => listener(change)
      listeners.add(own)
      return createRegistration(() => listeners.delete(own))
    },
    changed(providers) {
      if (providers.length === 0) return
      if (!waiting) queueMicrotask(tell)
      waiting = new Set([...(waiting ?? []), ...providers])
    },
  }
}
