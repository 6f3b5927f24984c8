import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createAirlockProvider } from '../../../../host/adapters/ai-sdk/index.ts'
import type { ScriptedAnswer } from '../../../conformance/services/service.ts'
import { type Bench, openBench, says } from './bench.ts'
import { SETTINGS } from './sdks.ts'

const providers = ['openai-compatible', 'anthropic'] as const
/** Models whose services hold no answer to a schema, by what their list says. */
const ways = {
  tool: ['tools', 'tool_choice'],
  instruction: ['temperature'],
}
const benches = new Map<string, Bench>()
beforeAll(async () => {
  for (const provider of providers) benches.set(provider, await openBench(provider))
  for (const [way, supported_parameters] of Object.entries(ways))
    benches.set(way, await openBench('openrouter', { listed: { supported_parameters } }))
})
afterAll(async () => {
  for (const bench of benches.values()) await bench[Symbol.asyncDispose]()
})

const door = { name: 'outer door', width: 90 }
const schema = z.object({ name: z.string(), width: z.number() })
const written: ScriptedAnswer = { pieces: [{ text: JSON.stringify(door) }], stop: 'end-turn' }
const CASES = SETTINGS.flatMap(setting => providers.map(provider => ({ ...setting, provider })))

describe.each(CASES)('$title, $provider', ({ sdk, specificationVersion, major, provider }) => {
  function asking(answer = written) {
    const bench = benches.get(provider) as Bench
    bench.script(says(bench.subject, answer))
    const model = createAirlockProvider(bench.airlock, { specificationVersion })(bench.model)
    return { bench, call: { model, prompt: 'Which door?', maxRetries: 0, onError: () => {} } }
  }

  test('generateObject holds the service to the schema, and gives the object', async () => {
    const { bench, call } = asking()
    const { object, finishReason } = await sdk.generateObject({ ...call, schema })
    expect(object).toEqual(door)
    expect(finishReason).toBe('stop')
    expect(bench.received().schema).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' }, width: { type: 'number' } },
    })
  })

  test('streamObject gives it as it grows', async () => {
    const { call } = asking()
    const result = sdk.streamObject({ ...call, schema })
    const seen: unknown[] = []
    for await (const partial of result.partialObjectStream) seen.push(partial)
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.at(-1)).toEqual(door)
    expect(await result.object).toEqual(door)
  })

  test('Output.object of generateText and streamText', async () => {
    const option = major === 5 ? 'experimental_output' : 'output'
    const { call } = asking()
    const whole = await sdk.generateText({ ...call, [option]: sdk.Output.object({ schema }) })
    expect(whole[option]).toEqual(door)
    const again = asking()
    const result = sdk.streamText({ ...again.call, [option]: sdk.Output.object({ schema }) })
    const partials = result[major === 5 ? 'experimental_partialOutputStream' : 'partialOutputStream']
    const seen: unknown[] = []
    for await (const partial of partials ?? []) seen.push(partial)
    expect(seen.at(-1)).toEqual(door)
  })

  test('JSON of no schema', async () => {
    const { bench, call } = asking()
    const { object } = await sdk.generateObject({ ...call, output: 'no-schema' })
    expect(object).toEqual(door)
    expect(bench.requests()).toHaveLength(1)
  })

  test('an answer that does not fit is the SDK’s own error', async () => {
    const { call } = asking({ pieces: [{ text: '{"name":5}' }], stop: 'end-turn' })
    await expect(sdk.generateObject({ ...call, schema })).rejects.toMatchObject({
      name: 'AI_NoObjectGeneratedError',
      text: '{"name":5}',
    })
  })
})

describe.each(SETTINGS)('$title', ({ sdk, specificationVersion }) => {
  test.each(['tool', 'instruction'] as const)('where the way is %s, the SDK sees the same', async way => {
    const bench = benches.get(way) as Bench
    const model = createAirlockProvider(bench.airlock, { specificationVersion })(bench.model)
    const call = { model, prompt: 'Which door?', schema, maxRetries: 0, onError: () => {} }
    const answer = () => {
      const json = JSON.stringify(door)
      if (way === 'instruction')
        return says(bench.subject, { pieces: [{ text: `\`\`\`json\n${json}\n\`\`\`` }], stop: 'end-turn' })
      // Whatever the tool for it is called, it is the only one.
      return (request: { body: Buffer }) => {
        const { tools } = JSON.parse(request.body.toString()) as { tools: { function: { name: string } }[] }
        const name = tools[0]?.function.name ?? 'none'
        return says(bench.subject, { pieces: [{ call: { id: 'a', name, input: json } }], stop: 'tool-use' })
      }
    }
    bench.script(answer(), answer())
    expect(await sdk.generateObject(call)).toMatchObject({ object: door, finishReason: 'stop' })
    expect(bench.received().schema).toBe(undefined)
    expect(bench.received().tools).toHaveLength(way === 'tool' ? 1 : 0)
    const seen: unknown[] = []
    for await (const partial of sdk.streamObject(call).partialObjectStream) seen.push(partial)
    expect(seen.at(-1)).toEqual(door)
  })
})
