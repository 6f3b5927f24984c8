import type { ChatQuirks, KnownChatModel } from '@airlock/guest-sdk/dialects/openai-chat'

/** Thinking goes back with the history, as parts of the content. */
const THINKS: Partial<ChatQuirks> = { reasoningEcho: 'always', reasoningField: 'thinking-part' }
/** Thinks or does not: there is nothing between. https://docs.mistral.ai/inference/conversations/reasoning */
const THINKS_WHEN_ASKED: Partial<ChatQuirks> = {
  ...THINKS,
  effortField: 'reasoning_effort',
  effortNames: { none: 'none', minimal: 'none', low: 'high', medium: 'high', high: 'high', max: 'high' },
  thinkingOff: { reasoning_effort: 'none' },
}
const THINKS_NOT = { supportsThinking: false }
const TEXT_ONLY = { supportsThinking: false, supportsImages: false }

/** From the service's pages on models and prices (November 2026): https://docs.mistral.ai/models */
export const MODELS: readonly KnownChatModel[] = [
  {
    id: 'mistral-large-4',
    aliases: ['mistral-large-4-0'],
    name: 'Mistral Large 4',
    family: 'mistral-large',
    maxTokenCount: 1_048_576,
    maxOutputTokens: 262_144,
    // While it is in preview; 1.36 and 4.18 by the list.
    pricing: { input: 0.68, output: 2.09, cacheRead: 0.07 },
    quirks: THINKS_WHEN_ASKED,
  },
  {
    id: 'mistral-medium-3-5',
    aliases: ['mistral-medium-3.5', 'mistral-medium-2604', 'mistral-medium-latest'],
    name: 'Mistral Medium 3.5',
    family: 'mistral-medium',
    maxTokenCount: 262_144,
    maxOutputTokens: 262_144,
    pricing: { input: 1.5, output: 7.5 },
    quirks: THINKS_WHEN_ASKED,
    isDefault: true,
  },
  {
    id: 'mistral-small-2603',
    aliases: ['mistral-small-latest'],
    name: 'Mistral Small 4',
    family: 'mistral-small',
    maxTokenCount: 256_000,
    maxOutputTokens: 256_000,
    pricing: { input: 0.15, output: 0.6 },
    quirks: THINKS_WHEN_ASKED,
    isDefaultFast: true,
  },
  {
    id: 'mistral-large-2512',
    name: 'Mistral Large 3',
    family: 'mistral-large',
    maxTokenCount: 262_144,
    maxOutputTokens: 262_144,
    pricing: { input: 0.5, output: 1.5 },
    capabilities: THINKS_NOT,
  },
  {
    id: 'devstral-2512',
    name: 'Devstral 2',
    family: 'devstral',
    maxTokenCount: 262_144,
    maxOutputTokens: 262_144,
    pricing: { input: 0.4, output: 2 },
    capabilities: TEXT_ONLY,
  },
  {
    id: 'codestral-2508',
    aliases: ['codestral-latest'],
    name: 'Codestral',
    family: 'codestral',
    maxTokenCount: 256_000,
    maxOutputTokens: 4_096,
    pricing: { input: 0.3, output: 0.9 },
    capabilities: TEXT_ONLY,
  },
  {
    id: 'magistral-medium-2509',
    aliases: ['magistral-medium-2507', 'magistral-medium-latest'],
    name: 'Magistral Medium',
    family: 'magistral',
    maxTokenCount: 128_000,
    maxOutputTokens: 40_000,
    pricing: { input: 2, output: 5 },
    quirks: { ...THINKS, thinkingOff: 'never' },
  },
]
