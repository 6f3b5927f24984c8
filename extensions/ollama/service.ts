import { type Context, ProviderError } from '@airlock/guest-sdk'

const SETTING = 'providers.ollama.apiUrl'
const KEY_VARIABLE = 'OLLAMA_API_KEY'
const CLOUD_URL = 'https://ollama.com'
const EXAMPLE_URL = 'http://127.0.0.1:11434'

/**
 * The URL of an endpoint of the server that the user named, else of ollama.com where there is a key for it.
 * `http://host`, `http://host/`, `http://host/api` and, from other clients, `http://host/v1` mean the same.
 * @throws {ProviderError} where there is neither, or the setting is no http or https URL
 */
export function apiUrl(context: Context, endpoint: 'chat' | 'tags' | 'show'): string {
  const own = ownUrl(context)
  if (own === undefined && apiKey(context) === undefined) {
    throw new ProviderError({
      kind: 'invalid-request',
      message:
        `Cannot tell which Ollama to ask: ${SETTING} is not set. For the one on this machine: ` +
        `airlock settings set ${SETTING} ${EXAMPLE_URL}. For ollama.com: airlock login ollama.`,
    })
  }
  const parts = /^(https?:\/\/[^/?#\s]+)([^?#\s]*)(\?[^#\s]*)?(?:#\S*)?$/i.exec(own ?? CLOUD_URL)
  if (!parts) {
    throw new ProviderError({
      kind: 'invalid-request',
      message: `Cannot use ${SETTING}: it must be an http or https URL such as ${EXAMPLE_URL}: current value is ${JSON.stringify(own)}`,
    })
  }
  const [, origin, path = '', query = ''] = parts
  const base = path.replace(/\/+$/, '').replace(/\/(api|v1)$/, '')
  return `${origin}${base}/api/${endpoint}${query}`
}

export function ownUrl(context: Context): string | undefined {
  return context.settings()?.apiUrl?.trim() || undefined
}

/** The user's key, from signing in or from the environment. */
export function apiKey(context: Context): string | undefined {
  return context.credential()?.trim() || context.env(KEY_VARIABLE)?.trim() || undefined
}

export function apiHeaders(context: Context): Record<string, string | undefined> {
  const key = apiKey(context)
  return { authorization: key === undefined ? undefined : `Bearer ${key}` }
}
