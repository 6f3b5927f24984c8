import { ProviderError } from '../provider-error.ts'
import { logThrown, toWitError, type WitProviderError } from './author-error.ts'
import { laterKind } from './later-kind.ts'

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

/** @throws {ProviderError} */
export function refusePromise<T>(result: T, provider: string, name: string): T {
  const kind = laterKind(result)
  if (kind === undefined) return result
  throw new ProviderError({
    kind: 'other',
    message: `${name}() of provider ${provider} returned ${kind}; provider functions are synchronous: call context.fetch(), which blocks`,
  })
}
