import { errorFromResponse, isObject, ProviderError, type SignInContext } from '@airlock/guest-sdk'
import { addQuery, createPkce, createState, readCallback } from '@airlock/guest-sdk/oauth'
import { appHeaders, baseUrl, signInPage } from './service.ts'

const CALLBACK_PATH = '/callback'

/**
 * OpenRouter's own variety of the authorization code flow with PKCE: no client id, and the code is exchanged for an API
 * key that does not end. The service has no `state`, so it rides in the callback URL, which comes back as it was.
 * https://openrouter.ai/docs/guides/overview/auth/oauth
 */
export function signInWithBrowser(context: SignInContext): void {
  const pkce = createPkce()
  const state = createState()
  // `localhost`: the literal address is refused as a callback.
  const callback = addQuery(`http://localhost:{port}${CALLBACK_PATH}`, { state })
  const { callbackUrl } = context.browserSignIn({
    authUrl: addQuery(signInPage(context), {
      callback_url: callback,
      code_challenge: pkce.challenge,
      code_challenge_method: pkce.method,
    }),
    callbackPath: CALLBACK_PATH,
  })
  const { code } = readCallback(callbackUrl, state)
  context.storeCredential(exchangeCode(context, code, pkce.verifier))
}

function exchangeCode(context: SignInContext, code: string, verifier: string): string {
  const response = context.fetch(`${baseUrl(context)}/auth/keys`, {
    headers: appHeaders,
    body: { code, code_verifier: verifier, code_challenge_method: 'S256' },
    maxRedirects: 0,
  })
  if (!response.ok) {
    const details = errorFromResponse(response)
    throw new ProviderError({ ...details, message: `Cannot exchange the code for a key: ${details.message}` })
  }
  const answer = response.json()
  const key = isObject(answer) ? answer.key : undefined
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key.trim())) return key.trim()
  throw new ProviderError({
    kind: 'other',
    message: 'Cannot exchange the code for a key: the answer has no key',
  })
}
