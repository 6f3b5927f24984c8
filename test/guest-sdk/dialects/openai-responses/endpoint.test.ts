import { describe, expect, test } from 'vitest'
import {
  chatQuirksOf,
  findOpenAiModel,
  OPENAI_MODELS,
  openAiUrl,
  readEndpoint,
  readOpenAiModels,
} from '../../../../guest-sdk/dialects/openai-responses/index.ts'

test.each([
  ['https://h/v1', 'https://h/v1', undefined],
  ['https://h/v1/responses', 'https://h/v1', 'responses'],
  [' https://h/v1/chat/completions/ ', 'https://h/v1', 'chat-completions'],
  ['https://h/chat/completions?api-version=1#x', 'https://h?api-version=1', 'chat-completions'],
  ['https://h/responses-proxy', 'https://h/responses-proxy', undefined],
])('readEndpoint: %s', (url, baseUrl, api) => {
  expect(readEndpoint(url)).toEqual({ baseUrl, ...(api && { api }) })
})

test.each([
  ['https://h', 'https://h/v1/responses'],
  ['https://h/v1/', 'https://h/v1/responses'],
  ['https://h/v1/responses', 'https://h/v1/responses'],
  ['https://h/proxy/responses', 'https://h/proxy/responses'],
  ['https://h/proxy?key=1', 'https://h/proxy/v1/responses?key=1'],
  ['https://h/proxy/responses?key=1', 'https://h/proxy/responses?key=1'],
])('openAiUrl: %s (N6)', (baseUrl, url) => {
  expect(openAiUrl({ baseUrl, version: 'v1', endpoint: 'responses', setting: 's' })).toBe(url)
})

describe('readOpenAiModels', () => {
  test('models and deployments, without those that do not chat or are not ready', () => {
    const data = [
      { id: 'gpt-6-luna', created: 5, owned_by: 'system' },
      { id: 'gpt-6-luna' },
      { id: 'mine', model: 'gpt-5.5', status: 'succeeded', created_at: 7 },
      { id: 'pending', model: 'gpt-5.5', status: 'running' },
      { id: 'ada', capabilities: { chat_completion: false } },
      'odd',
      {},
    ]
    expect(readOpenAiModels({ data })).toEqual([
      { id: 'gpt-6-luna', createdAt: 5_000, owner: 'system' },
      { id: 'mine', model: 'gpt-5.5', createdAt: 7_000 },
    ])
  })
  test.each([[{ ok: true }], [[]], ['x']])('%j is no list', body => {
    expect(() => readOpenAiModels(body)).toThrow(expect.objectContaining({ kind: 'other' }))
  })
})

describe('OPENAI_MODELS', () => {
  test('each id once, efforts from the least on, and a price that falls with the cache', () => {
    const ids = OPENAI_MODELS.flatMap(({ id, aliases = [] }) => [id, ...aliases])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { pricing, rules } of OPENAI_MODELS) {
      expect(pricing.cacheRead).toBeLessThan(pricing.input)
      expect(pricing.input).toBeLessThan(pricing.output)
      if (rules.thinking) expect(rules.efforts).not.toHaveLength(0)
      if (rules.defaultEffort) expect(rules.efforts).toContain(rules.defaultEffort)
    }
  })
  test('found by each of its ids', () => {
    expect(findOpenAiModel('gpt-5.6')?.id).toBe('gpt-5.6-sol')
    expect(findOpenAiModel('gpt-unheard-of')).toBeUndefined()
  })
})

test('chatQuirksOf: the same model through the chat API', () => {
  expect(chatQuirksOf(findOpenAiModel('gpt-6.2-sol')?.rules)).toMatchObject({
    maxTokensField: 'max_completion_tokens',
    systemRole: 'developer',
    effortNames: { none: 'low', minimal: 'low', high: 'high', max: 'xhigh' },
    thinkingOff: 'never',
    refused: { temperature: expect.any(String), topP: expect.any(String) },
  })
  expect(chatQuirksOf(findOpenAiModel('gpt-6-luna')?.rules)).toMatchObject({
    thinkingOff: { reasoning_effort: 'none' },
  })
  expect(chatQuirksOf({ thinking: false })).toMatchObject({ effortField: 'none', systemRole: 'system' })
})
