import type { ModelCapabilities, ModelPricing } from '@airlock/guest-sdk'
import type { ConverseRules } from '@airlock/guest-sdk/dialects/bedrock-converse'

/** What is known of a model without asking the service. */
export interface KnownModel {
  /** Without the region that a profile's id begins with. */
  id: string
  /** The profile to offer where there is no list: not every model is asked by its own id. Default: the id. */
  profile?: string
  name: string
  family: string
  /** Tokens. */
  maxTokenCount: number
  /** Tokens. */
  maxOutputTokens: number
  pricing: ModelPricing
  /** Tokens below which the service caches nothing. Absent: the model caches nothing. */
  minCachedTokens?: number
  capabilities?: Partial<ModelCapabilities>
  rules: Partial<ConverseRules>
}

const MILLION = 1_000_000
const CLAUDE: Partial<ConverseRules> = { resultStatus: true, cachePoints: 'messages-and-tools' }
const DISABLED = { thinking: 'adaptive', thinkingOff: 'disabled', sampling: false } as const
const NEVER_OFF = { thinking: 'adaptive', thinkingOff: 'never', sampling: false } as const
const THINKS_ALWAYS: Partial<ConverseRules> = {
  ...CLAUDE,
  thinking: { type: 'anthropic', rules: NEVER_OFF },
  sampling: false,
  forcedTools: false,
  prefill: false,
}
const THINKS_BY_DEFAULT: Partial<ConverseRules> = {
  ...CLAUDE,
  thinking: { type: 'anthropic', rules: DISABLED },
  sampling: false,
  prefill: false,
}
const THINKS_BY_BUDGET: Partial<ConverseRules> = {
  ...CLAUDE,
  thinking: { type: 'anthropic', rules: { thinking: 'budget' } },
  structuredOutput: true,
}
const NO_THINKING = { supportsThinking: false }
const TEXT_ONLY = { supportsImages: false, supportsFiles: false }

/**
 * From the service's pages on models and prices (November 2026); prices are those of us-east-1:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html
 */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    id: 'anthropic.claude-opus-5-5',
    profile: 'global.anthropic.claude-opus-5-5',
    name: 'Claude Opus 5.5',
    family: 'claude-opus',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    minCachedTokens: 512,
    rules: THINKS_ALWAYS,
  },
  {
    id: 'anthropic.claude-sonnet-5-5',
    profile: 'global.anthropic.claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5',
    family: 'claude-sonnet',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
    minCachedTokens: 512,
    rules: {
      ...THINKS_ALWAYS,
      thinking: { type: 'anthropic', rules: { ...NEVER_OFF, thinkingOff: 'between_tools' } },
    },
  },
  {
    id: 'anthropic.claude-haiku-5-5',
    profile: 'global.anthropic.claude-haiku-5-5',
    name: 'Claude Haiku 5.5',
    family: 'claude-haiku',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
    minCachedTokens: 512,
    rules: THINKS_BY_DEFAULT,
  },
  {
    id: 'anthropic.claude-sonnet-4-6',
    profile: 'global.anthropic.claude-sonnet-4-6',
    name: 'Claude Sonnet 4.6',
    family: 'claude-sonnet',
    maxTokenCount: MILLION,
    maxOutputTokens: 128_000,
    pricing: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    minCachedTokens: 1_024,
    rules: {
      ...CLAUDE,
      thinking: {
        type: 'anthropic',
        rules: { thinking: 'adaptive', efforts: ['low', 'medium', 'high', 'max'] },
      },
      structuredOutput: true,
    },
  },
  {
    id: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    profile: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    name: 'Claude Sonnet 4.5',
    family: 'claude-sonnet',
    maxTokenCount: 200_000,
    maxOutputTokens: 64_000,
    pricing: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    minCachedTokens: 1_024,
    rules: THINKS_BY_BUDGET,
  },
  {
    id: 'anthropic.claude-haiku-4-5-20251001-v1:0',
    profile: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
    name: 'Claude Haiku 4.5',
    family: 'claude-haiku',
    maxTokenCount: 200_000,
    maxOutputTokens: 64_000,
    pricing: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    minCachedTokens: 4_096,
    rules: THINKS_BY_BUDGET,
  },
  {
    id: 'amazon.nova-2-lite-v1:0',
    profile: 'global.amazon.nova-2-lite-v1:0',
    name: 'Nova 2 Lite',
    family: 'nova',
    maxTokenCount: MILLION,
    maxOutputTokens: 65_535,
    pricing: { input: 0.33, output: 2.75 },
    minCachedTokens: 1_000,
    rules: { thinking: { type: 'nova' }, resultStatus: true, cachePoints: 'messages', prefill: false },
  },
  {
    id: 'openai.gpt-oss-120b-1:0',
    name: 'GPT-OSS 120B',
    family: 'gpt-oss',
    maxTokenCount: 128_000,
    maxOutputTokens: 16_384,
    pricing: { input: 0.15, output: 0.6 },
    capabilities: TEXT_ONLY,
    rules: { thinking: { type: 'effort' }, prefill: false },
  },
  {
    id: 'meta.llama3-3-70b-instruct-v1:0',
    profile: 'us.meta.llama3-3-70b-instruct-v1:0',
    name: 'Llama 3.3 70B',
    family: 'llama',
    maxTokenCount: 128_000,
    maxOutputTokens: 4_096,
    pricing: { input: 0.72, output: 0.72 },
    capabilities: { ...TEXT_ONLY, ...NO_THINKING },
    rules: { forcedTools: false },
  },
]

export const DEFAULT_MODEL = 'anthropic.claude-opus-5-5'
export const DEFAULT_FAST_MODEL = 'anthropic.claude-haiku-5-5'

/** The regions that stand in front of a profile's id. https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html */
const PROFILE = /^(global|us|us-gov|eu|apac|jp|au|ca)\./

/** By a model's id, a profile's id, or the ARN of either. */
export function findKnownModel(id: string): KnownModel | undefined {
  const bare = id.slice(id.lastIndexOf('/') + 1).replace(PROFILE, '')
  return KNOWN_MODELS.find(model => model.id === bare)
}
