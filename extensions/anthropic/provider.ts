import { defineProvider, errorFromResponse, ProviderError, readNumber, readObject } from '@airlock/guest-sdk'
import {
  createMessagesDecoder,
  encodeCountRequest,
  encodeMessagesRequest,
  messagesToolNames,
} from '@airlock/guest-sdk/dialects/anthropic-messages'
import { listModels, rulesOf } from './list-models.ts'
import { findKnownModel } from './models.ts'
import { apiHeaders, apiKey, apiUrl } from './service.ts'

/** How many cache anchors one request may hold, those on tools included. */
const MAX_CACHE_ANCHORS = 4
/** Of a model that is not in the table. */
const ASSUMED_MIN_CACHED_TOKENS = 1_024

export default defineProvider({
  id: 'anthropic',
  name: 'Anthropic',
  icon: 'icons/anthropic.svg',

  models: listModels,

  request(request, model, context) {
    return {
      url: apiUrl(context, 'messages'),
      headers: apiHeaders(context, request),
      body: encodeMessagesRequest(request, model, { rules: rulesOf(model, context), log: context.log }),
    }
  },

  decode: ({ request, context }) =>
    createMessagesDecoder({ toolNames: messagesToolNames(request), log: context.log }),

  countTokens(request, model, context) {
    const response = context.fetch(apiUrl(context, 'messages/count_tokens'), {
      headers: apiHeaders(context, request),
      body: encodeCountRequest(request, model, { rules: rulesOf(model, context), log: context.log }),
    })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readNumber(readObject(response.json(), 'the answer').input_tokens, 'input_tokens')
  },

  cacheConfiguration: model => ({
    maxCacheAnchors: MAX_CACHE_ANCHORS,
    shouldCacheToolDefinitions: true,
    minTotalTokenCount: findKnownModel(model)?.minCachedTokens ?? ASSUMED_MIN_CACHED_TOKENS,
  }),

  signInOptions: () => [
    {
      id: 'api-key',
      label: 'API key',
      method: {
        type: 'form',
        fields: [{ key: 'apiKey', label: 'API key', secret: true, placeholder: 'sk-ant-...' }],
      },
    },
  ],

  isAuthenticated: context => apiKey(context) !== undefined,

  settingsMarkdown: () =>
    'Create an API key at [platform.claude.com](https://platform.claude.com/settings/keys) and sign in with it, or ' +
    'set `ANTHROPIC_API_KEY`. `apiUrl` names another server that speaks the Messages API; `availableModels` adds ' +
    'models, each with its limits and, where it thinks by budget, its `thinkingBudget`.',
})
