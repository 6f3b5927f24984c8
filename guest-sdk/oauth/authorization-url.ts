import { joinScopes } from './client.ts'
import { addQuery, type FormFields } from './form.ts'
import type { Pkce } from './pkce.ts'

export interface AuthorizationUrlOptions {
  /** The authorization endpoint; may have a query of its own. */
  endpoint: string
  clientId: string
  /**
   * Where the browser is sent back to, with `{port}` for the port that the host listens on:
   * `http://127.0.0.1:{port}/callback`. The literal address rather than `localhost` (RFC 8252, 7.3 and 8.3).
   */
  redirectUri: string
  scopes?: readonly string[] | string | undefined
  /** From `createState()`. */
  state: string
  /** From `createPkce()`. Leave it out only where the service refuses it. */
  pkce?: Pick<Pkce, 'challenge' | 'method'> | undefined
  /** Parameters that this service wants besides, e.g. `{ access_type: 'offline' }`. */
  extra?: FormFields | undefined
}

/**
 * The URL that the browser opens (RFC 6749, 4.1.1; RFC 7636, 4.3).
 * For a service with parameters of its own use `addQuery`.
 */
export function authorizationUrl(options: AuthorizationUrlOptions): string {
  const { endpoint, clientId, redirectUri, scopes, state, pkce, extra } = options
  return addQuery(endpoint, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: joinScopes(scopes),
    state,
    code_challenge: pkce?.challenge,
    code_challenge_method: pkce?.method,
    ...extra,
  })
}
