import { defineProvider, type ProviderExtension } from '../../provider.ts'
import { needsKey, ownUrl, serviceEndpoint, serviceHeaders, serviceKey } from './ask-service.ts'
import { type ChatService, quirksOf } from './chat-service.ts'
import { createChatDecoder } from './decode.ts'
import { encodeChatRequest } from './encode.ts'
import { listChatModels } from './list-chat-models.ts'

/**
 * A provider for a service that speaks this dialect and is signed in to with a key: the service is data.
 *
 * ```ts
 * export default defineChatProvider({
 *   id: 'acme', name: 'Acme', icon: 'icons/acme.svg', apiUrl: 'https://api.acme.example/v1', keyVariables: ['ACME_API_KEY'],
 * })
 * ```
 */
export function defineChatProvider(service: ChatService): ProviderExtension {
  const { id, name, icon, about, keyPlaceholder, quirks } = service
  return defineProvider({
    id,
    name,
    icon,

    models: context => listChatModels(service, context),

    request(request, model, context) {
      return {
        url: serviceEndpoint(service, context, 'chat/completions'),
        headers: serviceHeaders(service, context),
        body: encodeChatRequest(request, model, quirksOf(service, model), context.log),
      }
    },

    decode: () => createChatDecoder({ doneIsEnough: quirks?.doneIsEnough ?? false }),

    signInOptions: () => [
      {
        id: 'api-key',
        label: 'API key',
        method: {
          type: 'form',
          fields: [
            {
              key: 'apiKey',
              label: 'API key',
              secret: true,
              ...(keyPlaceholder !== undefined && { placeholder: keyPlaceholder }),
            },
          ],
        },
      },
    ],

    isAuthenticated(context) {
      if (service.isPreset && service.apiUrl === undefined) return ownUrl(context) !== undefined
      return !needsKey(service, context) || serviceKey(service, context) !== undefined
    },

    ...(about !== undefined && { settingsMarkdown: () => about }),
  })
}
