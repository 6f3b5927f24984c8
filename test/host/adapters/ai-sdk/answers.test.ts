import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createAirlockProvider } from '../../../../host/adapters/ai-sdk/index.ts'
import type { Piece } from '../../../conformance/services/service.ts'
import { type Bench, openBench, says } from './bench.ts'
import { SETTINGS, type SeenPart } from './sdks.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench('openai-compatible')
})
afterAll(() => bench[Symbol.asyncDispose]())

const thought: Piece = { thinking: 'It is a greeting. ' }
const words: Piece = { text: 'Hello there.' }
const look = (id: string, input = '{"id":1}'): Piece => ({ call: { id, name: 'look', input } })

/** Without what only tells the time. */
async function read(parts: AsyncIterable<SeenPart>): Promise<SeenPart[]> {
  const all: SeenPart[] = []
  for await (const part of parts) all.push(part)
  return all
}

/** The order of what is seen: runs of one type are one. */
function order(parts: readonly SeenPart[]): string[] {
  const types = parts.map(({ type }) => type).filter(type => !/^(start|finish)/.test(type))
  return types.filter((type, index) => type !== types[index - 1])
}

/** What is seen of one call. */
function ofCall(parts: readonly SeenPart[], id: string): SeenPart[] {
  return parts.filter(part => part.id === id || part.toolCallId === id)
}

describe.each(SETTINGS)('$title', ({ sdk, specificationVersion, major }) => {
  const provider = () => createAirlockProvider(bench.airlock, { specificationVersion })
  const model = () => provider()(bench.model)
  const prompt = 'Hi.'

  test('text comes as it is written, with its ids, its usage and its reason', async () => {
    const usage = { input: 11, output: 7, cacheRead: 4, reasoning: 3 }
    bench.script(says(bench.subject, { pieces: [words], stop: 'end-turn', usage }))
    const result = sdk.streamText({ model: model(), prompt })
    const parts = await read(result.fullStream)
    expect(order(parts)).toEqual(['text-start', 'text-delta', 'text-end'])
    const deltas = parts.filter(({ type }) => type === 'text-delta')
    expect(deltas.length).toBeGreaterThan(1)
    expect(await result.text).toBe('Hello there.')
    expect(await result.finishReason).toBe('stop')
    expect(await result.response).toMatchObject({ id: 'chatcmpl-1', modelId: 'the-model' })
    expect((await result.response).timestamp).toBeInstanceOf(Date)
    expect(await result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
    const seen = await result.usage
    if (major < 7) expect(seen).toMatchObject({ cachedInputTokens: 4, reasoningTokens: 3 })
    if (major > 5 && specificationVersion !== 'v2') {
      expect(seen).toMatchObject({
        inputTokenDetails: { noCacheTokens: 7, cacheReadTokens: 4 },
        outputTokenDetails: { textTokens: 4, reasoningTokens: 3 },
      })
    }
    expect(JSON.stringify(await result.providerMetadata)).toContain('end-turn')
    expect(await result.warnings).toEqual([])
  })

  test('generateText says the same as streamText', async () => {
    bench.script(says(bench.subject, { pieces: [thought, words], stop: 'end-turn' }))
    const { text, reasoningText, finishReason, usage, response, warnings } = await sdk.generateText({
      model: model(),
      prompt,
    })
    expect({ text, reasoningText, finishReason }).toEqual({
      text: 'Hello there.',
      reasoningText: 'It is a greeting. ',
      finishReason: 'stop',
    })
    expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 7, totalTokens: 18 })
    expect(response).toMatchObject({ id: 'chatcmpl-1', modelId: 'the-model' })
    expect(warnings).toEqual([])
  })

  test('reasoning is closed before text, and text before calls', async () => {
    bench.script(says(bench.subject, { pieces: [thought, words, look('a'), look('b')], stop: 'tool-use' }))
    const tools = { look: sdk.tool({ inputSchema: z.object({ id: z.number() }) }) }
    const result = sdk.streamText({ model: model(), prompt, tools })
    const parts = await read(result.fullStream)
    expect(parts.filter(({ type }) => type === 'error')).toEqual([])
    const [beforeCalls, first, second] = [parts, ofCall(parts, 'a'), ofCall(parts, 'b')]
    expect(order(beforeCalls).slice(0, 7)).toEqual([
      ...['reasoning-start', 'reasoning-delta', 'reasoning-end'],
      ...['text-start', 'text-delta', 'text-end'],
      'tool-input-start',
    ])
    const whole = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call']
    expect([order(first), order(second)]).toEqual([whole, whole])
    expect(await result.toolCalls).toMatchObject([
      { toolCallId: 'a', toolName: 'look', input: { id: 1 } },
      { toolCallId: 'b', toolName: 'look', input: { id: 1 } },
    ])
    expect(await result.finishReason).toBe('tool-calls')
  })

  test('images and settings reach the service', async () => {
    bench.script(says(bench.subject, { pieces: [words], stop: 'max-tokens' }))
    const bytes = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', image: new Uint8Array(bytes) },
    ]
    const call = { system: 'Be brief.', messages: [{ role: 'user', content }], maxOutputTokens: 50 }
    const { finishReason } = await sdk.generateText({ model: model(), ...call, stopSequences: ['END'] })
    expect(finishReason).toBe('length')
    expect(bench.received()).toMatchObject({
      system: 'Be brief.',
      text: 'What is this?',
      images: [{ mediaType: 'image/png', data: bytes.toString('base64') }],
      maxTokens: 50,
      stops: ['END'],
    })
  })
})
