import { TransportError } from '../errors.ts'
import { MAX_URL_CHARS } from '../policy/limits.ts'
import type { WireResponse } from './send.ts'

/** What a redirect may change of a request. */
export interface Hop {
  method: string
  headers: readonly (readonly [string, string])[]
  body: Uint8Array | undefined
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Where the response leads, or undefined where it is no redirect. Throws TransportError for a Location that is no URL. */
export function redirectTarget(response: WireResponse, from: URL): URL | undefined {
  if (!REDIRECTS.has(response.status)) return undefined
  const location = response.headers.find(([name]) => name === 'location')?.[1]
  if (location === undefined) return undefined
  // Headers were read as Latin-1; a Location that is not ASCII is UTF-8 in practice.
  const text = Buffer.from(location, 'latin1').toString('utf8')
  const target = text.length > MAX_URL_CHARS ? null : URL.parse(text, from.href)
  if (target === null) {
    response.body.cancel()
    throw new TransportError(
      'invalid-response',
      `Cannot follow the redirect of ${from.origin}: it leads to no valid URL`,
    )
  }
  return target
}

/** RFC 9110, 15.4: 303 asks with GET, 301 and 302 turn POST into GET, 307 and 308 repeat the request as it was. */
export function nextHop(status: number, hop: Hop): Hop {
  const toGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
  if (!toGet) return hop
  const headers = hop.headers.filter(([name]) => !/^content-/i.test(name))
  return { method: 'GET', headers, body: undefined }
}
