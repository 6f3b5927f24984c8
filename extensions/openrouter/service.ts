import { type Context, ProviderError, type RequestHeaders } from '@airlock/guest-sdk'

const BASE_URL = 'https://openrouter.ai/api/v1'
const SETTING = 'providers.openrouter.apiUrl'
const KEY_VARIABLE = 'OPENROUTER_API_KEY'

/** The base URL without a slash at its end: the user's, or the service's own. @throws {ProviderError} where it is none */
export function baseUrl(context: Context): string {
  const url = (context.settings()?.apiUrl?.trim() || BASE_URL).replace(/\/+$/, '')
  if (/^https?:\/\/[^\s?#]+$/i.test(url)) return url
  throw new ProviderError({
    kind: 'invalid-request',
    message: `Cannot use ${SETTING}: it must be an http or https URL such as ${BASE_URL}: current value is ${JSON.stringify(url)}`,
  })
}

/** Where people sign in: a page of the same site. */
export function signInPage(context: Context): string {
  return `${/^https?:\/\/[^/]+/i.exec(baseUrl(context))?.[0]}/auth`
}

/** The user's key, from signing in or from the environment. */
export function apiKey(context: Context): string | undefined {
  return context.credential()?.trim() || context.env(KEY_VARIABLE)?.trim() || undefined
}

/** @throws {ProviderError} kind `authentication` where there is no key */
export function apiHeaders(context: Context): RequestHeaders {
  const key = apiKey(context)
  if (key === undefined) {
    throw new ProviderError({
      kind: 'authentication',
      message: `Cannot ask OpenRouter: there is no API key. Run "airlock login openrouter", or set ${KEY_VARIABLE}.`,
    })
  }
  return { authorization: `Bearer ${key}`, ...appHeaders }
}

/** What OpenRouter lists requests under. https://openrouter.ai/docs/app-attribution */
export const appHeaders = { 'x-title': 'Airlock' }
