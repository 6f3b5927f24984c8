import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Contestant } from './contestant.ts'

/** The yardstick: `@ai-sdk/openai-compatible` as it comes, with Node's own fetch and no sandbox. */
export function createAiSdkContestant(url: string): Contestant {
  const provider = createOpenAICompatible({ name: 'bench', baseURL: `${url}/v1`, includeUsage: true })
  const stream = async (model: string, abortSignal?: AbortSignal) => {
    const result = await provider.chatModel(model).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go on.' }] }],
      ...(abortSignal && { abortSignal }),
    })
    return result.stream.getReader()
  }

  return {
    name: '@ai-sdk/openai-compatible',
    async answer(model) {
      const reader = await stream(model)
      let text = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return text
        if (value.type === 'text-delta') text += value.delta
        if (value.type === 'error') throw value.error
      }
    },
    async open(model) {
      const abort = new AbortController()
      const reader = await stream(model, abort.signal)
      for (;;) {
        const { done, value } = await reader.read()
        if (done) throw new Error('The answer ended before its first text')
        if (value.type === 'text-delta') break
      }
      return {
        async release() {
          abort.abort()
          await reader.cancel().catch(() => {})
        },
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}
