import type { ChatService } from '@airlock/guest-sdk/dialects/openai-chat'
import { MODELS } from './models.ts'

export const service: ChatService = {
  id: 'mistral',
  name: 'Mistral',
  icon: 'icons/mistral.svg',
  apiUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  models: MODELS,
  // https://docs.mistral.ai/api/endpoint/chat
  quirks: {
    // Counts come with the last chunk, unasked; `stream_options` is refused as an unknown field.
    usageInStream: false,
    toolCallIds: 'alphanumeric-9',
    toolChoiceAny: 'any',
    seedField: 'random_seed',
    filePart: 'document_url',
    // "Unexpected role 'user' after role 'tool'", and the last message may be the model's only with `prefix`.
    assistantAfterTool: true,
    prefixField: true,
    effortField: 'none',
    effortNames: {},
  },
  about:
    'Create an API key at [console.mistral.ai](https://console.mistral.ai/api-keys) and sign in with it, or set ' +
    '`MISTRAL_API_KEY`. `apiUrl` names another server that speaks the same API; `availableModels` adds models. The ' +
    'service caches by itself.',
}
