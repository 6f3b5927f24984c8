import { browserUrl } from './browser-url.ts'
import { SignInError } from './sign-in-error.ts'

/** What an extension wants opened in the browser, before the port is known. */
export interface AuthUrlTemplate {
  /** The port that the service insists on: the redirect URI names one, and there is no `{port}`. */
  readonly fixedPort: number | undefined
  /** How the redirect URI calls this machine. Browsers look for `localhost` on ::1 first. */
  readonly redirectHost: string
  /** The text of the URL with this port in place of every `{port}`. */
  withPort(port: number): string
}

// A guest that encodes its redirect URI encodes the braces too; inside a URL in a URL, twice.
const PORT = /(?:\{|%(?:25)*7b)port(?:\}|%(?:25)*7d)/gi
const SOME_PORT = 49_152
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** @throws {SignInError} `sign-in-invalid-url` where no port makes it an http(s) URL */
export function readAuthUrl(template: string): AuthUrlTemplate {
  const withPort = (port: number) => template.replace(PORT, String(port))
  const filled = withPort(SOME_PORT)
  const redirect = redirectOf(browserUrl(filled))
  const port = Number(redirect?.port)
  return {
    fixedPort: filled === template && port > 0 ? port : undefined,
    redirectHost: redirect?.hostname ?? '127.0.0.1',
    withPort,
  }
}

/**
 * The `state` that the answer must bring back: the URL's own, or, for services that know none, the one that the
 * extension wrote into its redirect URI, which comes back with it.
 *
 * Undefined where there is none. Then the URL must have a PKCE challenge: a code that somebody else smuggles in
 * cannot be exchanged without the verifier of this very sign-in (RFC 9700, 2.1: a client may rely on PKCE for that).
 * @throws {SignInError} `sign-in-invalid-url` where there is neither
 */
export function stateOf(url: URL): string | undefined {
  const states = url.searchParams.getAll('state')
  if (states.length > 1) {
    throw new SignInError('sign-in-invalid-url', 'Cannot start sign-in: the authorization URL has two states')
  }
  const state = states[0] || redirectOf(url)?.searchParams.get('state')
  if (state) return state
  if (url.searchParams.get('code_challenge')) return undefined
  throw new SignInError(
    'sign-in-invalid-url',
    'Cannot start sign-in: the authorization URL has neither "state" nor "code_challenge", so the answer could not be told from a forged one; give it one of them',
  )
}

/** The parameter that names a page of this machine, whatever the service calls it: `redirect_uri`, `callback_url`. */
function redirectOf(url: URL): URL | undefined {
  for (const value of url.searchParams.values()) {
    const redirect = /^http:\/\//i.test(value) ? URL.parse(value) : null
    if (redirect !== null && LOOPBACK.has(redirect.hostname)) return redirect
  }
  return undefined
}
