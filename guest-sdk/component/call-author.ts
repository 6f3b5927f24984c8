import { ProviderError } from '../provider-error.ts'
import { logThrown, toWitError, type WitProviderError } from './author-error.ts'

/** Runs an author's function for an export that may fail. @throws {WitProviderError} and nothing else. */
export function callAuthor<T>(provider: string, name: string, run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    throw toWitError(thrown, `${name}() of provider ${provider}`) satisfies WitProviderError
  }
}

/** Runs an author's function for an export that cannot fail: what it throws is logged and `fallback` returned. */
export function callAuthorOr<T>(provider: string, name: string, fallback: T, run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    logThrown(thrown, `${name}() of provider ${provider}`)
    return fallback
  }
}

/** No microtask ever runs inside a component, so a promise would never settle. @throws {ProviderError} */
export function refusePromise<T>(result: T, provider: string, name: string): T {
  if (typeof result !== 'object' || result === null) return result
  const isPromise = 'then' in result && typeof result.then === 'function'
  if (isPromise || Symbol.asyncIterator in result) {
    throw new ProviderError({
      kind: 'other',
      message: `${name}() of provider ${provider} returned ${isPromise ? 'a promise' : 'an async iterator'}; provider functions are synchronous: call context.fetch(), which blocks`,
    })
  }
  return result
}
