import { defineProvider } from '@airlock/guest-sdk'
import {
  type ChatQuirks,
  createChatDecoder,
  encodeChatRequest,
} from '@airlock/guest-sdk/dialects/openai-chat'
import { listModels } from './list-models.ts'
import { apiHeaders, apiKey, baseUrl } from './service.ts'
import { signInWithBrowser } from './sign-in.ts'

/** https://openrouter.ai/docs/api/reference/parameters and .../guides/best-practices/reasoning-tokens */
const quirks: Partial<ChatQuirks> = {
  cacheControl: true,
  reasoningEcho: 'always',
  reasoningField: 'reasoning',
  reasoningDetails: true,
  effortField: 'reasoning.effort',
  effortNames: {
    none: 'none',
    minimal: 'minimal',
    low: 'low',
    medium: 'medium',
    high: 'high',
    max: 'xhigh',
  },
  thinkingOff: { reasoning: { effort: 'none' } },
}

export default defineProvider({
  id: 'openrouter',
  name: 'OpenRouter',
  icon: 'icons/openrouter.svg',

  models: listModels,

  request(request, model, context) {
    return {
      url: `${baseUrl(context)}/chat/completions`,
      headers: apiHeaders(context),
      body: encodeChatRequest(request, model, quirks, context.log),
    }
  },

  decode: () => createChatDecoder(),

  signInOptions: () => [
    { id: 'browser', label: 'OpenRouter account, in the browser', method: { type: 'browser' } },
    {
      id: 'api-key',
      label: 'API key',
      method: {
        type: 'form',
        fields: [{ key: 'apiKey', label: 'API key', secret: true, placeholder: 'sk-or-v1-...' }],
      },
    },
  ],

  isAuthenticated: context => apiKey(context) !== undefined,

  signIn(option, form, context) {
    if (option === 'browser') signInWithBrowser(context)
    else context.storeCredential(form.apiKey ?? '')
  },

  settingsMarkdown: () =>
    'Sign in with your OpenRouter account, or create an API key at ' +
    '[openrouter.ai](https://openrouter.ai/settings/keys) and sign in with that, or set `OPENROUTER_API_KEY`.',
})
