import { expect, test } from 'vitest'
import extension from '../../../extensions/openai-compatible/provider.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { offer } from './context.ts'

const ask = requestOf([user('Hi')])

function serverOf(id: string) {
  const provider = extension.providers.find(each => each.id === id)
  if (!provider?.request) throw new Error(`no provider "${id}" that sends requests`)
  return { ...provider, request: provider.request }
}

test.each([
  ['lm-studio', 'http://127.0.0.1:1234/v1'],
  ['llama-cpp', 'http://127.0.0.1:8080/v1'],
  ['vllm', 'http://127.0.0.1:8000/v1'],
])('%s: offers nothing until it is told where the server is, and says how', (id, example) => {
  const { request, models, isAuthenticated } = serverOf(id)
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
