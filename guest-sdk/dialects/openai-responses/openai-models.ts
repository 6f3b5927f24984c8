import type { ModelPricing } from '../../models.ts'
import type { OpenAiApi } from './endpoint.ts'
import type { ResponsesRules } from './rules.ts'

/** What is known of one of OpenAI's models without asking a service, whoever serves it. */
export interface OpenAiModel {
  id: string
  /** Other ids of the same model, dated ones above all. */
  aliases?: readonly string[]
  name: string
  family: string
  /** Input, tokens: what the context window leaves beside the longest answer, where the service counts so. */
  maxTokenCount: number
  /** Tokens. */
  maxOutputTokens: number
  /** Standard processing. From GPT-5.4 on, prompts of more than 272,000 tokens cost more. */
  pricing: ModelPricing
  /** The one API that serves it. Default: Responses, as all others are. */
  api?: OpenAiApi
  rules: Partial<ResponsesRules>
}

/** When the table was written, milliseconds since 1970: what is younger it cannot know. */
export const OPENAI_MODELS_AS_OF = Date.UTC(2026, 10, 20)

type Facts = Pick<OpenAiModel, 'maxTokenCount' | 'maxOutputTokens' | 'rules'>

const MILLION: Omit<Facts, 'rules'> = { maxTokenCount: 922_000, maxOutputTokens: 128_000 }
const LARGE: Omit<Facts, 'rules'> = { maxTokenCount: 272_000, maxOutputTokens: 128_000 }
const SMALL: Omit<Facts, 'rules'> = { maxTokenCount: 128_000, maxOutputTokens: 16_384 }
const GPT_4_1: Facts = { maxTokenCount: 1_047_576, maxOutputTokens: 32_768, rules: { thinking: false } }

const GPT_6_2: Partial<ResponsesRules> = {
  thinking: true,
  efforts: ['low', 'medium', 'high', 'xhigh'],
  sampling: 'never',
  cacheBreakpoints: true,
}
const GPT_6_ALWAYS: Partial<ResponsesRules> = {
  thinking: true,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  sampling: 'never',
  cacheBreakpoints: true,
}
const GPT_5_6: Partial<ResponsesRules> = {
  thinking: true,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  sampling: 'without-thinking',
  cacheBreakpoints: true,
}
const GPT_5_5: Partial<ResponsesRules> = {
  thinking: true,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  sampling: 'without-thinking',
}
const GPT_5_4: Partial<ResponsesRules> = { ...GPT_5_5, defaultEffort: 'none' }
const GPT_5_1: Partial<ResponsesRules> = { ...GPT_5_4, efforts: ['none', 'low', 'medium', 'high'] }
const GPT_5: Partial<ResponsesRules> = {
  thinking: true,
  efforts: ['minimal', 'low', 'medium', 'high'],
  sampling: 'never',
}

/** From the service's pages on models, prices and deprecations: https://developers.openai.com/api/docs/models */
export const OPENAI_MODELS: readonly OpenAiModel[] = [
  model('gpt-6.2-astra', 'GPT-6.2 Astra', 'gpt-astra', { ...MILLION, rules: GPT_6_2 }, [8, 40, 0.4, 10]),
  model('gpt-6.2-sol', 'GPT-6.2 Sol', 'gpt-sol', { ...MILLION, rules: GPT_6_2 }, [2, 10, 0.1, 2.5]),
  model('gpt-6.1-sol', 'GPT-6.1 Sol', 'gpt-sol', { ...MILLION, rules: GPT_6_ALWAYS }, [2, 10, 0.1, 2.5]),
  model('gpt-6.1-terra', 'GPT-6.1 Terra', 'gpt-terra', { ...MILLION, rules: GPT_5_6 }, [1, 5, 0.05, 1.25]),
  model('gpt-6-astra', 'GPT-6 Astra', 'gpt-astra', { ...MILLION, rules: GPT_6_ALWAYS }, [10, 50, 1, 12.5]),
  model('gpt-6-sol', 'GPT-6 Sol', 'gpt-sol', { ...MILLION, rules: GPT_5_6 }, [2, 10, 0.2, 2.5]),
  model('gpt-6-luna', 'GPT-6 Luna', 'gpt-luna', { ...MILLION, rules: GPT_5_6 }, [0.1, 0.5, 0.01, 0.125]),
  model(
    'gpt-5.6-sol',
    'GPT-5.6 Sol',
    'gpt-sol',
    { ...MILLION, rules: GPT_5_6 },
    [4, 20, 0.4, 5],
    ['gpt-5.6'],
  ),
  model('gpt-5.6-terra', 'GPT-5.6 Terra', 'gpt-terra', { ...MILLION, rules: GPT_5_6 }, [2, 12, 0.2, 2.5]),
  model('gpt-5.6-luna', 'GPT-5.6 Luna', 'gpt-luna', { ...MILLION, rules: GPT_5_6 }, [0.2, 1.2, 0.02, 0.25]),
  model('gpt-5.5', 'GPT-5.5', 'gpt', { ...MILLION, rules: GPT_5_5 }, [5, 30, 0.5], ['gpt-5.5-2026-04-23']),
  model('gpt-5.4', 'GPT-5.4', 'gpt', { ...MILLION, rules: GPT_5_4 }, [2.5, 15, 0.25], ['gpt-5.4-2026-03-05']),
  model(
    'gpt-5.4-mini',
    'GPT-5.4 mini',
    'gpt-mini',
    { ...LARGE, rules: GPT_5_4 },
    [0.75, 4.5, 0.075],
    ['gpt-5.4-mini-2026-03-17'],
  ),
  model(
    'gpt-5.4-nano',
    'GPT-5.4 nano',
    'gpt-nano',
    { ...LARGE, rules: GPT_5_4 },
    [0.2, 1.25, 0.02],
    ['gpt-5.4-nano-2026-03-17'],
  ),
  model(
    'gpt-5.3-codex',
    'GPT-5.3 Codex',
    'gpt-codex',
    { ...LARGE, rules: { ...GPT_5, efforts: ['low', 'medium', 'high', 'xhigh'] } },
    [1.75, 14, 0.175],
  ),
  model('gpt-5.2', 'GPT-5.2', 'gpt', { ...LARGE, rules: GPT_5_4 }, [1.75, 14, 0.175], ['gpt-5.2-2025-12-11']),
  model('gpt-5.1', 'GPT-5.1', 'gpt', { ...LARGE, rules: GPT_5_1 }, [1.25, 10, 0.125], ['gpt-5.1-2025-11-13']),
  model('gpt-5', 'GPT-5', 'gpt', { ...LARGE, rules: GPT_5 }, [1.25, 10, 0.125], ['gpt-5-2025-08-07']),
  model(
    'gpt-5-mini',
    'GPT-5 mini',
    'gpt-mini',
    { ...LARGE, rules: GPT_5 },
    [0.25, 2, 0.025],
    ['gpt-5-mini-2025-08-07'],
  ),
  model(
    'gpt-5-nano',
    'GPT-5 nano',
    'gpt-nano',
    { ...LARGE, rules: GPT_5 },
    [0.05, 0.4, 0.005],
    ['gpt-5-nano-2025-08-07'],
  ),
  {
    ...model(
      'gpt-5-search-api',
      'GPT-5 Search',
      'gpt-search',
      { ...LARGE, rules: { thinking: false, sampling: 'never' } },
      [1.25, 10, 0.125],
      ['gpt-5-search-api-2025-10-14'],
    ),
    api: 'chat-completions',
  },
  model('gpt-4.1', 'GPT-4.1', 'gpt', GPT_4_1, [2, 8, 0.5], ['gpt-4.1-2025-04-14']),
  model('gpt-4.1-mini', 'GPT-4.1 mini', 'gpt-mini', GPT_4_1, [0.4, 1.6, 0.1], ['gpt-4.1-mini-2025-04-14']),
  model(
    'gpt-4o',
    'GPT-4o',
    'gpt',
    { ...SMALL, rules: { thinking: false } },
    [2.5, 10, 1.25],
    ['gpt-4o-2024-08-06', 'gpt-4o-2024-11-20'],
  ),
  model(
    'gpt-4o-mini',
    'GPT-4o mini',
    'gpt-mini',
    { ...SMALL, rules: { thinking: false } },
    [0.15, 0.6, 0.075],
    ['gpt-4o-mini-2024-07-18'],
  ),
  model(
    'o3',
    'o3',
    'o',
    {
      maxTokenCount: 200_000,
      maxOutputTokens: 100_000,
      rules: { ...GPT_5, efforts: ['low', 'medium', 'high'] },
    },
    [2, 8, 0.5],
    ['o3-2025-04-16'],
  ),
]

export function findOpenAiModel(id: string): OpenAiModel | undefined {
  return OPENAI_MODELS.find(model => model.id === id || model.aliases?.includes(id))
}

function model(
  id: string,
  name: string,
  family: string,
  facts: Facts,
  [input, output, cacheRead, cacheWrite]: readonly [number, number, number, number?],
  aliases: readonly string[] = [],
): OpenAiModel {
  const pricing = { input, output, cacheRead, ...(cacheWrite !== undefined && { cacheWrite }) }
  return { id, aliases, name, family, ...facts, pricing }
}
