import { type CompletionRequest, type Context, ProviderError, type RequestHeaders } from '@airlock/guest-sdk'
import { readBetas, serviceUrl } from '@airlock/guest-sdk/dialects/anthropic-messages'

const BASE_URL = 'https://api.anthropic.com/v1'
const SETTING = 'providers.anthropic.apiUrl'
const KEY_VARIABLE = 'ANTHROPIC_API_KEY'
/** https://platform.claude.com/docs/en/api/versioning */
const API_VERSION = '2023-06-01'

export function apiUrl(context: Context, endpoint: string): string {
  const baseUrl = context.settings()?.apiUrl?.trim() || BASE_URL
  return serviceUrl({ baseUrl, version: 'v1', endpoint, setting: SETTING })
}

/** The user's key, from signing in or from the environment. */
export function apiKey(context: Context): string | undefined {
  return context.credential()?.trim() || context.env(KEY_VARIABLE)?.trim() || undefined
}

/** @throws {ProviderError} kind `authentication` where there is no key, unless the user named a server of their own. */
export function apiHeaders(context: Context, request?: CompletionRequest): RequestHeaders {
  const key = apiKey(context)
  if (key === undefined && !context.settings()?.apiUrl?.trim()) {
    throw new ProviderError({
      kind: 'authentication',
      message: `Cannot ask Anthropic: there is no API key. Run "airlock login anthropic", or set ${KEY_VARIABLE}.`,
    })
  }
  return {
    'content-type': request && 'application/json',
    'x-api-key': key,
    'anthropic-version': API_VERSION,
    'anthropic-beta': request && readBetas(request),
  }
}
