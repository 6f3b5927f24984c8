/**
 * What kind of value an author returned that would have its result later; undefined where it has it now. No microtask
 * ever runs inside a component, so a promise would never settle.
 */
export function laterKind(result: unknown): 'a promise' | 'an async iterator' | undefined {
  if (typeof result !== 'object' || result === null) return undefined
  if ('then' in result && typeof result.then === 'function') return 'a promise'
  return Symbol.asyncIterator in result ? 'an async iterator' : undefined
}
