import { type Context, ProviderError, type RequestHeaders } from '@airlock/guest-sdk'
import {
  findOpenAiModel,
  OPENAI_ENDPOINTS,
  type OpenAiApi,
  openAiUrl,
  type ResponsesOptions,
  readEndpoint,
} from '@airlock/guest-sdk/dialects/openai-responses'

/** Whose opaque items these are. */
export const SERVICE = 'openai'
const BASE_URL = 'https://api.openai.com/v1'
const SETTING = 'providers.openai.apiUrl'
const KEY_VARIABLE = 'OPENAI_API_KEY'

/** What the user set instead of the service itself. */
export function ownServer(context: Context): string | undefined {
  return context.settings()?.apiUrl?.trim() || undefined
}

export function apiUrl(context: Context, endpoint: string): string {
  return openAiUrl({ baseUrl: ownServer(context) ?? BASE_URL, version: 'v1', endpoint, setting: SETTING })
}

/** The API that serves a model: the one that the user's `apiUrl` ends with, else the model's only one, else Responses. */
export function apiOf(model: string, context: Context): OpenAiApi {
  return readEndpoint(ownServer(context) ?? '').api ?? findOpenAiModel(model)?.api ?? 'responses'
}

export function completionUrl(model: string, context: Context): string {
  return apiUrl(context, OPENAI_ENDPOINTS[apiOf(model, context)])
}

/** How the dialect is to treat a model: from the table, with what the user set for it. */
export function optionsFor(model: string, context: Context): ResponsesOptions {
  const named = context.settings()?.availableModels.find(({ name }) => name === model)
  return {
    service: SERVICE,
    rules: {
      ...findOpenAiModel(model)?.rules,
      ...(named?.thinkingBudget !== undefined && { thinkingBudget: named.thinkingBudget }),
    },
    log: context.log,
  }
}

/** The user's key, from signing in or from the environment. */
export function apiKey(context: Context): string | undefined {
  return context.credential()?.trim() || context.env(KEY_VARIABLE)?.trim() || undefined
}

/** @throws {ProviderError} kind `authentication` where there is no key, unless the user named a server of their own. */
export function apiHeaders(context: Context): RequestHeaders {
  const key = apiKey(context)
  if (key === undefined && ownServer(context) === undefined) {
    throw new ProviderError({
      kind: 'authentication',
      message: `Cannot ask OpenAI: there is no API key. Run "airlock login openai", or set ${KEY_VARIABLE}.`,
    })
  }
  return { 'content-type': 'application/json', authorization: key && `Bearer ${key}` }
}
