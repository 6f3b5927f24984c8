import { type Context, ProviderError, type RequestHeaders } from '@airlock/guest-sdk'
import {
  OPENAI_ENDPOINTS,
  type OpenAiApi,
  openAiUrl,
  readEndpoint,
} from '@airlock/guest-sdk/dialects/openai-responses'

/** Whose opaque items these are. */
export const SERVICE = 'azure-openai'
const SETTING = 'providers.azure-openai.apiUrl'
const KEY_VARIABLE = 'AZURE_OPENAI_API_KEY'
/** The last version of the list of deployments; the API without dated versions has none. */
const DEPLOYMENTS = 'openai/deployments?api-version=2023-03-15-preview'

/** @throws {ProviderError} kind `invalid-request` where the user set none. */
function resourceUrl(context: Context): string {
  const apiUrl = context.settings()?.apiUrl?.trim()
  if (apiUrl) return apiUrl
  throw new ProviderError({
    kind: 'invalid-request',
    message:
      `Cannot tell which Azure resource to ask: ${SETTING} is not set. Set it to the resource's endpoint, for example: ` +
      `airlock settings set ${SETTING} https://my-resource.openai.azure.com`,
  })
}

/** The API that the user's `apiUrl` ends with, else Responses. */
export function apiOf(context: Context): OpenAiApi {
  return readEndpoint(resourceUrl(context)).api ?? 'responses'
}

/** `https://name.openai.azure.com`, with `/openai` or `/openai/v1` behind it or not, is the API of that resource. */
export function completionUrl(context: Context): string {
  return openAiUrl({
    baseUrl: resourceUrl(context).replace(/\/openai\/?(?=\?|$)/, ''),
    version: 'openai/v1',
    endpoint: OPENAI_ENDPOINTS[apiOf(context)],
    setting: SETTING,
  })
}

export function deploymentsUrl(context: Context): string {
  const [origin = ''] = /^https?:\/\/[^/?#]+/i.exec(completionUrl(context)) ?? []
  return `${origin}/${DEPLOYMENTS}`
}

/** The resource's key, from signing in or from the environment. */
export function apiKey(context: Context): string | undefined {
  return context.credential()?.trim() || context.env(KEY_VARIABLE)?.trim() || undefined
}

/** @throws {ProviderError} kind `authentication` where there is no key. */
export function apiHeaders(context: Context): RequestHeaders {
  const key = apiKey(context)
  if (key === undefined) {
    throw new ProviderError({
      kind: 'authentication',
      message: `Cannot ask Azure OpenAI: there is no API key. Run "airlock login azure-openai", or set ${KEY_VARIABLE}.`,
    })
  }
  return { 'content-type': 'application/json', 'api-key': key }
}
