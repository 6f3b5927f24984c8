// What the Go package `llm` promises those who program against it, each row once.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import {
  type Airlock,
  type CompletionEvent,
  type CompletionRequest,
  createAirlock,
  createMemoryStore,
  ProviderError,
  sliceStream,
} from '../../host/index.ts'
import { type Script, startScriptedServer } from '../servers/scripted.ts'
import { repoRoot } from '../support/repo-root.ts'
import { mirrorExtension } from './mirror-extension.ts'

let home: string
let airlock: Airlock
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-go-llm-'))
  airlock = await createAirlock({ home, env: {}, credentials: createMemoryStore() })
  await airlock.load(await mirrorExtension())
}, 60_000)
afterAll(async () => {
  await airlock?.close()
  await rm(home, { recursive: true, force: true })
})

const messages = [{ role: 'user' as const, content: 'hi' }]
const stop = { type: 'stop', reason: 'end-turn' }

function answering(events: unknown[], more: Partial<CompletionRequest> = {}) {
  return airlock.complete({ model: 'mirror/large', messages, ...more, providerOptions: { events } })
}

/** What reached the provider of a request. */
async function told(request: Partial<CompletionRequest>): Promise<Record<string, unknown>> {
  const { text } = await airlock.complete({ model: 'mirror/large', messages, ...request }).result()
  return JSON.parse(text).request
}

/** A chat service on this machine that answers as it is told, and the bodies that reached it. */
async function service(script: Script) {
  const bodies: Record<string, unknown>[] = []
  const server = await startScriptedServer(request => {
    if (request.method !== 'POST') return { status: 404, body: ['{}'] }
    bodies.push(JSON.parse(request.body.toString()))
    return script
  })
  onTestFinished(() => server.close())
  const settings = { providers: { 'openai-compatible': { apiUrl: `${server.url}/v1` } } }
  const own = await createAirlock({ home, env: {}, credentials: createMemoryStore(), settings, retry: false })
  onTestFinished(() => own.close())
  await own.load(join(repoRoot, 'extensions/openai-compatible'))
  const ask = (request: Partial<CompletionRequest> = {}) =>
    own.complete({ model: 'openai-compatible/m', messages, ...request })
  return { bodies, ask, server }
}

const chunk = (choice: object) =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm-2', choices: [{ index: 0, ...choice }] })}\n\n`
const done = [chunk({ delta: {}, finish_reason: 'stop' }), 'data: [DONE]\n\n']
const hello: Script = { body: [chunk({ delta: { content: 'Hello' } }), ...done] }

describe('Provider', () => {
  test('name: stable, and fit to be a label', async () => {
    expect((await airlock.providers()).map(({ reference }) => reference)).toEqual(['mirror'])
    expect((await answering([stop]).result()).provider).toBe('mirror')
  })

  test('capabilities before a request: streaming, tools, images, reasoning, structured output, and of each model', async () => {
    const { models } = await airlock.models({ provider: 'mirror' })
    const abilities = ({ capabilities: able }: (typeof models)[number]) => [
      able.supportsStreaming,
      able.supportsTools,
      able.supportsImages,
      able.supportsThinking,
      able.supportsStructuredOutput,
    ]
    expect(abilities(models[0]!)).toEqual([true, true, true, true, false])
    expect(abilities(models[1]!)).toEqual([true, true, false, true, false])
  })

  test('the whole answer and the stream are one code path', async () => {
    const events = [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, stop]
    const completion = answering(events)
    const streamed: CompletionEvent[] = []
    for await (const event of completion) streamed.push(event)
    expect((await completion.result()).text).toBe('ab')
    expect((await answering(events).result()).parts).toEqual([{ type: 'text', text: 'ab' }])
    expect(streamed.map(({ type }) => type)).toEqual(['started', 'text', 'text', 'stop'])
  })

  test('a provider that there is not is an error that names those that look like it', async () => {
    await expect(airlock.complete({ model: 'miror/large', messages }).result()).rejects.toMatchObject({
      code: 'unknown-model',
      nearest: ['mirror/large'],
    })
  })
})

describe('CompletionRequest', () => {
  test('nil against zero: what is left out stays off the wire, and 0 is sent', async () => {
    const { bodies, ask } = await service(hello)
    await ask().result()
    for (const field of ['temperature', 'top_p', 'seed', 'parallel_tool_calls', 'stop']) {
      expect(bodies[0]).not.toHaveProperty(field)
    }
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }]
    await ask({ temperature: 0, topP: 0, seed: 0, tools, parallelToolCalls: false }).result()
    expect(bodies[1]).toMatchObject({ temperature: 0, top_p: 0, seed: 0, parallel_tool_calls: false })
  })

  test('a model that is not named is the default', async () => {
    expect((await airlock.complete({ messages }).result()).reference).toBe('mirror/large')
  })

  test('at least one message, and a system prompt', async () => {
    await expect(airlock.complete({ model: 'mirror/large', messages: [] }).result()).rejects.toMatchObject({
      code: 'invalid-request',
      path: 'messages',
    })
    const system = { role: 'system' as const, content: 'Be brief.' }
    expect((await told({ messages: [system, ...messages] })).messages).toMatchObject([
      { role: 'system' },
      { role: 'user' },
    ])
  })

  test('stop sequences, the limit of tokens and the seed', async () => {
    expect(await told({ stopSequences: ['END'], maxTokens: 5, seed: 7, topP: 0.5 })).toMatchObject({
      stopSequences: ['END'],
      maxTokens: 5,
      seed: 7,
      topP: expect.closeTo(0.5),
    })
  })

  test.each(['none', 'minimal', 'low', 'medium', 'high', 'max'] as const)(
    'reasoning effort: %s',
    async reasoningEffort => {
      expect((await told({ reasoningEffort })).reasoningEffort).toBe(reasoningEffort)
    },
  )

  test('reasoning effort: an unknown one is refused by name, and never ignored', async () => {
    const request = { model: 'mirror/large', messages, reasoningEffort: 'huge' as 'high' }
    await expect(airlock.complete(request).result()).rejects.toMatchObject({ path: 'reasoningEffort' })
  })

  test('tool choice: a mode that there is not and a tool without a name are refused before anything is sent', async () => {
    const { bodies, ask } = await service(hello)
    for (const toolChoice of ['specific' as 'auto', { tool: '' }]) {
      await expect(ask({ toolChoice }).result()).rejects.toMatchObject({ code: 'invalid-request' })
    }
    expect(bodies).toEqual([])
  })

  test('tool choice: one tool by its name', async () => {
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }]
    expect((await told({ tools, toolChoice: { tool: 'look' } })).toolChoice).toEqual({ tool: 'look' })
  })

  test('response format: typed, whichever way the model is asked, and checked', async () => {
    const schema = z.object({ city: z.string(), degrees: z.number() })
    const completion = airlock.complete({
      model: 'mirror/large',
      messages,
      responseFormat: { name: 'weather', schema },
      providerOptions: { events: [{ type: 'text', text: '{"city":"Oslo","degrees":3}' }, stop] },
    })
    expect(await completion.object()).toEqual({ city: 'Oslo', degrees: 3 })
  })

  test('a part that its message cannot hold is an error that says where, before anything is sent', async () => {
    const { bodies, ask } = await service(hello)
    const nonsense = { role: 'user', content: [{ type: 'text' }] } as unknown as (typeof messages)[number]
    await expect(ask({ messages: [...messages, nonsense] }).result()).rejects.toMatchObject({
      code: 'invalid-request',
      path: 'messages[1].content',
      message: expect.stringContaining('text'),
    })
    expect(bodies).toEqual([])
  })

  test('image: data with its media type, a data URI taken apart, or a URL', async () => {
    const image = (source: string, mediaType?: string) => ({
      type: 'image' as const,
      source,
      ...(mediaType && { mediaType }),
    })
    const content = [
      image('iVBORw0=', 'image/png'),
      image('data:image/gif;base64,R0lG'),
      image('https://e.example/a.png'),
    ]
    const [{ content: seen } = { content: [] }] = (await told({ messages: [{ role: 'user', content }] }))
      .messages as {
      content: unknown[]
    }[]
    expect(seen).toEqual([content[0], image('R0lG', 'image/gif'), content[2]])
  })

  test('tool result: a failure is a field, and a service without one is told in words', async () => {
    const { bodies, ask } = await service(hello)
    const call = { type: 'tool-use' as const, id: 'a1', name: 'look', input: '{}' }
    const result = {
      type: 'tool-result' as const,
      toolUseId: 'a1',
      toolName: 'look',
      isError: true,
      content: 'no light',
    }
    await ask({
      messages: [...messages, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }],
    }).result()
    const sent = bodies[0]!.messages as { role: string; content: string }[]
    expect(sent.at(-1)).toMatchObject({ role: 'tool', content: expect.stringMatching(/^Error.*no light/i) })
  })
})

describe('CompletionResponse', () => {
  test('id, the model that answered, the reason of the end, ordered content and usage', async () => {
    const result = await answering([
      { type: 'response-metadata', id: 'r1', model: 'large-2026' },
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Hello' },
      { type: 'tool-use', id: 'a1', name: 'look', input: '{}' },
      { type: 'usage', inputTokens: 3, outputTokens: 2, reasoningTokens: 1, totalTokens: 9 },
      { type: 'stop', reason: 'tool-use' },
    ]).result()
    expect(result).toMatchObject({ id: 'r1', model: 'large-2026', stopReason: 'tool-use', text: 'Hello' })
    expect(result.parts.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool-use'])
    // Reported, not derived.
    expect(result.usage).toMatchObject({
      inputTokens: 3,
      outputTokens: 2,
      reasoningTokens: 1,
      totalTokens: 9,
    })
    expect(result.toolUses).toEqual([{ id: 'a1', name: 'look', input: '{}' }])
  })

  test('usage that was not reported is absent, and not 0', async () => {
    const result = await answering([stop]).result()
    expect(result).not.toHaveProperty('usage')
  })

  test.each(['end-turn', 'max-tokens', 'stop-sequence', 'tool-use', 'content-filter', 'refusal', 'other'])(
    'stop reason: %s',
    async reason => {
      expect((await answering([{ type: 'stop', reason }]).result()).stopReason).toBe(reason)
    },
  )

  test('an end that nothing explains is a failure, for the whole answer as for the stream', async () => {
    const { ask } = await service({ body: [chunk({ delta: { content: 'Half' } })] })
    const completion = ask()
    await expect(completion.result()).rejects.toMatchObject({ kind: 'network' })
    await expect(Array.fromAsync(completion)).rejects.toThrow(/ended before the answer was complete/)
  })
})

describe('Stream', () => {
  test('events before an error are delivered, half a call is not, and no stop comes', async () => {
    const delta = { tool_calls: [{ index: 0, id: 'a1', function: { name: 'look', arguments: '{"at":' } }] }
    const { ask } = await service({
      body: [chunk({ delta: { content: 'Half' } }), chunk({ delta })],
      ending: 'destroy',
    })
    const seen: string[] = []
    const reading = (async () => {
      for await (const { type } of ask()) seen.push(type)
    })()
    await expect(reading).rejects.toMatchObject({ kind: 'network' })
    expect(seen).toContain('text')
    expect(seen).not.toContain('tool-use')
    expect(seen).not.toContain('stop')
  })

  test('close cancels and frees the connection at once, may be called twice, and stays closed', async () => {
    const { ask, server } = await service({ body: [chunk({ delta: { content: 'Half' } })], ending: 'hang' })
    const completion = ask()
    const events = completion[Symbol.asyncIterator]()
    while ((await events.next()).value?.type !== 'text');
    completion.cancel()
    completion.cancel()
    await completion[Symbol.asyncDispose]()
    expect(await (await server.nextRequest()).closed).toBe('client-gone')
    await expect(completion.result()).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('the caller’s own reason is what comes back where it aborts', async () => {
    const { ask } = await service('never')
    const reason = new Error('no longer wanted')
    const controller = new AbortController()
    const completion = ask()
    controller.signal.addEventListener('abort', () => completion.cancel(controller.signal.reason))
    controller.abort(reason)
    await expect(completion.result()).rejects.toBe(reason)
  })

  test('tool use: a call is told when it is whole; one that was cut off is told apart and is never run', async () => {
    const delta = { tool_calls: [{ index: 0, id: 'a1', function: { name: 'look', arguments: '{"at":' } }] }
    const { ask } = await service({
      body: [chunk({ delta }), chunk({ delta: {}, finish_reason: 'length' }), 'data: [DONE]\n\n'],
    })
    const result = await ask().result()
    expect(result).toMatchObject({ stopReason: 'max-tokens', toolUses: [] })
    expect(result.brokenToolUses).toMatchObject([{ id: 'a1', name: 'look', rawInput: '{"at":' }])
  })

  test('tool use: fragments with an id of their own each time, cumulative arguments and none at all come out whole', async () => {
    const call = (index: number, id: string, args: string) => ({
      delta: { tool_calls: [{ index, id, type: 'function', function: { name: 'look', arguments: args } }] },
    })
    const { ask } = await service({
      body: [
        chunk(call(0, 'a1', '{"at":1}')),
        chunk(call(1, 'a2', '')),
        chunk({ delta: {}, finish_reason: 'tool_calls' }),
        'data: [DONE]\n\n',
      ],
    })
    const { toolUses } = await ask().result()
    expect(toolUses.map(({ input }) => input)).toEqual(['{"at":1}', '{}'])
    expect(new Set(toolUses.map(({ id }) => id)).size).toBe(2)
  })
})

describe('SliceStream', () => {
  const events: CompletionEvent[] = [
    { type: 'started' },
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'stop', reason: 'end-turn' },
  ]

  test('fixed events, read and collected as those of a model', async () => {
    const completion = sliceStream(events)
    expect(await Array.fromAsync(completion)).toEqual(events)
    expect((await completion.result()).text).toBe('Hello')
  })

  test('an error where the test wants one, and an end where the reader closes', async () => {
    const failure = new ProviderError({ kind: 'overloaded', message: 'busy' })
    await expect(sliceStream(events.slice(0, 2), failure).result()).rejects.toBe(failure)
    const left = sliceStream(events)
    for await (const event of left) if (event.type === 'text') break
    await expect(left.result()).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('noop: an empty turn that has ended', async () => {
    const result = await sliceStream([{ type: 'stop', reason: 'end-turn' }]).result()
    expect(result).toMatchObject({ text: '', parts: [], stopReason: 'end-turn' })
  })
})

describe('errors', () => {
  test.each([
    [429, { message: 'slow down', code: 'rate_limit_exceeded' }, 'rate-limited'],
    [401, { message: 'bad key', code: 'invalid_api_key' }, 'authentication'],
    [404, { message: 'no such model', code: 'model_not_found' }, 'model-not-found'],
    [400, { message: 'too long', code: 'context_length_exceeded' }, 'context-length-exceeded'],
    [400, { message: 'filtered', code: 'content_filter' }, 'content-filtered'],
    [400, { message: "max_tokens: 'abc' is no number" }, 'invalid-request'],
  ])('%i %j is of the kind %s', async (status, error, kind) => {
    const { ask } = await service({ status, body: [JSON.stringify({ error })] })
    await expect(ask().result()).rejects.toMatchObject({ name: 'ProviderError', kind, status })
  })

  test('rate-limit errors say how long to wait, and say nothing where the service did not', async () => {
    const body = ['{"error":{"message":"slow down"}}']
    const waiting = await service({ status: 429, headers: { 'retry-after': '7' }, body })
    await expect(waiting.ask().result()).rejects.toMatchObject({ kind: 'rate-limited', retryAfterMs: 7_000 })
    const silent = await service({ status: 429, body })
    const failure = await silent
      .ask()
      .result()
      .catch((error: unknown) => error)
    expect(failure).not.toHaveProperty('retryAfterMs')
  })

  test('the cause is kept', async () => {
    const { ask, server } = await service(hello)
    await server.close()
    await expect(ask().result()).rejects.toMatchObject({ kind: 'network', cause: { name: 'TransportError' } })
  })
})
