import type { ModelPricing } from '@airlock/guest-sdk'
import type { GeminiRules, ThinkingLevel } from '@airlock/guest-sdk/dialects/gemini'

/** What is known of a model without asking the service. */
export interface KnownModel {
  id: string
  name: string
  family: string
  /** Tokens. */
  maxTokenCount: number
  /** Tokens. */
  maxOutputTokens: number
  pricing: ModelPricing
  rules: Partial<GeminiRules>
}

const CONTEXT = 1_048_576
const LONG_OUTPUT = 1_048_576
const OUTPUT = 65_536

const FOUR_LEVELS: readonly ThinkingLevel[] = ['minimal', 'low', 'medium', 'high']
const THREE_LEVELS: readonly ThinkingLevel[] = ['low', 'medium', 'high']

/** Since Gemini 3 calls are signed, have ids, their results may hold images, and answers with tools a schema. */
const thinksBy = (levels: readonly ThinkingLevel[]): Partial<GeminiRules> => ({
  thinking: 'level',
  levels,
  signedCalls: true,
  resultImages: true,
})
const thinksWithin = (least: number, most: number): Partial<GeminiRules> => ({
  thinking: 'budget',
  budget: { least, most },
  callIds: false,
  formatWithTools: false,
})

/**
 * From the service's pages on models, prices and thinking (November 2026), prices of prompts up to 200,000 tokens:
 * https://ai.google.dev/gemini-api/docs/models and https://ai.google.dev/gemini-api/docs/pricing
 */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    id: 'gemini-4-argon',
    name: 'Gemini 4 Argon',
    family: 'gemini-4',
    maxTokenCount: CONTEXT,
    maxOutputTokens: LONG_OUTPUT,
    pricing: { input: 4, output: 20, cacheRead: 0.2 },
    rules: thinksBy(THREE_LEVELS),
  },
  {
    id: 'gemini-4-carbon',
    name: 'Gemini 4 Carbon',
    family: 'gemini-4',
    maxTokenCount: CONTEXT,
    maxOutputTokens: LONG_OUTPUT,
    pricing: { input: 4, output: 20, cacheRead: 0.2 },
    rules: thinksBy(THREE_LEVELS),
  },
  {
    id: 'gemini-4-neon',
    name: 'Gemini 4 Neon',
    family: 'gemini-4',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 3, output: 15, cacheRead: 0.15 },
    rules: thinksBy(THREE_LEVELS),
  },
  {
    id: 'gemini-4-hydrogen',
    name: 'Gemini 4 Hydrogen',
    family: 'gemini-4',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 1.5, output: 7.5, cacheRead: 0.075 },
    rules: thinksBy(THREE_LEVELS),
  },
  {
    id: 'gemini-3.8-flash',
    name: 'Gemini 3.8 Flash',
    family: 'gemini-flash',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    // Through 2026; twice as much from 2027.
    pricing: { input: 0.75, output: 3.75, cacheRead: 0.075 },
    rules: thinksBy(THREE_LEVELS),
  },
  {
    id: 'gemini-3.5-flash',
    name: 'Gemini 3.5 Flash',
    family: 'gemini-flash',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 1.5, output: 9, cacheRead: 0.15 },
    rules: thinksBy(FOUR_LEVELS),
  },
  {
    id: 'gemini-3.5-flash-lite',
    name: 'Gemini 3.5 Flash-Lite',
    family: 'gemini-flash-lite',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 0.3, output: 2.5, cacheRead: 0.03 },
    rules: thinksBy(FOUR_LEVELS),
  },
  {
    id: 'gemini-3.1-pro-preview',
    name: 'Gemini 3.1 Pro Preview',
    family: 'gemini-pro',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 2, output: 12, cacheRead: 0.2 },
    rules: thinksBy(THREE_LEVELS),
  },
  {
    id: 'gemini-3-flash-preview',
    name: 'Gemini 3 Flash Preview',
    family: 'gemini-flash',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 0.5, output: 3, cacheRead: 0.05 },
    rules: thinksBy(FOUR_LEVELS),
  },
  {
    id: 'gemini-2.5-pro',
    name: 'Gemini 2.5 Pro',
    family: 'gemini-pro',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 1.25, output: 10, cacheRead: 0.125 },
    rules: thinksWithin(128, 32_768),
  },
  {
    id: 'gemini-2.5-flash',
    name: 'Gemini 2.5 Flash',
    family: 'gemini-flash',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 0.3, output: 2.5, cacheRead: 0.03 },
    rules: thinksWithin(0, 24_576),
  },
  {
    id: 'gemini-2.5-flash-lite',
    name: 'Gemini 2.5 Flash-Lite',
    family: 'gemini-flash-lite',
    maxTokenCount: CONTEXT,
    maxOutputTokens: OUTPUT,
    pricing: { input: 0.1, output: 0.4, cacheRead: 0.01 },
    rules: thinksWithin(0, 24_576),
  },
]

export const DEFAULT_MODEL = 'gemini-4-argon'
export const DEFAULT_FAST_MODEL = 'gemini-3.8-flash'

export function findKnownModel(id: string): KnownModel | undefined {
  return KNOWN_MODELS.find(model => model.id === id)
}
