import type { ChatQuirks, KnownChatModel } from '@airlock/guest-sdk/dialects/openai-chat'

/** https://console.groq.com/docs/reasoning */
const GPT_OSS: Partial<ChatQuirks> = {
  effortField: 'reasoning_effort',
  effortNames: { minimal: 'low', low: 'low', medium: 'medium', high: 'high', max: 'high' },
  thinkingOff: 'never',
  structuredOutput: 'json_schema',
  parallelToolCalls: false,
}
const TEXT_ONLY = { supportsImages: false }

/** From the service's pages on models and prices (November 2026): https://console.groq.com/docs/models */
export const MODELS: readonly KnownChatModel[] = [
  {
    id: 'openai/gpt-oss-120b',
    name: 'GPT-OSS 120B',
    family: 'gpt-oss',
    maxTokenCount: 131_072,
    maxOutputTokens: 65_536,
    pricing: { input: 0.15, output: 0.6, cacheRead: 0.075 },
    capabilities: TEXT_ONLY,
    quirks: GPT_OSS,
    isDefault: true,
  },
  {
    id: 'openai/gpt-oss-20b',
    name: 'GPT-OSS 20B',
    family: 'gpt-oss',
    maxTokenCount: 131_072,
    maxOutputTokens: 65_536,
    pricing: { input: 0.075, output: 0.3, cacheRead: 0.0375 },
    capabilities: TEXT_ONLY,
    quirks: GPT_OSS,
    isDefaultFast: true,
  },
  {
    id: 'qwen/qwen3.8-27b',
    name: 'Qwen 3.8 27B',
    family: 'qwen',
    maxTokenCount: 131_042,
    maxOutputTokens: 16_384,
    pricing: { input: 0.8, output: 4, cacheRead: 0.4 },
    quirks: {
      effortField: 'reasoning_effort',
      // It thinks or does not: there is nothing between.
      effortNames: {
        none: 'none',
        minimal: 'default',
        low: 'default',
        medium: 'default',
        high: 'default',
        max: 'default',
      },
      thinkingOff: { reasoning_effort: 'none' },
      // Else the thinking stands in the text, between tags.
      extraFields: { reasoning_format: 'parsed' },
    },
  },
]

/** The service lists these among its models and says of none what it is for: speech, and judging of prompts. */
export const OTHER_USES: readonly string[] = [
  'whisper-large-v3',
  'whisper-large-v3-turbo',
  'canopylabs/orpheus-arabic-saudi',
  'canopylabs/orpheus-v1-english',
  'playai-tts',
  'playai-tts-arabic',
  'meta-llama/llama-guard-4-12b',
  'meta-llama/llama-prompt-guard-2-22m',
  'meta-llama/llama-prompt-guard-2-86m',
]
