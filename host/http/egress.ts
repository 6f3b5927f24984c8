import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import type { InjectedRequest } from '../credentials/inject.ts'
import type { Placeholders } from '../credentials/placeholders.ts'
import type { RedactingStream, Redactor } from '../credentials/redact.ts'
import { PermissionDeniedError, TransportError } from '../errors.ts'
import { forbiddenHost } from '../policy/addresses.ts'
import { checkRequestHeaders, isCredentialHeader } from '../policy/headers.ts'
import { type HttpLimits, MAX_URL_CHARS, resolveHttpLimits } from '../policy/limits.ts'
import { type NetworkRules, userNetworkRules } from '../policy/network.ts'
import type { ResponseBody } from './body.ts'
import { decodeBody, readCodings } from './decode-body.ts'
import type { Dispatchers } from './dispatchers.ts'
import { nextHop, redirectTarget } from './redirect.ts'
import { type Sending, send, type WireResponse } from './send.ts'
import { createTrip, type Trip } from './trip.ts'

/** A request as a guest asked for it: nothing in it is trusted. */
export interface OutgoingRequest {
  method: string
  url: string
  headers: readonly (readonly [string, string])[]
  body?: Uint8Array
  /** 0: a redirect is handed over as it is. More: one that leads further is TransportError 'too-many-redirects'. */
  maxRedirects: number
}

/** An answer, secrets taken out, decoded. */
export interface Exchange {
  status: number
  /** Of the last hop, placeholders as they were. */
  url: string
  /** Names in lower case; no set-cookie. */
  headers: [string, string][]
  body: ResponseBody
}

export interface Egress {
  /**
   * Sends a request on the one guarded path. Rejects with PermissionDeniedError for what manifest, grant or address
   * do not allow, TransportError for what the network did, and the signal's own reason.
   */
  send(request: OutgoingRequest, options?: SendOptions): Promise<Exchange>
  /** Loads what sends, which takes as long as a sandbox to start: the two can go side by side. Idempotent. */
  prepare(): Promise<unknown>
  /** Destroys every socket; what is under way fails. */
  close(): Promise<void>
}

export interface SendOptions {
  signal?: AbortSignal
  /**
   * What stands in an answer where a secret stood. `stand-ins` is for a guest that keeps what it reads, e.g. a refresh
   * token that comes back unchanged: it gets the word that it has for it already. Default: `redacted`.
   */
  secretsAs?: 'redacted' | 'stand-ins'
}

export interface EgressOptions {
  extension: string
  /** All must allow: the manifest's rules, then the grant's. Default of both is nothing. */
  rules: readonly NetworkRules[]
  /** URLs or origins that the user set in settings: reachable as they are, plain http and private addresses too. */
  userOrigins: readonly string[]
  placeholders: Placeholders
  /** Body fields that may hold a secret. Default: none. */
  bodyFields?: readonly string[]
  limits?: Partial<HttpLimits>
  /** For HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  env: NodeJS.ProcessEnv
  /** Default: the system's resolver. */
  lookup?: LookupFunction
  /** Named in denials. */
  manifestFile: string
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

export function createEgress(options: EgressOptions): Egress {
  const { extension, rules, placeholders, bodyFields = [], env, lookup, manifestFile } = options
  const limits = resolveHttpLimits(options.limits)
  const userRules = userNetworkRules(options.userOrigins)
  let dispatchers: Promise<Dispatchers> | undefined
  let closed = false

  function prepare(): Promise<Dispatchers> {
    dispatchers ??= import('./dispatchers.ts').then(({ createDispatchers }) =>
      createDispatchers({ limits, env, ...(lookup && { lookup }) }),
    )
    return dispatchers
  }

  /** Whether the user set this origin. Throws PermissionDeniedError where neither user nor both locks allow it. */
  function checkUrl(url: URL): boolean {
    const shown = url.protocol === 'https:' ? url.host : url.origin
    const deny = (reason: string): never => {
      throw new PermissionDeniedError(`network: ${url.origin}`, `Cannot reach "${shown}": ${reason}`)
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') deny('only https and http URLs can be sent')
    if (url.username !== '' || url.password !== '') deny('a URL may hold no user name and no password')
    if (userRules.allows(url)) return true
    const [manifest, ...grants] = rules
    if (manifest === undefined || !manifest.allows(url)) {
      deny(`it is not in permissions.network of ${manifestFile}`)
    }
    if (!grants.every(grant => grant.allows(url))) {
      deny(`the user has not granted it to ${extension}; installing the extension again asks for it`)
    }
    const kind = forbiddenHost(url.hostname)
    if (kind !== undefined)
      deny(`it is a ${kind} address, which only a URL that the user sets in settings.json may name`)
    return false
  }

  async function run(request: OutgoingRequest, trip: Trip, redactor: Redactor): Promise<Exchange> {
    let url = readUrl(request.url)
    const method = String(request.method).toUpperCase()
    if (!METHODS.has(method)) {
      throw new TransportError(
        'invalid-request',
        `Cannot send a request: its method is not one of ${[...METHODS].join(', ')}`,
      )
    }
    checkRequestHeaders(request.headers)
    if (request.body !== undefined && !(request.body instanceof Uint8Array)) {
      throw new TransportError('invalid-request', 'Cannot send a request: its body is not bytes')
    }
    if ((request.body?.length ?? 0) > limits.maxRequestBytes) {
      throw new TransportError(
        'invalid-request',
        `Cannot send a request to ${url.origin}: its body is longer than ${limits.maxRequestBytes} bytes`,
      )
    }
    const maxRedirects = Math.min(request.maxRedirects, limits.maxRedirects)
    let hop = { method, headers: request.headers, body: request.body }
    let fields = bodyFields

    for (let redirects = 0; ; redirects++) {
      const setByUser = checkUrl(url)
      const injected = placeholders.inject({
        url,
        headers: hop.headers,
        ...(hop.body && { body: hop.body }),
        bodyFields: fields,
      })
      const dispatcher = (await prepare()).for(url, setByUser)
      const response = await trip.send(() => sendHop(dispatcher, injected, hop.method, trip))

      const target = maxRedirects > 0 ? redirectTarget(response, url) : undefined
      if (target === undefined) return handOver(response, url, trip, redactor)

      response.body.cancel()
      if (redirects >= maxRedirects) {
        throw new TransportError(
          'too-many-redirects',
          `${url.origin} redirected more than ${maxRedirects} times`,
        )
      }
      hop = nextHop(response.status, hop)
      if (target.origin !== url.origin) {
        // For good: a way back to the first origin was chosen by the second.
        const dead = (name: string) =>
          injected.secretHeaders.has(name.toLowerCase()) || isCredentialHeader(name)
        hop = { ...hop, headers: hop.headers.filter(([name]) => !dead(name)) }
        fields = []
        if (redactor.text(target.href) !== target.href) {
          throw new PermissionDeniedError(
            `network: ${target.origin}`,
            `Cannot follow the redirect of ${url.origin} to ${target.origin}: it carries a credential there`,
          )
        }
      }
      url = target
    }
  }

  function sendHop(dispatcher: Dispatcher, injected: InjectedRequest, method: string, trip: Trip): Sending {
    const { url, headers, body } = injected
    return send(
      dispatcher,
      { url, method, headers: withDefaults(headers), ...(body && { body }) },
      limits,
      trip.socketDone,
    )
  }

  const redactors = { redacted: placeholders.redactor(), 'stand-ins': placeholders.standInRedactor() }

  function handOver(response: WireResponse, url: URL, trip: Trip, redactor: Redactor): Exchange {
    const headers = response.headers
      .filter(([name]) => name !== 'set-cookie' && name !== 'set-cookie2')
      .map(([name, value]): [string, string] => [name, redactor.text(value)])
    let body = response.body
    const contentEncoding = response.headers
      .filter(([name]) => name === 'content-encoding')
      .map(([, value]) => value)
    let codings: string[]
    try {
      codings = readCodings(contentEncoding.join(','), url.origin)
    } catch (error) {
      response.body.cancel()
      throw error
    }
    codings.forEach((coding, index) => {
      const isLast = index === codings.length - 1
      body = decodeBody(body, coding, url.origin, limits, isLast ? trip.finish : () => {})
    })
    trip.hold(body, codings.length > 0)
    if (redactor.knowsSecrets) body = redactBody(body, redactor.stream())
    return {
      status: response.status,
      url: redactor.text(url.href),
      headers:
        codings.length === 0
          ? headers
          : headers.filter(([name]) => !/^content-(encoding|length)$/.test(name)),
      body,
    }
  }

  return {
    async send(request, { signal, secretsAs = 'redacted' } = {}) {
      if (closed)
        throw new TransportError('connection-lost', `Cannot send a request: ${extension} was closed`)
      signal?.throwIfAborted()
      const trip = createTrip(signal, limits.totalMs)
      try {
        return await run(request, trip, redactors[secretsAs])
      } catch (error) {
        trip.finish()
        throw error
      }
    },
    prepare,
    async close() {
      closed = true
      await (await dispatchers)?.destroy(
        new TransportError('connection-lost', `The connections of ${extension} were closed by this host`),
      )
    },
  }
}

function readUrl(text: string): URL {
  if (typeof text !== 'string' || text.length > MAX_URL_CHARS) {
    throw new TransportError(
      'invalid-request',
      `Cannot send a request: its URL is longer than ${MAX_URL_CHARS} characters`,
    )
  }
  const url = URL.parse(text)
  // The text is not quoted: a query may hold a credential.
  if (url === null)
    throw new TransportError('invalid-request', 'Cannot send a request: its URL is not a valid absolute URL')
  return url
}

function withDefaults(headers: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const has = (name: string) => headers.some(([other]) => other.toLowerCase() === name)
  const all = [...headers]
  // A coded stream comes in lumps: the coder waits until it has something to save.
  if (!has('accept-encoding')) all.push(['accept-encoding', 'identity'])
  // Some services refuse a request without one.
  if (!has('user-agent')) all.push(['user-agent', 'airlock'])
  return all
}

function redactBody(body: ResponseBody, stream: RedactingStream): ResponseBody {
  return {
    pipe(sink) {
      body.pipe({
        data(chunk) {
          const clean = stream.push(chunk)
          if (clean.length > 0) sink.data(clean)
        },
        end() {
          const rest = stream.flush()
          if (rest.length > 0) sink.data(rest)
          sink.end()
        },
        error: error => sink.error(error),
      })
    },
    pause: () => body.pause(),
    resume: () => body.resume(),
    cancel: reason => body.cancel(reason),
  }
}
