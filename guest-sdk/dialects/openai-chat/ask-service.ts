import type { Context, RequestHeaders } from '../../context.ts'
import { ProviderError } from '../../provider-error.ts'
import { endpointUrl } from './api-url.ts'
import type { ChatService } from './chat-service.ts'

/** The URL of one of the service's endpoints. @throws {ProviderError} where the user has to name the server and did not. */
export function serviceEndpoint(
  service: ChatService,
  context: Context,
  endpoint: 'chat/completions' | 'models' | 'language-models',
): string {
  const setting = `providers.${service.id}.apiUrl`
  const apiUrl = ownUrl(context) ?? service.apiUrl
  if (apiUrl !== undefined) return endpointUrl(apiUrl, endpoint, setting)
  throw new ProviderError({
    kind: 'invalid-request',
    message:
      `Cannot tell which server to ask: ${setting} is not set. Set it to the server's base URL, for example: ` +
      `airlock settings set ${setting} ${service.exampleUrl ?? 'http://127.0.0.1:8080/v1'}`,
  })
}

/** The user's key, from signing in or from the environment. */
export function serviceKey(service: ChatService, context: Context): string | undefined {
  const fromEnv = () => service.keyVariables.map(name => context.env(name)?.trim()).find(Boolean)
  return context.credential()?.trim() || fromEnv()
}

/** @throws {ProviderError} kind `authentication` where a key is missing, unless the user named a server of their own. */
export function serviceHeaders(service: ChatService, context: Context): RequestHeaders {
  const key = serviceKey(service, context)
  if (key === undefined && needsKey(service, context)) {
    throw new ProviderError({
      kind: 'authentication',
      message: `Cannot ask ${service.name}: there is no API key. Run "airlock login ${service.id}", or set ${service.keyVariables[0]}.`,
    })
  }
  return { authorization: key === undefined ? undefined : `Bearer ${key}` }
}

/** Servers of one's own say themselves whether they want a key. */
export function needsKey({ keyRequired = true }: ChatService, context: Context): boolean {
  return keyRequired && ownUrl(context) === undefined
}

export function ownUrl(context: Context): string | undefined {
  return context.settings()?.apiUrl?.trim() || undefined
}
