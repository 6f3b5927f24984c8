import { ProviderError } from '../provider-error.ts'

export interface ServiceUrlOptions {
  /** What the user set, or the service's own base URL. */
  baseUrl: string
  /** The version that a base URL without one gets, e.g. `v1`. */
  version: string
  /** Behind the version, e.g. `messages`. Its query, if any, comes behind that of the base URL. */
  endpoint: string
  /** Where the URL was set, for the message of one that is none. */
  setting: string
}

/**
 * The URL of one of a service's endpoints. `https://host/v1`, `https://host/v1/` and `https://host` mean the same; a
 * path that has a version anywhere is taken as it is. The query is kept.
 * @throws {ProviderError} kind `invalid-request` where it is no http or https URL.
 */
export function serviceUrl({ baseUrl, version, endpoint, setting }: ServiceUrlOptions): string {
  const parts = /^(https?:\/\/[^/?#\s]+)([^?#\s]*)(?:\?([^#\s]*))?(?:#\S*)?$/i.exec(baseUrl.trim())
  if (!parts) {
    throw new ProviderError({
      kind: 'invalid-request',
      message: `Cannot use ${setting}: it must be an http or https URL such as https://example.com/${version}: current value is ${JSON.stringify(baseUrl)}`,
    })
  }
  const [, origin, rawPath, ownQuery = ''] = parts
  const path = `/${rawPath}`.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  const base = /\/v\d[^/]*(\/|$)/.test(path) ? path : `${path}/${version}`
  const [place, query = ''] = endpoint.split('?')
  const queries = [ownQuery, query].filter(Boolean).join('&')
  return `${origin}${base}/${place}${queries === '' ? '' : `?${queries}`}`
}
