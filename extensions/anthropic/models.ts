import type { ModelPricing } from '@airlock/guest-sdk'
import type { Effort, MessagesRules } from '@airlock/guest-sdk/dialects/anthropic-messages'

/** What is known of a model without asking the service. */
export interface KnownModel {
  id: string
  /** The dated id that the service lists for it, where it has one. */
  snapshot?: string
  name: string
  family: string
  /** Tokens. */
  maxTokenCount: number
  /** Tokens. */
  maxOutputTokens: number
  pricing: ModelPricing
  /** Tokens below which the service caches nothing. */
  minCachedTokens: number
  rules: Partial<MessagesRules>
}

const MILLION = 1_000_000

/** Models that always think take neither sampling settings nor a forced tool, nor continue an answer. */
const ALWAYS_THINKS: Partial<MessagesRules> = {
  thinking: 'adaptive',
  thinkingOff: 'never',
  sampling: false,
  forcedTools: false,
  prefill: false,
  systemMessages: true,
}
const THINKS_BY_DEFAULT: Partial<MessagesRules> = {
  thinking: 'adaptive',
  thinkingOff: 'disabled',
  sampling: false,
  prefill: false,
}
const THINKS_WHEN_ASKED: Partial<MessagesRules> = { ...THINKS_BY_DEFAULT, thinkingOff: 'omit' }
const EFFORTS_OF_4_6: readonly Effort[] = ['low', 'medium', 'high', 'max']

/**
 * From the service's pages on models, prices, thinking and prompt caching (November 2026):
 * https://platform.claude.com/docs/en/about-claude/models/overview
 */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    id: 'claude-opus-5-5',
    name: 'Claude Opus 5.5',
    family: 'claude-opus',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    minCachedTokens: 512,
    rules: ALWAYS_THINKS,
  },
  {
    id: 'claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5',
    family: 'claude-sonnet',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
    minCachedTokens: 512,
    rules: { ...ALWAYS_THINKS, thinkingOff: 'between_tools' },
  },
  {
    id: 'claude-haiku-5-5',
    name: 'Claude Haiku 5.5',
    family: 'claude-haiku',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    // Prompts of more than 100,000 tokens cost five times as much.
    pricing: { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
    minCachedTokens: 512,
    rules: { ...THINKS_BY_DEFAULT, systemMessages: true },
  },
  {
    id: 'claude-fable-5-1',
    name: 'Claude Fable 5.1',
    family: 'claude-fable',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
    minCachedTokens: 512,
    rules: ALWAYS_THINKS,
  },
  {
    id: 'claude-fable-5',
    name: 'Claude Fable 5',
    family: 'claude-fable',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
    minCachedTokens: 512,
    rules: { ...ALWAYS_THINKS, forcedTools: true },
  },
  {
    id: 'claude-opus-5',
    name: 'Claude Opus 5',
    family: 'claude-opus',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    minCachedTokens: 512,
    rules: { ...THINKS_BY_DEFAULT, systemMessages: true },
  },
  {
    id: 'claude-sonnet-5',
    name: 'Claude Sonnet 5',
    family: 'claude-sonnet',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
    minCachedTokens: 1_024,
    rules: THINKS_BY_DEFAULT,
  },
  {
    id: 'claude-opus-4-8',
    name: 'Claude Opus 4.8',
    family: 'claude-opus',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    minCachedTokens: 1_024,
    rules: { ...THINKS_WHEN_ASKED, systemMessages: true },
  },
  {
    id: 'claude-opus-4-7',
    name: 'Claude Opus 4.7',
    family: 'claude-opus',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    minCachedTokens: 2_048,
    rules: THINKS_WHEN_ASKED,
  },
  {
    id: 'claude-opus-4-6',
    name: 'Claude Opus 4.6',
    family: 'claude-opus',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    minCachedTokens: 4_096,
    rules: { thinking: 'adaptive', efforts: EFFORTS_OF_4_6, prefill: false },
  },
  {
    id: 'claude-sonnet-4-6',
    name: 'Claude Sonnet 4.6',
    family: 'claude-sonnet',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    minCachedTokens: 1_024,
    rules: { thinking: 'adaptive', efforts: EFFORTS_OF_4_6 },
  },
  {
    id: 'claude-opus-4-5',
    snapshot: 'claude-opus-4-5-20251101',
    name: 'Claude Opus 4.5',
    family: 'claude-opus',
    maxTokenCount: 200_000,
    maxOutputTokens: 64_000,
    pricing: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    minCachedTokens: 4_096,
    rules: { thinking: 'budget', efforts: ['low', 'medium', 'high'] },
  },
  {
    id: 'claude-sonnet-4-5',
    snapshot: 'claude-sonnet-4-5-20250929',
    name: 'Claude Sonnet 4.5',
    family: 'claude-sonnet',
    maxTokenCount: 200_000,
    maxOutputTokens: 64_000,
    pricing: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    minCachedTokens: 1_024,
    rules: { thinking: 'budget' },
  },
  {
    id: 'claude-haiku-4-5',
    snapshot: 'claude-haiku-4-5-20251001',
    name: 'Claude Haiku 4.5',
    family: 'claude-haiku',
    maxTokenCount: 200_000,
    maxOutputTokens: 64_000,
    pricing: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    minCachedTokens: 4_096,
    rules: { thinking: 'budget' },
  },
]

export const DEFAULT_MODEL = 'claude-opus-5-5'
export const DEFAULT_FAST_MODEL = 'claude-haiku-5-5'

export function findKnownModel(id: string): KnownModel | undefined {
  return KNOWN_MODELS.find(model => model.id === id || model.snapshot === id)
}
