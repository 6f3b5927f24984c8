import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import extension from '../../../extensions/chat-services/provider.ts'
import { SERVICES } from '../../../extensions/chat-services/services.ts'
import type { CompletionRequest } from '../../../guest-sdk/index.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import {
  assistant,
  requestOf,
  toolResult,
  toolUse,
  user,
} from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { offer } from '../openai-compatible/context.ts'

const ask = requestOf([user('Hi')])
const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }]

function providerOf(id: string) {
  const provider = extension.providers.find(each => each.id === id)
  if (!provider?.request) throw new Error(`no provider "${id}" that sends requests`)
  return { ...provider, request: provider.request }
}

function encode(id: string, fields: Partial<CompletionRequest>, model = 'm') {
  const context = offer({ credential: 'key', apiUrl: 'http://127.0.0.1:1/v1' })
  const { body } = providerOf(id).request({ ...ask, ...fields }, model, context)
  return { body: body as Record<string, unknown>, warnings: context.warnings }
}

test('extension.json: binds each key to the origin of its own service', () => {
  const folder = join(repoRoot, 'extensions/chat-services')
  const file = join(folder, 'extension.json')
  const { permissions, providers } = parseManifest(readFileSync(file, 'utf8'), file)
  const originOf = (url = '') => new URL(url).origin
  expect(permissions).toMatchObject({ credentials: 'use', plainEnv: [], browser: [] })
  expect(permissions.network).toEqual(SERVICES.map(({ apiUrl }) => originOf(apiUrl)))
  expect(permissions.env).toEqual(SERVICES.flatMap(({ keyVariables }) => keyVariables))
  expect(providers).toEqual(
    SERVICES.map(({ id, name, icon, apiUrl, keyVariables: env }) => ({
      id,
      name,
      icon,
      network: [originOf(apiUrl)],
      env,
    })),
  )
  for (const { icon = '' } of providers) expect(readFileSync(join(folder, icon), 'utf8')).toMatch(/^<svg /)
})

test.each([
  ['moonshot', 'https://api.moonshot.ai/v1/chat/completions'],
  ['zai', 'https://api.z.ai/api/paas/v4/chat/completions'],
  ['alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions'],
  ['perplexity', 'https://api.perplexity.ai/chat/completions'],
  ['together', 'https://api.together.xyz/v1/chat/completions'],
  ['fireworks', 'https://api.fireworks.ai/inference/v1/chat/completions'],
  ['cerebras', 'https://api.cerebras.ai/v1/chat/completions'],
])('%s: its own address and key', (id, url) => {
  const { request, isAuthenticated, models } = providerOf(id)
  const [variable = ''] = SERVICES.find(service => service.id === id)?.keyVariables ?? []
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
    expect(encode('zai', { tools, toolChoice: 'none' }).body).not.toHaveProperty('tools')
    expect(() => encode('alibaba', { tools, toolChoice: 'any' })).toThrow(/Cannot send toolChoice/)
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
    const models = providerOf('perplexity').models(offer({ credential: 'key' }))
    expect(models.map(({ id }) => id)).toContain('sonar-pro')
    expect(models.every(({ capabilities }) => capabilities?.supportsTools === false)).toBe(true)
  })

  test('Fireworks and Cerebras: their words', () => {
    expect(encode('fireworks', { tools, toolChoice: 'any' }).body).toMatchObject({ tool_choice: 'any' })
    expect(encode('cerebras', { maxTokens: 7 }).body).toMatchObject({ max_completion_tokens: 7 })
  })
})
