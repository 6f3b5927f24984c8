import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What a request to the loopback server has to match to count. */
export interface Expectation {
  /** As a browser sends it: percent-encoded, no query. */
  path: string
  port: number
  /** Undefined where the sign-in has none and rests on PKCE. */
  state: string | undefined
}

export type CallbackRequest = { method: string; target: string; headers: IncomingHttpHeaders }

/** Why a request was not the answer. All of them leave the sign-in waiting. */
export type IgnoredReason =
  /** The `Host` header names another machine: a web page's name that was rebound to this address. */
  | 'foreign-host'
  /** The browser looked ahead; the user has not gone there. */
  | 'prefetch'
  | 'preflight'
  /** HEAD: a program looks whether there is anything here. */
  | 'probe'
  | 'other-method'
  | 'other-path'
  | 'missing-state'
  | 'wrong-state'
  /** A parameter stands there twice (RFC 6749, 3.1 forbids it), so two readers could see two values. */
  | 'repeated-parameter'
  /** It brings neither a code nor an error. */
  | 'incomplete'
  /** Sent by a page's script, image or frame, where no state proves who caused it. */
  | 'not-a-navigation'

export type Verdict =
  /** `key` is the same for two requests that bring the same answer. */
  | { kind: 'answer'; key: string }
  /** The service says no: RFC 6749, 4.1.2.1. Not cleaned yet. */
  | { kind: 'error'; error: string; description: string | undefined }
  | { kind: 'ignored'; reason: IgnoredReason }

/** Judges a request without doing anything. */
export function judgeRequest(request: CallbackRequest, expected: Expectation): Verdict {
  const { method, target, headers } = request
  if (!isOwnHost(headers.host, expected.port)) return ignored('foreign-host')
  if (isPrefetch(headers)) return ignored('prefetch')
  if (method === 'OPTIONS') return ignored('preflight')
  if (method === 'HEAD') return ignored('probe')
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  if (path !== expected.path) return ignored('other-path')
  if (method !== 'GET') return ignored('other-method')
  if (expected.state === undefined && isFromInsidePage(headers)) return ignored('not-a-navigation')
  return judgeQuery(new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)), expected.state)
}

/** Judges what an answer brings, however it came here. The state is looked at before anything else. */
export function judgeQuery(query: URLSearchParams, state: string | undefined): Verdict {
  for (const name of ['state', 'code', 'error']) {
    if (query.getAll(name).length > 1) return ignored('repeated-parameter')
  }
  if (state !== undefined) {
    const given = query.get('state')
    if (!given) return ignored('missing-state')
    if (!isSame(given, state)) return ignored('wrong-state')
  }
  const error = query.get('error')
  if (error) return { kind: 'error', error, description: query.get('error_description') ?? undefined }
  const code = query.get('code')
  if (code) return { kind: 'answer', key: `code=${code}` }
  // Some services bring a token or a code of another name. With the right state it is the extension's to judge.
  const others = [...query].filter(([name, value]) => name !== 'state' && name !== 'code' && value !== '')
  if (state !== undefined && others.length > 0) return { kind: 'answer', key: JSON.stringify(others) }
  return ignored('incomplete')
}

function ignored(reason: IgnoredReason): Verdict {
  return { kind: 'ignored', reason }
}

/** Two texts in a time that says nothing of where they differ. Digests, since the lengths may differ as well. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function isOwnHost(host: string | undefined, port: number): boolean {
  const name = host?.toLowerCase()
  return ['127.0.0.1', 'localhost', '[::1]'].some(own => name === `${own}:${port}`)
}

function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some(name =>
    /prefetch|prerender|preview/i.test(String(headers[name] ?? '')),
  )
}

/** Browsers say how a request came about (Fetch Metadata); what says nothing may be a person with curl. */
function isFromInsidePage(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode']
  const destination = headers['sec-fetch-dest']
  return (
    (mode !== undefined && mode !== 'navigate') || (destination !== undefined && destination !== 'document')
  )
}
