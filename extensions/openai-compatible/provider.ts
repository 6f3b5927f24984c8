import { defineProvider } from '@airlock/guest-sdk'
import { createChatDecoder, encodeChatRequest } from '@airlock/guest-sdk/dialects/openai-chat'
import { listModels } from './models.ts'
import { serverHeaders, serverUrl } from './server.ts'

export default defineProvider({
  id: 'openai-compatible',
  name: 'OpenAI-compatible server',
  icon: 'icons/openai-compatible.svg',

  models: listModels,

  request(request, model, context) {
    return {
      url: serverUrl(context, 'chat/completions'),
      headers: serverHeaders(context),
      body: encodeChatRequest(request, model),
    }
  },

  decode: () => createChatDecoder(),

  signInOptions: () => [
    {
      id: 'api-key',
      label: 'API key',
      method: { type: 'form', fields: [{ key: 'apiKey', label: 'API key', secret: true }] },
    },
  ],

  // A key is optional, and a server that wants one says so itself.
  isAuthenticated: () => true,
})
