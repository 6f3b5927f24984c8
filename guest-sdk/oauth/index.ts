/**
 * Sign-in by OAuth 2.0, in pairs: a function that makes the request, which `context.fetch(request.url, request)`
 * sends, and one that reads the response. RFC 6749 (the framework), 7636 (PKCE), 8252 (native programs), 8628
 * (devices). All are pure and synchronous.
 */
export { type AuthorizationUrlOptions, authorizationUrl } from './authorization-url.ts'
export { type Callback, readCallback } from './callback.ts'
export type { OAuthClient, OAuthEndpoint, OAuthRequest } from './client.ts'
export {
  type DeviceAuthorization,
  type DeviceAuthorizationRequestOptions,
  type DeviceToken,
  type DeviceTokenRequestOptions,
  deviceAuthorizationRequest,
  deviceTokenRequest,
  readDeviceAuthorization,
  readDeviceToken,
  toDeviceFlow,
  toDeviceFlowStatus,
} from './device.ts'
export { addQuery, type FormFields } from './form.ts'
export { createPkce, createState, type Pkce, pkceChallenge } from './pkce.ts'
export { redirectUriOf } from './redirect-uri.ts'
export {
  isExpired,
  type OAuthTokens,
  parseTokens,
  type ReadTokenOptions,
  type RefreshRequestOptions,
  readTokenResponse,
  refreshRequest,
  type TokenRequestOptions,
  tokenRequest,
} from './tokens.ts'
