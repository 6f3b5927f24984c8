import type { ChatService } from '@airlock/guest-sdk/dialects/openai-chat'
import { MODELS } from './models.ts'

export const service: ChatService = {
  id: 'deepseek',
  name: 'DeepSeek',
  icon: 'icons/deepseek.svg',
  apiUrl: 'https://api.deepseek.com/v1',
  keyVariables: ['DEEPSEEK_API_KEY'],
  keyPlaceholder: 'sk-...',
  models: MODELS,
  capabilities: { supportsFiles: false },
  // https://api-docs.deepseek.com/api/create-chat-completion and https://api-docs.deepseek.com/guides/thinking_mode
  quirks: {
    // "The reasoning_content in the thinking mode must be passed back to the API" where tools were called, empty too.
    reasoningEcho: 'tool-turns',
    reasoningField: 'reasoning_content',
    effortNames: { minimal: 'low', low: 'low', medium: 'high', high: 'high', max: 'max' },
    thinkingOff: { thinking: { type: 'disabled' } },
    thinkingOn: { thinking: { type: 'enabled' } },
    samplingWhileThinking: false,
    // "Thinking mode does not support this tool_choice".
    forcedTools: 'unless-thinking',
    parallelToolCalls: false,
    structuredOutput: 'json_object',
    refused: { seed: 'the service has no such setting' },
  },
  about:
    'Create an API key at [platform.deepseek.com](https://platform.deepseek.com/api_keys) and sign in with it, or set ' +
    '`DEEPSEEK_API_KEY`. `apiUrl` names another server that speaks the same API; `availableModels` adds models. The ' +
    'service caches by itself.',
}
