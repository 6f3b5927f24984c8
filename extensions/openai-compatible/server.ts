import { type Context, ProviderError, type RequestHeaders } from '@airlock/guest-sdk'
import { endpointUrl } from '@airlock/guest-sdk/dialects/openai-chat'

const SETTING = 'providers.openai-compatible.apiUrl'
const KEY_VARIABLE = 'OPENAI_COMPATIBLE_API_KEY'

/** The URL of an endpoint of the server that the user named. @throws {ProviderError} where none is named. */
export function serverUrl(context: Context, endpoint: 'chat/completions' | 'models'): string {
  const apiUrl = context.settings()?.apiUrl?.trim()
  if (apiUrl) return endpointUrl(apiUrl, endpoint, SETTING)
  throw new ProviderError({
    kind: 'invalid-request',
    message:
      `Cannot tell which server to ask: ${SETTING} is not set. Set it to the server's base URL, for example: ` +
      `airlock settings set ${SETTING} http://127.0.0.1:8080/v1`,
  })
}

/** A key is optional: servers on one's own machine want none. */
export function serverHeaders(context: Context): RequestHeaders {
  const key = context.credential()?.trim() || context.env(KEY_VARIABLE)?.trim()
  return { authorization: key ? `Bearer ${key}` : undefined }
}
