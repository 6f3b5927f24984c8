import type { ChatService } from '@airlock/guest-sdk/dialects/openai-chat'
import { MODELS } from './models.ts'

export const service: ChatService = {
  id: 'xai',
  name: 'xAI',
  icon: 'icons/xai.svg',
  apiUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY'],
  keyPlaceholder: 'xai-...',
  // `models` has ids alone; this one has what goes in and what it costs, and leaves image models out.
  modelList: 'language-models',
  models: MODELS,
  // Documents go to the Responses API only.
  capabilities: { supportsFiles: false },
  // https://docs.x.ai/developers/model-capabilities/text/reasoning
  quirks: { effortField: 'none', effortNames: {} },
  about:
    'Create an API key at [console.x.ai](https://console.x.ai) and sign in with it, or set `XAI_API_KEY`. `apiUrl` ' +
    'names another server that speaks the same API; `availableModels` adds models. The service caches by itself.',
}
