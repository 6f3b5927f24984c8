import type { ChatService } from '@airlock/guest-sdk/dialects/openai-chat'
import { MODELS, OTHER_USES } from './models.ts'

export const service: ChatService = {
  id: 'groq',
  name: 'Groq',
  icon: 'icons/groq.svg',
  apiUrl: 'https://api.groq.com/openai/v1',
  keyVariables: ['GROQ_API_KEY'],
  keyPlaceholder: 'gsk_...',
  models: MODELS,
  otherUses: OTHER_USES,
  capabilities: { supportsFiles: false },
  // https://console.groq.com/docs/api-reference#chat-create
  quirks: {
    maxTokensField: 'max_completion_tokens',
    // Only some models hold an answer to a schema.
    structuredOutput: 'json_object',
    effortField: 'none',
    effortNames: {},
  },
  about:
    'Create an API key at [console.groq.com](https://console.groq.com/keys) and sign in with it, or set ' +
    '`GROQ_API_KEY`. `apiUrl` names another server that speaks the same API; `availableModels` adds models. The ' +
    'service caches by itself.',
}
