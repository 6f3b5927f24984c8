import type { KnownChatModel } from '@airlock/guest-sdk/dialects/openai-chat'

/**
 * From the service's page on models and prices (November 2026): https://api-docs.deepseek.com/quick_start/pricing
 * Prices are those of the peak hours; outside of them the service takes half.
 */
export const MODELS: readonly KnownChatModel[] = [
  {
    id: 'deepseek-v4-pro',
    name: 'DeepSeek V4 Pro',
    family: 'deepseek',
    maxTokenCount: 1_000_000,
    maxOutputTokens: 393_216,
    pricing: { input: 1.32, output: 3.96, cacheRead: 0.044 },
    capabilities: { supportsImages: false },
    quirks: { effortNames: { minimal: 'high', low: 'high', medium: 'high', high: 'high', max: 'max' } },
    isDefault: true,
  },
  {
    id: 'deepseek-flash',
    aliases: ['deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
    name: 'DeepSeek V4.1 Flash',
    family: 'deepseek',
    maxTokenCount: 1_000_000,
    maxOutputTokens: 393_216,
    pricing: { input: 0.3, output: 1.2, cacheRead: 0.006 },
    isDefaultFast: true,
  },
]
