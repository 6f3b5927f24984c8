import type { ChatQuirks, KnownChatModel } from '@airlock/guest-sdk/dialects/openai-chat'

/** "presencePenalty, frequencyPenalty, and stop cannot be used with reasoning models." */
const ALWAYS_THINKS: Partial<ChatQuirks> = {
  thinkingOff: 'never',
  refused: { stopSequences: 'models that think take none' },
}
const EFFORTS = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', max: 'high' } as const
const THINKS_BY_EFFORT: Partial<ChatQuirks> = {
  ...ALWAYS_THINKS,
  effortField: 'reasoning_effort',
  effortNames: EFFORTS,
}

/**
 * From the service's pages on models and prices (November 2026): https://docs.x.ai/developers/models
 * Prices are those of prompts up to 200,000 tokens; longer ones cost twice as much.
 */
export const MODELS: readonly KnownChatModel[] = [
  {
    id: 'grok-4.7',
    name: 'Grok 4.7',
    family: 'grok',
    maxTokenCount: 500_000,
    pricing: { input: 2, output: 6, cacheRead: 0.5 },
    quirks: { ...THINKS_BY_EFFORT, effortNames: { ...EFFORTS, max: 'xhigh' } },
    isDefault: true,
  },
  {
    id: 'grok-4.5',
    name: 'Grok 4.5',
    family: 'grok',
    maxTokenCount: 500_000,
    pricing: { input: 2, output: 6, cacheRead: 0.5 },
    quirks: THINKS_BY_EFFORT,
  },
  {
    id: 'grok-4.3',
    name: 'Grok 4.3',
    family: 'grok',
    maxTokenCount: 1_000_000,
    maxOutputTokens: 30_000,
    pricing: { input: 1.25, output: 2.5, cacheRead: 0.2 },
    quirks: {
      ...THINKS_BY_EFFORT,
      effortNames: { ...EFFORTS, none: 'none' },
      thinkingOff: { reasoning_effort: 'none' },
    },
  },
  {
    id: 'grok-4.20-0309-reasoning',
    name: 'Grok 4.20 (reasoning)',
    family: 'grok',
    maxTokenCount: 1_000_000,
    maxOutputTokens: 30_000,
    pricing: { input: 1.25, output: 2.5, cacheRead: 0.2 },
    quirks: ALWAYS_THINKS,
  },
  {
    id: 'grok-4.20-0309-non-reasoning',
    name: 'Grok 4.20',
    family: 'grok',
    maxTokenCount: 1_000_000,
    maxOutputTokens: 30_000,
    pricing: { input: 1.25, output: 2.5, cacheRead: 0.2 },
    capabilities: { supportsThinking: false },
    isDefaultFast: true,
  },
  {
    id: 'grok-build-0.1',
    aliases: ['grok-code-fast', 'grok-code-fast-1'],
    name: 'Grok Build 0.1',
    family: 'grok-build',
    maxTokenCount: 256_000,
    maxOutputTokens: 256_000,
    pricing: { input: 1, output: 2, cacheRead: 0.2 },
    quirks: ALWAYS_THINKS,
  },
]
