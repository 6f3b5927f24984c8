import type { FetchOptions, HttpMethod, RequestHeaders } from '../context.ts'
import { ProviderError } from '../provider-error.ts'
import type { WitHttpRequest } from './host.ts'

const METHODS: readonly HttpMethod[] = ['get', 'head', 'post', 'put', 'delete', 'options', 'patch']

/** An author's request as the contract has it. @throws {TypeError} naming the part that does not fit. */
export function toWitRequest(request: FetchOptions & { url: string | URL }): WitHttpRequest {
  const { body, maxRedirects } = request
  const headers = toHeaderList(request.headers ?? {})
  const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
  if (isJson && !headers.some(([name]) => name.toLowerCase() === 'content-type')) {
    headers.push(['content-type', 'application/json'])
  }
  return {
    method: toMethod(request.method ?? (body === undefined ? 'get' : 'post')),
    url: toUrl(request.url),
    headers,
    body:
      body === undefined
        ? null
        : body instanceof Uint8Array
          ? body
          : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    redirectPolicy: toRedirectPolicy(maxRedirects),
  }
}

function toMethod(method: string): HttpMethod {
  const lower = String(method).toLowerCase()
  const known = METHODS.find(known => known === lower)
  if (known === undefined) {
    throw new TypeError(`Cannot send a "${method}" request: the method must be one of ${METHODS.join(', ')}`)
  }
  return known
}

function toUrl(url: unknown): string {
  // A URL made by any library: only its text counts.
  const text = typeof url === 'string' ? url : url === null || url === undefined ? '' : String(url)
  if (text === '') throw new TypeError('Cannot send a request: url must be an absolute http or https URL')
  return text.toWellFormed()
}

// What `Bearer ${context.credential()}` becomes where there is none: a service would call it a wrong key.
const NO_CREDENTIAL = /^(?:bearer|basic|token) (?:undefined|null)$/i

function toHeaderList(headers: RequestHeaders): [string, string][] {
  const entries = Array.isArray(headers)
    ? (headers as readonly (readonly [string, string | undefined])[])
    : Object.entries(headers as Readonly<Record<string, string | undefined>>)
  const list: [string, string][] = []
  for (const [name, value] of entries) {
    if (value === undefined || value === null) continue
    if (NO_CREDENTIAL.test(String(value))) {
      throw new ProviderError({
        kind: 'authentication',
        message: 'There is no credential: sign in, or set a key',
      })
    }
    list.push([String(name).toWellFormed(), String(value).toWellFormed()])
  }
  return list
}

function toRedirectPolicy(maxRedirects: number | undefined): WitHttpRequest['redirectPolicy'] {
  if (maxRedirects === undefined) return { tag: 'follow-all' }
  if (!Number.isInteger(maxRedirects) || maxRedirects < 0 || maxRedirects > 0xffffffff) {
    throw new TypeError(`maxRedirects must be a whole number from 0: it is ${maxRedirects}`)
  }
  return maxRedirects === 0 ? { tag: 'no-follow' } : { tag: 'follow-limit', val: maxRedirects }
}
