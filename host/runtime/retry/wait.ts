/** Resolves after `ms` milliseconds, or rejects with the signal's reason at once. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  if (signal.aborted) return Promise.reject(signal.reason)
  const abort = () => {
    clearTimeout(timer)
    reject(signal.reason)
  }
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', abort)
    resolve()
  }, ms)
  signal.addEventListener('abort', abort, { once: true })
  return promise
}
