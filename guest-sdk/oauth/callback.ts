import { ProviderError } from '../provider-error.ts'
import { oauthError } from './error.ts'
import { decodeForm } from './form.ts'

export interface Callback {
  /** To be exchanged once: `tokenRequest`. */
  code: string
  /** Everything that came in the query. */
  parameters: ReadonlyMap<string, string>
}

/**
 * Reads the redirect that ended a browser sign-in (RFC 6749, 4.1.2). State first, then issuer, then error, then code.
 * @param state what the authorization URL had; undefined where the service knows no state
 * @param options.issuer checked where the answer names one (RFC 9207)
 * @throws {ProviderError} with the service's own code where it said no
 */
export function readCallback(
  callbackUrl: string,
  state: string | undefined,
  options: { issuer?: string } = {},
): Callback {
  const query = /\?([^#]*)/.exec(callbackUrl)?.[1] ?? ''
  const parameters = new Map<string, string>()
  for (const [name, value] of decodeForm(query)) {
    // RFC 6749, 3.1: "Request and response parameters MUST NOT be included more than once."
    if (parameters.has(name)) throw refused(`it brings "${name}" twice`)
    parameters.set(name, value)
  }
  if (state !== undefined && parameters.get('state') !== state) {
    throw refused('its state is not that of this sign-in')
  }
  const issuer = parameters.get('iss')
  if (options.issuer !== undefined && issuer !== undefined && issuer !== options.issuer) {
    throw refused(`it comes from ${issuer.slice(0, 100)}, not from ${options.issuer}`)
  }
  const error = parameters.get('error')
  if (error) {
    throw oauthError('sign in', error, { description: parameters.get('error_description') })
  }
  const code = parameters.get('code')
  if (!code) throw refused('it brings no code')
  return { code, parameters }
}

function refused(reason: string): ProviderError {
  return new ProviderError({
    kind: 'authentication',
    message: `Cannot use the answer of the sign-in: ${reason}`,
  })
}
