import { defineProvider } from '@airlock/guest-sdk'
import { createOllamaDecoder, encodeOllamaRequest } from '@airlock/guest-sdk/dialects/ollama-chat'
import { listModels, rulesOf } from './list-models.ts'
import { apiHeaders, apiKey, apiUrl, ownUrl } from './service.ts'

export default defineProvider<'lines'>({
  id: 'ollama',
  name: 'Ollama',
  icon: 'icons/ollama.svg',

  models: listModels,

  request(request, model, context) {
    return {
      url: apiUrl(context, 'chat'),
      headers: { ...apiHeaders(context), 'content-type': 'application/json' },
      body: encodeOllamaRequest(request, model, { rules: rulesOf(model, context), log: context.log }),
      framing: 'lines',
    }
  },

  decode: () => createOllamaDecoder(),

  signInOptions: () => [
    {
      id: 'api-key',
      label: 'API key of ollama.com',
      method: { type: 'form', fields: [{ key: 'apiKey', label: 'API key', secret: true }] },
    },
  ],

  // A server of one's own wants no key.
  isAuthenticated: context => ownUrl(context) !== undefined || apiKey(context) !== undefined,

  settingsMarkdown: () =>
    'For the models on this machine say where Ollama listens: ' +
    '`airlock settings set providers.ollama.apiUrl http://127.0.0.1:11434`. For those of ' +
    '[ollama.com](https://ollama.com/settings/keys) sign in with an API key, or set `OLLAMA_API_KEY`.\n\n' +
    'Ollama gives a model a window of a few thousand tokens, however many it could have, and cuts the beginning of ' +
    'a longer prompt without a word. Name the model in `availableModels`: its `maxTokens` is asked for as the window.',
})
