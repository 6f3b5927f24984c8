import { describe, expect, test } from 'vitest'
import { mergeUsage as anthropic } from '../../../guest-sdk/dialects/anthropic-messages/usage.ts'
import { readUsage as bedrock } from '../../../guest-sdk/dialects/bedrock-converse/usage.ts'
import { mergeUsage as gemini } from '../../../guest-sdk/dialects/gemini/usage.ts'
import { mergeUsage as openAiChat } from '../../../guest-sdk/dialects/openai-chat/usage.ts'
import { readUsage as openAiResponses } from '../../../guest-sdk/dialects/openai-responses/usage.ts'
import type { TokenUsage } from '../../../host/contract/events.ts'
import { costOf, splitInput } from '../../../host/contract/usage.ts'

/** What a dialect makes of what its service reports. */
function merged(merge: (known: never, reported: unknown) => boolean, reported: unknown): TokenUsage {
  const known = { inputTokens: 0, outputTokens: 0 }
  merge(known as never, reported)
  return known
}

// A prompt of 1,000 tokens, 800 of them from the cache, and an answer of 50, as each service reports it.
const cachedPrompt: [string, TokenUsage][] = [
  [
    'OpenAI chat, where the cache is inside',
    merged(openAiChat, {
      prompt_tokens: 1_000,
      completion_tokens: 50,
      total_tokens: 1_050,
      prompt_tokens_details: { cached_tokens: 800 },
    }),
  ],
  [
    'DeepSeek',
    merged(openAiChat, {
      prompt_tokens: 1_000,
      completion_tokens: 50,
      total_tokens: 1_050,
      prompt_cache_hit_tokens: 800,
      prompt_cache_miss_tokens: 200,
    }),
  ],
  [
    'OpenAI responses',
    openAiResponses({
      input_tokens: 1_000,
      output_tokens: 50,
      total_tokens: 1_050,
      input_tokens_details: { cached_tokens: 800 },
      output_tokens_details: { reasoning_tokens: 30 },
    }) as TokenUsage,
  ],
  [
    'Gemini, whose thoughts come beside the answer',
    merged(gemini, {
      promptTokenCount: 1_000,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      cachedContentTokenCount: 800,
      totalTokenCount: 1_050,
    }),
  ],
  [
    'Anthropic, where the cache is beside',
    merged(anthropic, { input_tokens: 200, output_tokens: 50, cache_read_input_tokens: 800 }),
  ],
  [
    'Bedrock, where it is beside and the total has it',
    bedrock({
      inputTokens: 200,
      outputTokens: 50,
      cacheReadInputTokens: 800,
      totalTokens: 1_050,
    }) as TokenUsage,
  ],
]

describe('splitInput', () => {
  test.each(cachedPrompt)('%s', (_, usage) => {
    expect(splitInput(usage)).toEqual({ total: 1_000, uncached: 200, cacheRead: 800, cacheWrite: 0 })
  })

  test.each<[string, TokenUsage, ReturnType<typeof splitInput>]>([
    [
      'no cache',
      { inputTokens: 12, outputTokens: 3 },
      { total: 12, uncached: 12, cacheRead: 0, cacheWrite: 0 },
    ],
    [
      'a cache that was written to',
      merged(anthropic, {
        input_tokens: 10,
        output_tokens: 5,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 700,
      }),
      { total: 1_010, uncached: 10, cacheRead: 700, cacheWrite: 300 },
    ],
    [
      'a prompt that came from the cache as a whole',
      { inputTokens: 64, outputTokens: 1, cacheReadInputTokens: 64, totalTokens: 65 },
      { total: 64, uncached: 0, cacheRead: 64, cacheWrite: 0 },
    ],
    [
      'a total that makes no sense: nothing is below 0',
      { inputTokens: 5, outputTokens: 1, cacheReadInputTokens: 64, totalTokens: 1 },
      { total: 69, uncached: 5, cacheRead: 64, cacheWrite: 0 },
    ],
  ])('%s', (_, usage, parts) => {
    expect(splitInput(usage)).toEqual(parts)
  })
})

describe('costOf', () => {
  const pricing = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }

  test.each(cachedPrompt)('%s: the cache at its own price', (_, usage) => {
    const cost = costOf(usage, pricing)
    // 200 at 2, 800 at 0.2 and 50 at 10 dollars a million.
    expect(cost.input).toBeCloseTo(0.0004, 12)
    expect(cost.cacheRead).toBeCloseTo(0.00016, 12)
    expect(cost.output).toBeCloseTo(0.0005, 12)
    expect(cost.total).toBeCloseTo(0.00106, 12)
    expect(cost).not.toHaveProperty('cacheWrite')
  })

  test('a price for the cache that is not known is that of other input', () => {
    const usage = {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadInputTokens: 500_000,
      cacheCreationInputTokens: 500_000,
    }
    expect(costOf(usage, { input: 2, output: 10 })).toEqual({
      input: 0,
      output: 0,
      cacheRead: 1,
      cacheWrite: 1,
      total: 2,
    })
  })

  test('what is free costs 0', () => {
    expect(costOf({ inputTokens: 9, outputTokens: 9 }, { input: 0, output: 0 })).toEqual({
      input: 0,
      output: 0,
      total: 0,
    })
  })
})
