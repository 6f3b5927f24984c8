import type { CompletionObserver } from './observer.ts'

const NAMES = ['attempt', 'retry', 'fallback', 'event', 'end'] as const

/** One observer of several, whose failures are theirs alone. What nobody observes is not called. */
export function observeSafely(
  observers: readonly (CompletionObserver | undefined)[],
  failed: (error: unknown) => void,
): CompletionObserver & Required<Pick<CompletionObserver, 'within'>> {
  const together: Partial<Record<(typeof NAMES)[number], (said: never) => void>> = {}
  for (const name of NAMES) {
    const interested = observers.filter(observer => observer?.[name] !== undefined)
    if (interested.length === 0) continue
    together[name] = said => {
      for (const observer of interested) {
        try {
          // An async one fails later, and is nobody's to wait for.
          const done: unknown = observer?.[name]?.(said)
          if (done instanceof Promise) done.catch(failed)
        } catch (error) {
          failed(error)
        }
      }
    }
  }
  return {
    ...together,
    within: work =>
      observers.reduce((inner, observer) => {
        const { within } = observer ?? {}
        return within ? () => within(inner) : inner
      }, work)(),
  }
}
