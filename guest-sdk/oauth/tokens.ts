import type { HttpResponse } from '../http-response.ts'
import { ProviderError } from '../provider-error.ts'
import { isObject, type JsonObject } from '../read-json.ts'
import { readAnswer } from './answer.ts'
import { joinScopes, type OAuthEndpoint, type OAuthRequest, oauthRequest } from './client.ts'

/** What a sign-in brings. `JSON.stringify` keeps all of it. */
export interface OAuthTokens {
  accessToken: string
  /** As the service wrote it; nearly always some spelling of "Bearer". */
  tokenType?: string
  refreshToken?: string
  /**
   * When to stop using the access token, milliseconds since 1970: a minute before it ends, at most a tenth of its
   * life, since clocks differ and requests take time. Absent where the service does not say: use it until it is refused.
   */
  expiresAt?: number
  /** What was granted. Absent where neither answer nor request said. */
  scopes?: string[]
  idToken?: string
}

export interface ReadTokenOptions {
  /** `context.now()`, from before the request was sent. */
  now: number
  /** What was there before a refresh: its refresh token and scopes stay where the answer has none. */
  previous?: OAuthTokens | undefined
  /** What was asked for: an answer without `scope` grants all of it (RFC 6749, 5.1). */
  scopes?: readonly string[] | string | undefined
}

export interface TokenRequestOptions extends OAuthEndpoint {
  /** From `readCallback`. */
  code: string
  /** Exactly as in the authorization URL, with the real port: see `redirectUriOf`. */
  redirectUri?: string | undefined
  /** Of the `createPkce()` that the authorization URL was made with. */
  verifier?: string | undefined
}

/** Exchanges a code (RFC 6749, 4.1.3; RFC 7636, 4.5). Once: a service may revoke what a code gave when it comes again. */
export function tokenRequest(options: TokenRequestOptions): OAuthRequest {
  const { code, redirectUri, verifier } = options
  return oauthRequest(options, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
}

export interface RefreshRequestOptions extends OAuthEndpoint {
  refreshToken: string
  /** Fewer than were granted. Default: all of them. */
  scopes?: readonly string[] | string | undefined
}

/** RFC 6749, 6. The refresh token may be a placeholder where the manifest names `refresh_token` as a body field. */
export function refreshRequest(options: RefreshRequestOptions): OAuthRequest {
  const { refreshToken, scopes } = options
  return oauthRequest(options, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    scope: joinScopes(scopes),
  })
}

/**
 * Reads the answer of a token endpoint, for codes and refreshes (RFC 6749, 5.1 and 5.2).
 * @throws {ProviderError} with the service's own code, e.g. `invalid_grant`
 */
export function readTokenResponse(response: HttpResponse, options: ReadTokenOptions): OAuthTokens {
  const action = options.previous === undefined ? 'exchange the code' : 'refresh the sign-in'
  const answer = readAnswer(response, action)
  if (answer.error !== undefined) throw answer.failure
  return readTokens(answer.fields, options, action, response.status)
}

/** Whether to refresh before the next request. */
export function isExpired(tokens: Pick<OAuthTokens, 'expiresAt'>, now: number): boolean {
  return tokens.expiresAt !== undefined && now >= tokens.expiresAt
}

/** Tokens that were kept with `JSON.stringify`. Undefined for anything else, e.g. a key that was typed in. */
export function parseTokens(text: string): OAuthTokens | undefined {
  if (!text.startsWith('{')) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || typeof value.accessToken !== 'string') return undefined
  const { accessToken, tokenType, refreshToken, expiresAt, scopes, idToken } = value
  return {
    accessToken,
    ...(typeof tokenType === 'string' && { tokenType }),
    ...(typeof refreshToken === 'string' && { refreshToken }),
    ...(typeof expiresAt === 'number' && { expiresAt }),
    ...(Array.isArray(scopes) && { scopes: scopes.filter(scope => typeof scope === 'string') }),
    ...(typeof idToken === 'string' && { idToken }),
  }
}

/** @throws {ProviderError} where there is no access token that could stand in a header */
export function readTokens(
  fields: JsonObject,
  { now, previous, scopes }: ReadTokenOptions,
  action: string,
  status: number,
): OAuthTokens {
  const accessToken = readToken(fields.access_token)
  if (accessToken === undefined) {
    // The value is a secret or nearly one: the message says only what is wrong with it.
    throw new ProviderError({
      kind: 'other',
      status,
      message: `Cannot ${action}: the answer has ${fields.access_token ? 'an access_token that no header can hold' : 'no access_token'}`,
    })
  }
  const refreshToken = readToken(fields.refresh_token) ?? previous?.refreshToken
  const expiresAt = readExpiry(fields.expires_in, now)
  const granted = readScopes(fields.scope) ?? previous?.scopes ?? readScopes(joinScopes(scopes))
  const idToken = readToken(fields.id_token) ?? previous?.idToken
  return {
    accessToken,
    ...(typeof fields.token_type === 'string' && { tokenType: fields.token_type }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(granted !== undefined && { scopes: granted }),
    ...(idToken !== undefined && { idToken }),
  }
}

/** RFC 6749, appendix A: tokens are visible ASCII. Services that pad them with white space exist. */
function readToken(value: unknown): string | undefined {
  const token = typeof value === 'string' ? value.trim() : ''
  return /^[\x20-\x7e]+$/.test(token) ? token : undefined
}

const MAX_SKEW_MS = 60_000
// Longer than any token lives: what is beyond is a date, milliseconds, or a way to say "never".
const MAX_LIFETIME_SECONDS = 10 * 366 * 86_400

/** Seconds of a positive number, also where it was sent as text. Undefined for anything else. */
export function readSeconds(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined
}

function readExpiry(expiresIn: unknown, now: number): number | undefined {
  const seconds = readSeconds(expiresIn)
  if (seconds === undefined || seconds > MAX_LIFETIME_SECONDS) return undefined
  const lifetimeMs = seconds * 1000
  return Math.floor(now + lifetimeMs - Math.min(MAX_SKEW_MS, lifetimeMs / 10))
}

/** Separated by spaces; GitHub writes commas; some send a list. */
function readScopes(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return value.filter(scope => typeof scope === 'string')
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const scopes = text.split(/\s/.test(text) ? /\s+/ : ',').filter(scope => scope !== '')
  return scopes.length > 0 ? scopes : undefined
}
