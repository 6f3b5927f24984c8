import { defineProvider, ProviderError, readNumber, readObject } from '@airlock/guest-sdk'
import {
  createGeminiDecoder,
  encodeGeminiCountRequest,
  encodeGeminiRequest,
  geminiToolNames,
  readRejection,
} from '@airlock/guest-sdk/dialects/gemini'
import { listModels, rulesOf } from './list-models.ts'
import { apiHeaders, apiKey, apiUrl, resourceOf } from './service.ts'

export default defineProvider({
  id: 'google-ai',
  name: 'Google AI',
  icon: 'icons/google-ai.svg',

  models: listModels,

  request(request, model, context) {
    return {
      // Without `alt=sse` the answer is one JSON list, whole only at its end.
      url: apiUrl(context, `${resourceOf(model)}:streamGenerateContent?alt=sse`),
      headers: apiHeaders(context),
      body: encodeGeminiRequest(request, { rules: rulesOf(model, context), log: context.log }),
    }
  },

  decode: ({ request, context }) =>
    createGeminiDecoder({ toolNames: geminiToolNames(request), log: context.log }),

  reject: response => readRejection(response),

  countTokens(request, model, context) {
    const resource = resourceOf(model)
    const response = context.fetch(apiUrl(context, `${resource}:countTokens`), {
      headers: apiHeaders(context),
      body: encodeGeminiCountRequest(request, resource, { rules: rulesOf(model, context), log: context.log }),
    })
    if (!response.ok) throw new ProviderError(readRejection(response))
    return readNumber(readObject(response.json(), 'the answer').totalTokens, 'totalTokens')
  },

  signInOptions: () => [
    {
      id: 'api-key',
      label: 'API key',
      method: {
        type: 'form',
        fields: [{ key: 'apiKey', label: 'API key', secret: true, placeholder: 'AIza...' }],
      },
    },
  ],

  isAuthenticated: context => apiKey(context) !== undefined,

  settingsMarkdown: () =>
    'Create an API key at [aistudio.google.com](https://aistudio.google.com/apikey) and sign in with it, or set ' +
    '`GEMINI_API_KEY`. `apiUrl` names another server that speaks the Gemini API; `availableModels` adds models, each ' +
    'with its limits and, where it thinks by budget, its `thinkingBudget`. The service caches by itself.',
})
