import { bytesToBase64 } from '../base64.ts'
import type { FetchOptions } from '../context.ts'
import { encodeForm, encodeFormValue, type FormFields } from './form.ts'

/** What the service knows this program as. */
export interface OAuthClient {
  id: string
  /** Native programs have none, or one that is no secret (RFC 8252, 8.5). */
  secret?: string | undefined
  /** RFC 6749, 2.3.1. Default: `basic` with a secret, `none` without. */
  authentication?: 'none' | 'basic' | 'post' | undefined
}

/** A request to be sent with `context.fetch(request.url, request)`. */
export interface OAuthRequest extends FetchOptions {
  url: string
  method: 'post'
  headers: Record<string, string>
  body: string
}

export interface OAuthEndpoint {
  /** The endpoint's URL. */
  endpoint: string
  client: OAuthClient
  /** How the service wants its parameters. Default: `form`, as the standard says. */
  encoding?: 'form' | 'json' | undefined
  /** Parameters that this service wants besides. */
  extra?: FormFields | undefined
}

/** A request to a token or device endpoint: parameters, client authentication, and a wish for JSON. */
export function oauthRequest(to: OAuthEndpoint, fields: FormFields): OAuthRequest {
  const { endpoint, client, encoding = 'form', extra = {} } = to
  const { id, secret, authentication = secret === undefined ? 'none' : 'basic' } = client
  if (authentication !== 'none' && secret === undefined) {
    throw new TypeError(`Cannot authenticate the client by ${authentication}: it has no secret`)
  }
  const all: FormFields = {
    ...fields,
    // RFC 6749, 3.2.1: a client that authenticates otherwise need not repeat its id, and some services refuse both.
    ...(authentication !== 'basic' && { client_id: id }),
    ...(authentication === 'post' && { client_secret: secret }),
    ...extra,
  }
  return {
    url: endpoint,
    method: 'post',
    headers: {
      // GitHub answers with a form unless it is asked for JSON.
      accept: 'application/json',
      'content-type': encoding === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      ...(authentication === 'basic' && { authorization: basic(id, secret ?? '') }),
    },
    body: encoding === 'json' ? JSON.stringify(all) : encodeForm(all),
    // What a redirect would carry on are codes and tokens.
    maxRedirects: 0,
  }
}

/** RFC 6749, 2.3.1: both are form-encoded first, so that a colon in the id divides nothing. */
function basic(id: string, secret: string): string {
  const pair = `${encodeFormValue(id)}:${encodeFormValue(secret)}`
  return `Basic ${bytesToBase64(new TextEncoder().encode(pair))}`
}

/** Scopes as the wire has them: separated by spaces (RFC 6749, 3.3). Undefined where there are none. */
export function joinScopes(scopes: readonly string[] | string | undefined): string | undefined {
  const joined = typeof scopes === 'string' ? scopes : scopes?.join(' ')
  return joined === '' ? undefined : joined
}
