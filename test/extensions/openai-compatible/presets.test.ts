import { describe, expect, test } from 'vitest'
import { PRESETS } from '../../../extensions/openai-compatible/presets.ts'
import extension from '../../../extensions/openai-compatible/provider.ts'
import type { CompletionRequest } from '../../../guest-sdk/index.ts'
import {
  assistant,
  requestOf,
  toolResult,
  toolUse,
  user,
} from '../../guest-sdk/dialects/openai-chat/request.ts'
import { offer } from './context.ts'

const ask = requestOf([user('Hi')])
const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }]

function presetOf(id: string) {
  const provider = extension.providers.find(each => each.id === id)
  if (!provider?.request) throw new Error(`no provider "${id}" that sends requests`)
  return { ...provider, request: provider.request }
}

function encode(id: string, fields: Partial<CompletionRequest>, model = 'm') {
  const context = offer({ credential: 'key', apiUrl: 'http://127.0.0.1:1/v1' })
  const { body } = presetOf(id).request({ ...ask, ...fields }, model, context)
  return { body: body as Record<string, unknown>, warnings: context.warnings }
}

test.each([
  ['moonshot', 'https://api.moonshot.ai/v1/chat/completions'],
  ['zai', 'https://api.z.ai/api/paas/v4/chat/completions'],
  ['alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions'],
  ['perplexity', 'https://api.perplexity.ai/chat/completions'],
  ['together', 'https://api.together.xyz/v1/chat/completions'],
  ['fireworks', 'https://api.fireworks.ai/inference/v1/chat/completions'],
  ['cerebras', 'https://api.cerebras.ai/v1/chat/completions'],
])('%s: its own address and key', (id, url) => {
  const { request, isAuthenticated, models } = presetOf(id)
  const [variable = ''] = PRESETS.find(preset => preset.id === id)?.keyVariables ?? []
  const context = offer({ env: { [variable]: 'secret' } })
  expect(request(ask, 'm', context)).toMatchObject({ url, headers: { authorization: 'Bearer secret' } })
  expect(isAuthenticated?.(context)).toBe(true)
  expect(isAuthenticated?.(offer({}))).toBe(false)
  expect(() => request(ask, 'm', offer({}))).toThrow(
    expect.objectContaining({ kind: 'authentication', message: expect.stringContaining(variable) }),
  )
  // Nothing set up, nothing asked.
  const idle = offer({})
  expect(models(idle)).toEqual([])
  expect(idle.sent).toEqual([])
})

test.each([
  ['lm-studio', 'http://127.0.0.1:1234/v1'],
  ['llama-cpp', 'http://127.0.0.1:8080/v1'],
  ['vllm', 'http://127.0.0.1:8000/v1'],
])('%s: offers nothing until it is told where the server is, and says how', (id, example) => {
  const { request, models, isAuthenticated } = presetOf(id)
  expect(models(offer({}))).toEqual([])
  expect(isAuthenticated?.(offer({}))).toBe(false)
  expect(() => request(ask, 'm', offer({}))).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(`airlock settings set providers.${id}.apiUrl ${example}`),
    }),
  )
  const context = offer({ apiUrl: example, models: { data: [{ id: 'qwen3' }] } })
  expect(models(context).map(model => model.id)).toEqual(['qwen3'])
  expect(isAuthenticated?.(context)).toBe(true)
  expect(request(ask, 'm', context).url).toBe(`${example}/chat/completions`)
})

describe('what each does in its own way', () => {
  test('Moonshot: thinking goes back where tools were called (I1), and a tool is forced without it', () => {
    const messages = [
      user('Hi'),
      assistant({ type: 'thinking', text: 'Hm.' }, toolUse('functions.look:0', 'look', '{}')),
      user(toolResult('functions.look:0', 'a cat')),
    ]
    expect(encode('moonshot', { messages }).body.messages).toMatchObject([
      {},
      { reasoning_content: 'Hm.', tool_calls: [{ id: 'functions.look:0' }] },
      { role: 'tool' },
    ])
    const forced = encode('moonshot', { tools, toolChoice: 'any' })
    expect(forced.body).toMatchObject({ tool_choice: 'required', thinking: { type: 'disabled' } })
    expect(forced.warnings).toHaveLength(1)
  })

  test('Z.ai: no tool can be forced, and thinking is turned on by a field', () => {
    expect(() => encode('zai', { tools, toolChoice: { tool: 'look' } })).toThrow(/Cannot send toolChoice/)
    const { body, warnings } = encode('zai', { reasoningEffort: 'high' })
    expect(body).toMatchObject({ thinking: { type: 'enabled' } })
    expect(body).not.toHaveProperty('reasoning_effort')
    expect(warnings).toEqual(['reasoningEffort "high" is left out: the model takes none'])
  })

  test('Alibaba: thinking is switched by a field of its own', () => {
    expect(encode('alibaba', { thinkingAllowed: false }).body).toMatchObject({ enable_thinking: false })
    expect(encode('alibaba', { reasoningEffort: 'low' }).body).toMatchObject({ enable_thinking: true })
    expect(encode('alibaba', { reasoningEffort: 'none' }).body).toMatchObject({ enable_thinking: false })
  })

  test('Perplexity: refuses tools and a seed by name, knows its models, asks for no counts (C8)', () => {
    expect(() => encode('perplexity', { tools })).toThrow(/Cannot send tools/)
    expect(() => encode('perplexity', { seed: 1 })).toThrow(/Cannot send seed/)
    expect(encode('perplexity', {}).body).not.toHaveProperty('stream_options')
    const models = presetOf('perplexity').models(offer({ credential: 'key' }))
    expect(models.map(({ id }) => id)).toContain('sonar-pro')
    expect(models.every(({ capabilities }) => capabilities?.supportsTools === false)).toBe(true)
  })

  test('Fireworks and Cerebras: their words', () => {
    expect(encode('fireworks', { tools, toolChoice: 'any' }).body).toMatchObject({ tool_choice: 'any' })
    expect(encode('cerebras', { maxTokens: 7 }).body).toMatchObject({ max_completion_tokens: 7 })
  })
})
