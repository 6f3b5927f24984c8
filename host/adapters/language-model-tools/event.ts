import { Disposable } from './disposable.ts'

/** Subscribes a listener until what comes back is disposed. */
export type Event<Value> = (
  listener: (value: Value) => unknown,
  thisArgs?: unknown,
  disposables?: { dispose(): unknown }[],
) => Disposable

export interface Emitter<Value> {
  readonly event: Event<Value>
  readonly hasListeners: boolean
  /** A listener that throws stops no other; the process warns of it. */
  fire(value: Value): void
  clear(): void
}

export function createEmitter<Value>(): Emitter<Value> {
  const listeners = new Set<(value: Value) => unknown>()
  return {
    event: toEvent(listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }),
    get hasListeners() {
      return listeners.size > 0
    },
    fire(value) {
      for (const listener of [...listeners]) {
        try {
          listener(value)
        } catch (error) {
          process.emitWarning(error instanceof Error ? error : String(error))
        }
      }
    },
    clear: () => listeners.clear(),
  }
}

/** An event of what `subscribe` listens to; it returns what stops listening. */
export function toEvent<Value>(
  subscribe: (listener: (value: Value) => unknown) => () => unknown,
): Event<Value> {
  return (listener, thisArgs, disposables) => {
    // The same function twice is two listeners.
    const stop = subscribe(value => listener.call(thisArgs, value))
    const disposable = new Disposable(stop)
    disposables?.push(disposable)
    return disposable
  }
}
