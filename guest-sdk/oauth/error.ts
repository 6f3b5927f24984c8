import { ProviderError, type ProviderErrorKind } from '../provider-error.ts'

/** RFC 6749 (4.1.2.1, 5.2), RFC 8628 (3.5) and GitHub's: what each means, and a sentence for services that say none. */
const KNOWN: Readonly<Record<string, readonly [ProviderErrorKind, string]>> = {
  access_denied: ['permission', 'the sign-in was declined'],
  authorization_declined: ['permission', 'the sign-in was declined'],
  expired_token: ['authentication', 'the code expired before it was confirmed'],
  invalid_grant: ['authentication', 'the code or refresh token is invalid, expired or was used before'],
  bad_verification_code: ['authentication', 'the code is invalid or expired'],
  bad_refresh_token: ['authentication', 'the refresh token is invalid or expired'],
  incorrect_device_code: ['authentication', 'the service does not know this device code'],
  device_flow_disabled: ['unsupported', 'device sign-in is switched off for this client'],
  incorrect_client_credentials: ['invalid-request', 'the service does not know this client'],
  invalid_client: ['invalid-request', 'the service does not know this client'],
  unauthorized_client: ['invalid-request', 'this client may not sign in this way'],
  invalid_request: ['invalid-request', 'the service found the request malformed'],
  invalid_scope: ['invalid-request', 'the service does not grant these scopes'],
  unsupported_grant_type: ['unsupported', 'the service does not offer this way to sign in'],
  unsupported_response_type: ['unsupported', 'the service does not offer this way to sign in'],
  server_error: ['overloaded', 'the service failed'],
  temporarily_unavailable: ['overloaded', 'the service is not available now'],
}

const MAX_CHARACTERS = 300

/** The error that a service named. `code` of the result is the service's own. */
export function oauthError(
  action: string,
  error: string,
  details: {
    description?: string | undefined
    status?: number | undefined
    retryAfterMs?: number | undefined
    /** The kind of an error that is not one of the standard's. Default: `other`. */
    otherwise?: ProviderErrorKind
  } = {},
): ProviderError {
  const { description, status, retryAfterMs, otherwise = 'other' } = details
  const code = clean(error).slice(0, 80)
  const [kind, sentence] = Object.hasOwn(KNOWN, code) ? KNOWN[code]! : [otherwise, '']
  const said = clean(description ?? '') || sentence
  const message = `Cannot ${action}: ${said === '' ? `the service reports ${code}` : `${said} (${code})`}`
  return new ProviderError({ kind, message, code, status, retryAfterMs })
}

function clean(text: string): string {
  const line = text
    .slice(0, MAX_CHARACTERS * 4)
    .toWellFormed()
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS).toWellFormed()}...` : line
}
