import type { ChatService } from '@airlock/guest-sdk/dialects/openai-chat'

/**
 * Hosted services that need no more than a base URL, a key and a list of what they do in their own way. Each is a
 * provider: a user picks one by its name, as in `moonshot/kimi-k2`, and sees its models once there is a key for it.
 */
export const SERVICES: readonly ChatService[] = [
  hosted({
    id: 'moonshot',
    name: 'Moonshot AI',
    apiUrl: 'https://api.moonshot.ai/v1',
    keyVariables: ['MOONSHOT_API_KEY'],
    about: keyFrom('platform.moonshot.ai', 'https://platform.moonshot.ai/console/api-keys'),
    capabilities: { supportsFiles: false },
    // https://platform.moonshot.ai/docs/api/chat
    quirks: {
      ...thinkingSwitch(),
      // "thinking is enabled but reasoning_content is missing in assistant tool call message"
      reasoningEcho: 'tool-turns',
      forcedTools: 'unless-thinking',
      structuredOutput: 'json_object',
      refused: { seed: 'the service has no such setting' },
    },
  }),
  hosted({
    id: 'zai',
    name: 'Z.ai',
    apiUrl: 'https://api.z.ai/api/paas/v4',
    keyVariables: ['ZAI_API_KEY'],
    about: keyFrom('z.ai', 'https://z.ai/manage-apikey/apikey-list'),
    capabilities: { supportsFiles: false },
    // https://docs.z.ai/api-reference/llm/chat-completion
    quirks: {
      ...thinkingSwitch(),
      reasoningEcho: 'tool-turns',
      // `tool_choice` may be "auto" and nothing else.
      forcedTools: 'never',
      toolChoiceNone: false,
      parallelToolCalls: false,
      structuredOutput: 'json_object',
      refused: { seed: 'the service has no such setting' },
    },
  }),
  hosted({
    id: 'alibaba',
    name: 'Alibaba Cloud Model Studio',
    apiUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariables: ['DASHSCOPE_API_KEY'],
    about: keyFrom('Model Studio', 'https://modelstudio.console.alibabacloud.com/?tab=playground#/api-key'),
    capabilities: { supportsFiles: false, supportsToolChoiceAny: false },
    // https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions
    quirks: {
      effortField: 'none',
      effortNames: {},
      thinkingOff: { enable_thinking: false },
      thinkingOn: { enable_thinking: true },
      forcedTools: 'unless-thinking',
      toolChoiceAny: 'refused',
      structuredOutput: 'json_object',
    },
  }),
  hosted({
    id: 'perplexity',
    name: 'Perplexity',
    // No version in its paths.
    apiUrl: 'https://api.perplexity.ai/chat/completions',
    keyVariables: ['PERPLEXITY_API_KEY'],
    about: keyFrom('perplexity.ai', 'https://www.perplexity.ai/account/api/keys'),
    modelList: 'none',
    models: [
      { id: 'sonar', name: 'Sonar', maxTokenCount: 128_000, pricing: { input: 1, output: 1 } },
      { id: 'sonar-pro', name: 'Sonar Pro', maxTokenCount: 200_000, pricing: { input: 3, output: 15 } },
      {
        id: 'sonar-reasoning-pro',
        name: 'Sonar Reasoning Pro',
        maxTokenCount: 128_000,
        pricing: { input: 2, output: 8 },
      },
      {
        id: 'sonar-deep-research',
        name: 'Sonar Deep Research',
        maxTokenCount: 128_000,
        pricing: { input: 2, output: 8 },
      },
    ],
    capabilities: { supportsTools: false, supportsFiles: false },
    // https://docs.perplexity.ai/api-reference/chat-completions-post
    quirks: {
      usageInStream: false,
      forcedTools: 'never',
      strictSchemas: false,
      refused: {
        seed: 'the service has no such setting',
        stopSequences: 'the service has no such setting',
      },
    },
  }),
  hosted({
    id: 'together',
    name: 'Together AI',
    apiUrl: 'https://api.together.xyz/v1',
    keyVariables: ['TOGETHER_API_KEY'],
    about: keyFrom('api.together.ai', 'https://api.together.ai/settings/api-keys'),
    capabilities: { supportsFiles: false },
    quirks: { parallelToolCalls: false },
  }),
  hosted({
    id: 'fireworks',
    name: 'Fireworks AI',
    apiUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariables: ['FIREWORKS_API_KEY'],
    about: keyFrom('app.fireworks.ai', 'https://app.fireworks.ai/settings/users/api-keys'),
    capabilities: { supportsFiles: false },
    // https://docs.fireworks.ai/api-reference/post-chatcompletions
    quirks: { toolChoiceAny: 'any' },
  }),
  hosted({
    id: 'cerebras',
    name: 'Cerebras',
    apiUrl: 'https://api.cerebras.ai/v1',
    keyVariables: ['CEREBRAS_API_KEY'],
    about: keyFrom('cloud.cerebras.ai', 'https://cloud.cerebras.ai/platform/apikeys'),
    capabilities: { supportsImages: false, supportsFiles: false },
    // https://inference-docs.cerebras.ai/api-reference/chat-completions
    quirks: {
      maxTokensField: 'max_completion_tokens',
      effortNames: { minimal: 'low', low: 'low', medium: 'medium', high: 'high', max: 'high' },
    },
  }),
]

function hosted(service: Omit<ChatService, 'icon' | 'isPreset'>): ChatService {
  return { ...service, icon: `icons/${service.id}.svg`, isPreset: true }
}

/** Thinking that is on or off, by one field. */
function thinkingSwitch(): Partial<NonNullable<ChatService['quirks']>> {
  return {
    effortField: 'none',
    effortNames: {},
    thinkingOff: { thinking: { type: 'disabled' } },
    thinkingOn: { thinking: { type: 'enabled' } },
  }
}

function keyFrom(place: string, url: string): string {
  return `Create an API key at [${place}](${url}) and sign in with it, or set the key's environment variable.`
}
