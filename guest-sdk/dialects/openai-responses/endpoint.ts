import { type ServiceUrlOptions, serviceUrl } from '../service-url.ts'

export type OpenAiApi = 'responses' | 'chat-completions'

/**
 * A base URL as users set it. One that ends with an endpoint names the API to speak, and `baseUrl` is then what stands
 * in front of it: `https://host/v1/chat/completions` is the chat API of `https://host/v1`. The query stays.
 */
export function readEndpoint(apiUrl: string): { baseUrl: string; api?: OpenAiApi } {
  const [, base, endpoint, query = ''] =
    /^([^?#]*?)\/(responses|chat\/completions)\/*(\?[^#]*)?(?:#.*)?$/i.exec(apiUrl.trim()) ?? []
  if (base === undefined || endpoint === undefined) return { baseUrl: apiUrl.trim() }
  return { baseUrl: base + query, api: /^r/i.test(endpoint) ? 'responses' : 'chat-completions' }
}

/**
 * `serviceUrl` for base URLs that may name an endpoint: what stands in front of one is taken as it is, with a version
 * or without.
 * @throws {ProviderError} kind `invalid-request` where it is no http or https URL.
 */
export function openAiUrl(options: ServiceUrlOptions): string {
  const { baseUrl, api } = readEndpoint(options.baseUrl)
  const url = serviceUrl({ ...options, baseUrl })
  if (api === undefined || /\/v\d[^/?]*(\/|\?|$)/.test(baseUrl)) return url
  const place = options.endpoint.split('?')[0]
  return url.replace(`/${options.version}/${place}`, `/${place}`)
}
