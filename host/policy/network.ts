import { InvalidFileError } from '../errors.ts'
import { originCovers, originProblem } from './origins.ts'

/** Where requests may go. One of two locks: the manifest's rules and the grant's must both allow. */
export interface NetworkRules {
  /** Whether this URL, as it will be sent, is of an allowed origin. A user name or password is never allowed. */
  allows(url: URL): boolean
  readonly origins: readonly string[]
}

/**
 * Reads the `network` list of a manifest or grant: `https://api.example.com`, `https://*.example.com`.
 * Nothing listed, nothing allowed. Throws InvalidFileError that names `source`.
 */
export function parseNetworkRules(origins: readonly string[], source: string): NetworkRules {
  for (const origin of origins) {
    const problem = originProblem(origin)
    if (problem === undefined) continue
    throw new InvalidFileError(
      'invalid-manifest',
      source,
      `Cannot use ${JSON.stringify(origin)} in permissions.network of ${source}: it ${problem}`,
    )
  }
  return networkRules(origins)
}

/** Rules for URLs that the user wrote: their origins, any scheme and host. What is no http URL is left out. */
export function userNetworkRules(urls: readonly string[]): NetworkRules {
  const origins = urls
    .map(text => URL.parse(text)?.origin ?? 'null')
    .filter(origin => /^https?:/.test(origin))
  return networkRules([...new Set(origins)])
}

/** Allows what any of the rules allows: a credential's own origins are those of its manifest or of the user. */
export function anyNetworkRules(...rules: readonly NetworkRules[]): NetworkRules {
  return {
    allows: url => rules.some(rule => rule.allows(url)),
    origins: [...new Set(rules.flatMap(rule => rule.origins))],
  }
}

function networkRules(origins: readonly string[]): NetworkRules {
  const exact = new Set(origins)
  const wildcards = origins.filter(origin => origin.includes('://*.'))
  return {
    allows(url) {
      if (url.username !== '' || url.password !== '') return false
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return false
      return exact.has(url.origin) || wildcards.some(wildcard => originCovers(wildcard, url.origin))
    },
    origins,
  }
}
