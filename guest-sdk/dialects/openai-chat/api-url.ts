import { ProviderError } from '../../provider-error.ts'

/**
 * The URL of one of a server's endpoints. `https://host/v1`, `https://host/v1/` and `https://host` mean the same;
 * a path that has a version anywhere is taken as it is, any other gets `/v1`. A URL that ends with
 * `/chat/completions` already names the endpoint, for servers with paths of their own. The query is kept.
 * @param baseUrl What the user set. @param setting Where, for the message of a URL that is none.
 * @throws {ProviderError} kind `invalid-request` where it is no http or https URL.
 */
export function endpointUrl(
  baseUrl: string,
  endpoint: 'chat/completions' | 'models' | 'language-models',
  setting: string,
): string {
  const parts = /^(https?:\/\/[^/?#\s]+)([^?#\s]*)(\?[^#\s]*)?(?:#\S*)?$/i.exec(baseUrl.trim())
  if (!parts) {
    throw new ProviderError({
      kind: 'invalid-request',
      message: `Cannot use ${setting}: it must be an http or https URL such as http://127.0.0.1:8080/v1: current value is ${JSON.stringify(baseUrl)}`,
    })
  }
  const [, origin, rawPath, query = ''] = parts
  const path = `/${rawPath}`.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  const named = path.endsWith('/chat/completions') ? path.slice(0, -'/chat/completions'.length) : undefined
  const base = named ?? (/\/v\d[^/]*(\/|$)/.test(path) ? path : `${path}/v1`)
  return `${origin}${base}/${endpoint}${query}`
}
