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
