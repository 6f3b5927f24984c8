import { defineProvider, errorFromResponse, ProviderError, readNumber, readObject } from '@airlock/guest-sdk'
import {
  createOpenAiDecoder,
  encodeOpenAiRequest,
  encodeResponsesCountRequest,
  findOpenAiModel,
} from '@airlock/guest-sdk/dialects/openai-responses'
import { listModels } from './list-models.ts'
import { CACHE } from './models.ts'
import { apiHeaders, apiKey, apiOf, apiUrl, completionUrl, optionsFor, SERVICE } from './service.ts'

export default defineProvider({
  id: 'openai',
  name: 'OpenAI',
  icon: 'icons/openai.svg',

  models: listModels,

  request(request, model, context) {
    return {
      url: completionUrl(model, context),
      headers: apiHeaders(context),
      body: encodeOpenAiRequest(apiOf(model, context), request, model, optionsFor(model, context)),
    }
  },

  decode: start => createOpenAiDecoder(apiOf(start.model, start.context), start, SERVICE),

  countTokens(request, model, context) {
    if (apiOf(model, context) !== 'responses') {
      throw new ProviderError({ kind: 'unsupported', message: 'The chat API counts no tokens.' })
    }
    const response = context.fetch(apiUrl(context, 'responses/input_tokens'), {
      headers: apiHeaders(context),
      body: encodeResponsesCountRequest(request, model, optionsFor(model, context)),
    })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readNumber(readObject(response.json(), 'the answer').input_tokens, 'input_tokens')
  },

  // Older models cache by themselves, and take no breakpoints.
  cacheConfiguration: model => (findOpenAiModel(model)?.rules.cacheBreakpoints ? CACHE : undefined),

  signInOptions: () => [
    {
      id: 'api-key',
      label: 'API key',
      method: {
        type: 'form',
        fields: [{ key: 'apiKey', label: 'API key', secret: true, placeholder: 'sk-...' }],
      },
    },
  ],

  isAuthenticated: context => apiKey(context) !== undefined,

  settingsMarkdown: () =>
    'Create an API key at [platform.openai.com](https://platform.openai.com/api-keys) and sign in with it, or set ' +
    '`OPENAI_API_KEY`. Models are asked through the Responses API, and nothing is stored there. `apiUrl` names another ' +
    'server that speaks it; one that ends with `/chat/completions` is spoken to through the chat API instead, ' +
    '`https://api.openai.com/v1/chat/completions` included. `availableModels` adds models with their limits.\n\n' +
    'Summaries of what a model thinks come where a request names a `reasoningEffort`. Where the service wants your ' +
    'organisation verified first, turn them off with `"providerOptions": { "reasoning": { "summary": null } }`.',
})
