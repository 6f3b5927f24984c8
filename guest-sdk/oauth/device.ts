import type { HttpResponse } from '../http-response.ts'
import type { DeviceFlow, DeviceFlowPrompt, DeviceFlowStatus } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import type { JsonObject } from '../read-json.ts'
import { readAnswer } from './answer.ts'
import { joinScopes, type OAuthEndpoint, type OAuthRequest, oauthRequest } from './client.ts'
import { type OAuthTokens, type ReadTokenOptions, readSeconds, readTokens } from './tokens.ts'

// RFC 8628, 3.2: "If no value is provided, clients MUST use 5 as the default."
const DEFAULT_INTERVAL_SECONDS = 5
// expires_in is required there; services that leave it out mean something like this.
const DEFAULT_EXPIRY_SECONDS = 900
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'

export interface DeviceAuthorizationRequestOptions extends OAuthEndpoint {
  scopes?: readonly string[] | string | undefined
}

/** Asks for a code that the user enters elsewhere (RFC 8628, 3.1). */
export function deviceAuthorizationRequest(options: DeviceAuthorizationRequestOptions): OAuthRequest {
  return oauthRequest(options, { scope: joinScopes(options.scopes) })
}

export interface DeviceAuthorization {
  deviceCode: string
  userCode: string
  verificationUrl: string
  /** Has the code in it: open this one, show the code all the same. */
  verificationUrlComplete?: string
  intervalSeconds: number
  expiresInSeconds: number
}

/** RFC 8628, 3.2. @throws {ProviderError} with the service's own code where it said no */
export function readDeviceAuthorization(response: HttpResponse): DeviceAuthorization {
  const action = 'start the device sign-in'
  const answer = readAnswer(response, action)
  if (answer.error !== undefined) throw answer.failure
  const { fields } = answer
  const missing = (name: string) =>
    new ProviderError({
      kind: 'other',
      status: response.status,
      message: `Cannot ${action}: the answer has no usable ${name}`,
    })
  const deviceCode = readText(fields, 'device_code')
  if (deviceCode === undefined) throw missing('device_code')
  const userCode = readText(fields, 'user_code')
  if (userCode === undefined) throw missing('user_code')
  // Google's name for it is older than the standard.
  const verificationUrl = readUrl(fields, 'verification_uri') ?? readUrl(fields, 'verification_url')
  if (verificationUrl === undefined) throw missing('verification_uri')
  const complete =
    readUrl(fields, 'verification_uri_complete') ?? readUrl(fields, 'verification_url_complete')
  return {
    deviceCode,
    userCode,
    verificationUrl,
    ...(complete !== undefined && { verificationUrlComplete: complete }),
    intervalSeconds: Math.ceil(readSeconds(fields.interval) ?? DEFAULT_INTERVAL_SECONDS),
    expiresInSeconds: Math.ceil(readSeconds(fields.expires_in) ?? DEFAULT_EXPIRY_SECONDS),
  }
}

export interface DeviceTokenRequestOptions extends OAuthEndpoint {
  deviceCode: string
}

/** Asks once whether the user has confirmed (RFC 8628, 3.4). The host decides when. */
export function deviceTokenRequest(options: DeviceTokenRequestOptions): OAuthRequest {
  return oauthRequest(options, { grant_type: GRANT_TYPE, device_code: options.deviceCode })
}

export type DeviceToken =
  | { status: 'pending' }
  /** `intervalSeconds` where the service says how long; the host adds five seconds in any case. */
  | { status: 'slow-down'; intervalSeconds?: number }
  | { status: 'complete'; tokens: OAuthTokens }

/**
 * RFC 8628, 3.5. `authorization_pending` counts in a 200 as well, and before any token.
 * @throws {ProviderError} the sign-in is over: `access_denied`, `expired_token`, ...; or kind `overloaded` and its
 * like where asking again may help, which the host does
 */
export function readDeviceToken(response: HttpResponse, options: ReadTokenOptions): DeviceToken {
  const action = 'finish the device sign-in'
  const answer = readAnswer(response, action)
  switch (answer.error) {
    case undefined:
      return { status: 'complete', tokens: readTokens(answer.fields, options, action, response.status) }
    case 'authorization_pending':
      return { status: 'pending' }
    case 'slow_down': {
      const seconds = readSeconds(answer.fields.interval)
      return { status: 'slow-down', ...(seconds !== undefined && { intervalSeconds: Math.ceil(seconds) }) }
    }
    default:
      throw answer.failure
  }
}

/** What `startDeviceFlow` returns: the authorization, with words around it. `state` is the device code by default. */
export function toDeviceFlow(
  authorization: DeviceAuthorization,
  words: Omit<DeviceFlowPrompt, 'userCode' | 'verificationUrl'>,
  state: string = authorization.deviceCode,
): DeviceFlow {
  const { userCode, verificationUrl, verificationUrlComplete, intervalSeconds, expiresInSeconds } =
    authorization
  return {
    prompt: { ...words, userCode, verificationUrl: verificationUrlComplete ?? verificationUrl },
    state,
    pollIntervalSeconds: intervalSeconds,
    expiresInSeconds,
  }
}

/** What `pollDeviceFlow` returns. Store the tokens of a complete answer first. */
export function toDeviceFlowStatus(answer: DeviceToken): DeviceFlowStatus {
  return answer.status === 'slow-down' ? { slowDownSeconds: answer.intervalSeconds ?? 0 } : answer.status
}

function readText(fields: JsonObject, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Nothing but http and https is a page. */
function readUrl(fields: JsonObject, name: string): string | undefined {
  const url = readText(fields, name)?.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, '')
  return url !== undefined && /^https?:\/\/[^/]/i.test(url) ? url : undefined
}
