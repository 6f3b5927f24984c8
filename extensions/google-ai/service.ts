import { type Context, ProviderError, type RequestHeaders } from '@airlock/guest-sdk'
import { serviceUrl } from '@airlock/guest-sdk/dialects/gemini'

const BASE_URL = 'https://generativelanguage.googleapis.com/v1beta'
const SETTING = 'providers.google-ai.apiUrl'
/** The first that is set counts. */
const KEY_VARIABLES = ['GEMINI_API_KEY', 'GOOGLE_API_KEY']

export function apiUrl(context: Context, endpoint: string): string {
  const baseUrl = context.settings()?.apiUrl?.trim() || BASE_URL
  return serviceUrl({ baseUrl, version: 'v1beta', endpoint, setting: SETTING })
}

/** A model's resource name: tuned models bring theirs along. Nothing in a model's id leads to another place. */
export function resourceOf(model: string): string {
  const [, collection = 'models', id = model] = /^(models|tunedModels)\/([^/]+)$/.exec(model) ?? []
  return `${collection}/${encodeURIComponent(id)}`
}

/** The user's key, from signing in or from the environment. */
export function apiKey(context: Context): string | undefined {
  const fromEnv = () => KEY_VARIABLES.map(name => context.env(name)?.trim()).find(Boolean)
  return context.credential()?.trim() || fromEnv()
}

/**
 * The key goes into a header: in the query it would end up in logs.
 * @throws {ProviderError} kind `authentication` where there is no key, unless the user named a server of their own.
 */
export function apiHeaders(context: Context): RequestHeaders {
  const key = apiKey(context)
  if (key === undefined && !context.settings()?.apiUrl?.trim()) {
    throw new ProviderError({
      kind: 'authentication',
      message: `Cannot ask Google AI: there is no API key. Run "airlock login google-ai", or set ${KEY_VARIABLES[0]}.`,
    })
  }
  return { 'content-type': 'application/json', 'x-goog-api-key': key }
}
