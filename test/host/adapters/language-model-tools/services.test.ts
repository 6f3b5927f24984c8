// The interface of VS Code over the wire: what reaches a service of code written for it, and what comes back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CancellationError,
  CancellationTokenSource,
  createLanguageModelTools,
  Disposable,
  type LanguageModelChat,
  LanguageModelChatMessageToolResultPart,
  type LanguageModelChatResponse,
  LanguageModelChatResponseToolCallPart,
  LanguageModelChatToolMode,
  LanguageModelDataPart,
  LanguageModelError,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  type LanguageModelTools,
  LanguageModelChatMessage as Message,
} from '../../../../host/adapters/language-model-tools/index.ts'
import type { Piece } from '../../../conformance/services/service.ts'
import { json, openService, refuses, type Service, says } from '../../../systems/service.ts'

const words: Piece = { text: 'Hello there.' }
const call = (id: string, input = '{"id":1}', name = 'look'): Piece => ({ call: { id, name, input } })
const hello = [Message.User('Hello.')]
const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
const look = { name: 'look', description: 'Looks something up', inputSchema: schema }

let service: Service
let lm: LanguageModelTools
let model: LanguageModelChat
beforeAll(async () => {
  service = await openService('openai-compatible', { retry: false })
  lm = createLanguageModelTools(service.airlock)
  model = (await lm.selectChatModels({ vendor: 'openai-compatible' }))[0]!
})
afterAll(async () => {
  lm?.[Symbol.dispose]()
  await service?.[Symbol.asyncDispose]()
})

async function openModel(provider: string) {
  const other = await openService(provider, { retry: false })
  const [first] = await createLanguageModelTools(other.airlock).selectChatModels({ vendor: provider })
  return Object.assign(other, { chat: first! })
}

async function read(response: LanguageModelChatResponse) {
  const parts = await Array.fromAsync(response.stream)
  const text = parts.map(part => (part instanceof LanguageModelTextPart ? part.value : '')).join('')
  const calls = parts.filter(part => part instanceof LanguageModelChatResponseToolCallPart)
  return { parts, text, calls }
}

async function ask(...request: Parameters<LanguageModelChat['sendRequest']>) {
  return read(await model.sendRequest(...request))
}

describe('what is sent', () => {
  test('the schema of a tool, under either name', async () => {
    const { inputSchema: parametersSchema, ...rest } = look
    for (const tool of [look, { ...rest, parametersSchema }]) {
      service.script({ pieces: [words], stop: 'end-turn' })
      await ask(hello, { tools: [tool] })
      expect(service.body().tools).toMatchObject([{ function: { name: 'look', parameters: schema } }])
    }
  })

  test.each([
    [{ toolChoice: 'list' }, { tool: 'list' }],
    [{ toolMode: LanguageModelChatToolMode.Required }, 'any'],
    [{ toolMode: LanguageModelChatToolMode.Auto }, undefined],
  ])('the choice of tools of %j', async (options, choice) => {
    service.script({ pieces: [words], stop: 'end-turn' })
    await ask(hello, { tools: [look, { ...look, name: 'list' }], ...options })
    expect(service.received().choice).toEqual(choice)
  })

  test('options of the model: into the fields that there are, and else to the provider', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    await ask(hello, { modelOptions: { temperature: 0, top_p: 0.5, max_tokens: 9, stop: 'END', top_k: 3 } })
    expect(service.body()).toMatchObject({ temperature: 0, top_p: 0.5, stop: ['END'], top_k: 3 })
    expect(service.body().max_tokens ?? service.body().max_completion_tokens).toBe(9)
  })

  test('schemas that say little, and the caller’s own stays as it is', async () => {
    const odd = { type: 'object', properties: { list: { type: 'array' } }, required: ['list', 'gone'] }
    const before = structuredClone(odd)
    service.script({ pieces: [words], stop: 'end-turn' })
    const none = { name: 'none', description: 'Takes nothing' }
    await ask(hello, { tools: [none, { ...look, inputSchema: odd }] })
    expect(service.body().tools[0].function.parameters).toMatchObject({ type: 'object' })
    expect(service.body().tools[1].function.parameters.properties.list).toMatchObject({ type: 'array' })
    expect(odd).toEqual(before)
  })

  test('text and images of a message, in their order', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    const image = LanguageModelDataPart.image(new Uint8Array([1, 2, 3]), 'image/png')
    await ask([Message.User(['Look:', image, LanguageModelDataPart.json({ a: 1 })])])
    const { text, images } = service.received()
    expect(images).toEqual([{ mediaType: 'image/png', data: 'AQID' }])
    expect(text).toBe('Look:{"a":1}')
  })

  test('results of parallel calls are one turn, in the order of the calls, with what failed', async () => {
    await using anthropic = await openModel('anthropic')
    anthropic.script({ pieces: [words], stop: 'end-turn' })
    const messages = [
      ...hello,
      Message.Assistant([
        new LanguageModelToolCallPart('a', 'look', { id: 1 }),
        new LanguageModelChatResponseToolCallPart('look', 'b', { id: 2 }),
      ]),
      Message.User([
        new LanguageModelChatMessageToolResultPart('b', 'not there', true),
        new LanguageModelToolResultPart('a', [
          new LanguageModelTextPart('found'),
          LanguageModelDataPart.image(new Uint8Array([1, 2, 3]), 'image/png'),
        ]),
      ]),
    ]
    await read(await anthropic.chat.sendRequest(messages))
    const { content } = anthropic.body().messages.at(-1)
    expect(content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'a', content: [{ text: 'found' }, { type: 'image' }] },
      { type: 'tool_result', tool_use_id: 'b', is_error: true },
    ])
    expect(content[0].is_error ?? false).toBe(false)
  })

  test('the name that Gemini wants with a result is the call’s, whatever its id looks like', async () => {
    await using gemini = await openModel('google-ai')
    gemini.script({ pieces: [words], stop: 'end-turn' })
    const id = '0f4f6f0c-4a53-4c1e-8a49-2f5a3b1c9d7e'
    await read(
      await gemini.chat.sendRequest([
        ...hello,
        Message.Assistant([new LanguageModelToolCallPart(id, 'look_up_it', {})]),
        Message.User([new LanguageModelToolResultPart(id, ['found'])]),
      ]),
    )
    expect(gemini.body().contents.at(-1).parts[0].functionResponse.name).toBe('look_up_it')
  })

  test('a call that was cancelled is answered, so that the next request is taken', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    const called = Message.Assistant([new LanguageModelToolCallPart('a', 'look', {})])
    await ask([...hello, called, Message.User('Never mind.')])
    expect(service.received().results).toMatchObject([
      { id: 'a', text: expect.stringContaining('cancelled') },
    ])
  })
})

describe('thinking and signatures', () => {
  const thought: Piece[] = [{ thinking: 'Hm.', signature: 'c2ln' }, { redacted: 'cmVkYWN0ZWQ=' }]
  let anthropic: Awaited<ReturnType<typeof openModel>>
  let answers = 0
  beforeAll(async () => {
    anthropic = await openModel('anthropic')
  })
  afterAll(() => anthropic?.[Symbol.asyncDispose]())

  async function callOnce() {
    const pieces = [...thought, { text: 'I will look.' }, call(`a${++answers}`)]
    anthropic.script({ pieces, stop: 'tool-use' })
    return read(await anthropic.chat.sendRequest(hello, { tools: [look] }))
  }

  async function answered(parts: ConstructorParameters<typeof Message>[1]) {
    anthropic.script({ pieces: [words], stop: 'end-turn' })
    const result = new LanguageModelToolResultPart(`a${answers}`, ['found'])
    const messages = [...hello, Message.Assistant(parts), Message.User([result])]
    await read(await anthropic.chat.sendRequest(messages, { tools: [look] }))
    const types = anthropic.body().messages[1].content.map(({ type }: { type: string }) => type)
    return { types, opaque: anthropic.received().opaque }
  }

  const whole = {
    types: ['thinking', 'redacted_thinking', 'text', 'tool_use'],
    opaque: ['c2ln', 'cmVkYWN0ZWQ='],
  }

  test('the parts of an answer that are handed back are the same on the wire', async () => {
    const { parts } = await callOnce()
    expect(await answered([...parts])).toEqual(whole)
  })

  test('code that hands back text and calls alone, or makes its own, loses nothing', async () => {
    const { text, calls } = await callOnce()
    const own = calls.map(({ callId, name, input }) => new LanguageModelToolCallPart(callId, name, input))
    expect(await answered([new LanguageModelTextPart(text), ...own])).toEqual(whole)
  })

  test('a call that two answers have is given the thinking of neither', async () => {
    const { calls } = await callOnce()
    answers--
    await callOnce()
    const own = calls.map(({ callId, name, input }) => new LanguageModelToolCallPart(callId, name, input))
    expect(await answered(own)).toEqual({ types: ['tool_use'], opaque: [] })
    expect((await answered([...calls])).opaque).toEqual(whole.opaque)
  })

  test('Gemini’s signature is on the call that had it', async () => {
    await using gemini = await openModel('google-ai')
    const signed: Piece = { call: { id: 'a', name: 'look', input: '{"id":1}', signature: 'c2ln+/==' } }
    gemini.script(
      { pieces: [signed, call('b', '{"id":2}')], stop: 'tool-use' },
      { pieces: [words], stop: 'end-turn' },
    )
    const { calls } = await read(await gemini.chat.sendRequest(hello, { tools: [look] }))
    const results = calls.map(({ callId }) => new LanguageModelToolResultPart(callId, ['found']))
    const messages = [...hello, Message.Assistant([...calls]), Message.User([...results])]
    await read(await gemini.chat.sendRequest(messages))
    const { parts } = gemini.body().contents[1]
    expect(parts[0]).toMatchObject({ thoughtSignature: 'c2ln+/==' })
    expect(parts[1]).not.toHaveProperty('thoughtSignature')
  })

  test('another provider is shown none of it', async () => {
    const { parts } = await callOnce()
    service.script({ pieces: [words], stop: 'end-turn' })
    const result = new LanguageModelToolResultPart(`a${answers}`, ['found'])
    await ask([...hello, Message.Assistant([...parts]), Message.User([result])])
    expect(JSON.stringify(service.body())).not.toMatch(/c2ln|cmVkYWN0ZWQ=/)
  })
})

describe('what comes back', () => {
  test('why an answer ended is there to be read once it was', async () => {
    for (const stop of ['end-turn', 'max-tokens', 'refusal', 'content-filter'] as const) {
      service.script({ pieces: [words], stop })
      const response = await model.sendRequest(hello)
      expect(response.stopReason).toBeUndefined()
      await read(response)
      expect(response.stopReason).toBe(stop)
    }
  })

  test('a call that is cut off is told as that, and one that cannot be read as that', async () => {
    service.script({ pieces: [call('a', '{"id":')], stop: 'max-tokens' })
    await expect(ask(hello, { tools: [look] })).rejects.toThrow(/cut off/)
    service.script({ pieces: [words, call('a', '{"id":')], stop: 'tool-use' })
    await expect(ask(hello, { tools: [look] })).rejects.toMatchObject({
      code: 'InvalidToolCall',
      toolCalls: [{ id: 'a', name: 'look', rawInput: '{"id":' }],
    })
  })

  test('an answer of thinking alone is an answer', async () => {
    service.script({ pieces: [{ thinking: 'Hm.' }], stop: 'max-tokens' })
    const { parts } = await ask(hello)
    expect(parts.length).toBeGreaterThan(0)
    expect(parts.every(part => part instanceof LanguageModelThinkingPart)).toBe(true)
  })

  test('an answer that just ends, or breaks off, does not look complete', async () => {
    const whole = { pieces: [words], stop: 'end-turn' } as const
    for (const ending of ['end', 'destroy'] as const) {
      service.script(says(service.subject, whole, frames => ({ body: frames.slice(0, 2), ending })))
      const response = await model.sendRequest(hello)
      await expect(read(response)).rejects.toMatchObject({ name: 'LanguageModelError', code: 'network' })
      expect(response.stopReason).toBeUndefined()
      await expect(Array.fromAsync(response.text)).rejects.toMatchObject({ code: 'network' })
    }
  })

  test('usage is a field of the response, and cache_control an anchor', async () => {
    service.script({ pieces: [words], stop: 'end-turn', usage: { input: 11, output: 7 } })
    const response = await model.sendRequest(hello)
    await read(response)
    expect(response.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
    await using anthropic = await openModel('anthropic')
    anthropic.script({ pieces: [words], stop: 'end-turn' })
    const anchor = LanguageModelDataPart.text('ephemeral', 'cache_control')
    await read(await anthropic.chat.sendRequest([Message.User(['Hello.', anchor])]))
    expect(anthropic.received()).toMatchObject({ anchors: 1, text: 'Hello.' })
  })

  test('a reader that lags keeps every part, in order', async () => {
    const pieces = Array.from({ length: 3_000 }, (_, at) => ({ text: `${at} ` }))
    const joined = (frames: string[]) => ({ body: [frames.join('')] })
    service.script(says(service.subject, { pieces, stop: 'end-turn' }, joined))
    const { text, stream } = await model.sendRequest(hello)
    let all = ''
    for await (const piece of text) {
      // The other reader has come to its end before this one goes on.
      if (all === '') await Array.fromAsync(stream)
      all += piece
    }
    expect(all).toBe(pieces.map(piece => piece.text).join(''))
  })
})

describe('failures', () => {
  test.each([
    [401, 'NoPermissions'],
    [403, 'NoPermissions'],
    [404, 'NotFound'],
    [429, 'rate-limited'],
    [503, 'overloaded'],
  ])('%i rejects the request as %s', async (status, code) => {
    service.script(refuses(service.subject, status, 'Because', { 'retry-after': '7' }))
    const error = await model.sendRequest(hello).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(LanguageModelError)
    expect(error).toMatchObject({ code, cause: { status } })
    if (status === 429) expect(error).toMatchObject({ cause: { retryAfterMs: 7_000 } })
  })

  test('a quota that is used up is Blocked', async () => {
    const error = { message: 'You exceeded your current quota', code: 'insufficient_quota' }
    service.script(json(429, { error }))
    await expect(model.sendRequest(hello)).rejects.toMatchObject({
      code: 'Blocked',
      cause: { kind: 'quota-exhausted' },
    })
  })

  test('cancelling while it waits, and in the middle, closes the connection', async () => {
    service.script('never')
    const waiting = new CancellationTokenSource()
    const asked = model.sendRequest(hello, {}, waiting.token)
    const request = await service.firstAsked()
    waiting.cancel()
    await expect(asked).rejects.toBeInstanceOf(CancellationError)
    expect(await request.closed).toBe('client-gone')

    const half = (frames: string[]) => ({ body: frames.slice(0, 2), ending: 'hang' as const })
    service.script(says(service.subject, { pieces: [words], stop: 'end-turn' }, half))
    const inside = new CancellationTokenSource()
    const response = await model.sendRequest(hello, {}, inside.token)
    let text = ''
    const reading = (async () => {
      for await (const piece of response.text) {
        text += piece
        inside.cancel()
      }
    })()
    await expect(reading).rejects.toBeInstanceOf(CancellationError)
    expect(text).toBe('Hello ')
    await service.idle()
  })

  test('leaving the last loop closes the connection, leaving one of two does not', async () => {
    const half = (frames: string[]) => ({ body: frames.slice(0, 2), ending: 'hang' as const })
    service.script(says(service.subject, { pieces: [words], stop: 'end-turn' }, half))
    const { stream, text } = await model.sendRequest(hello)
    const reader = stream[Symbol.asyncIterator]()
    for await (const _ of text) break
    expect(await reader.next()).toMatchObject({ value: { value: 'Hello ' } })
    await reader.return?.()
    expect(await service.asked()[0]!.closed).toBe('client-gone')
    await service.idle()
  })

  test('one token for many requests keeps no listener', async () => {
    const source = new CancellationTokenSource()
    let listening = 0
    const token = {
      isCancellationRequested: false,
      onCancellationRequested: ((...args) => {
        const inner = source.token.onCancellationRequested(...args)
        listening++
        return new Disposable(() => {
          listening--
          inner.dispose()
        })
      }) as typeof source.token.onCancellationRequested,
    }
    for (let count = 0; count < 20; count++) {
      const busy = refuses(service.subject, 503, 'Busy')
      service.script(count % 2 === 0 ? { pieces: [words], stop: 'end-turn' } : busy)
      await model
        .sendRequest(hello, {}, token)
        .then(read)
        .catch(() => {})
    }
    expect(listening).toBe(0)
  })
})

describe('models', () => {
  test('a provider that cannot say hides no other, and somebody may be told', async () => {
    await using own = await openService('openai-compatible', { isNamed: false })
    const failures: string[] = []
    const tools = createLanguageModelTools(own.airlock, {
      onProviderFailure: ({ provider }) => failures.push(provider),
    })
    own.list(json(500, { error: { message: 'Fell over' } }))
    expect(await tools.selectChatModels()).toEqual([])
    expect(failures).toContain('openai-compatible')
  })

  test('a change is told once, and only where the set of ids is another', async () => {
    await using own = await openService('openai-compatible', { isNamed: false })
    using tools = createLanguageModelTools(own.airlock)
    own.list(json(200, { data: [{ id: 'one' }, { id: 'two' }] }))
    expect(await tools.selectChatModels()).toHaveLength(2)
    let told = 0
    const changed = Promise.withResolvers<void>()
    tools.onDidChangeChatModels(() => {
      told++
      changed.resolve()
    })
    const signIn = async (value: string) => {
      const [option] = await own.airlock.signInOptions('openai-compatible')
      if (option?.method.type !== 'form') throw new Error('no form')
      const [field] = option.method.fields
      await own.airlock.signIn('openai-compatible', { ui: { form: async () => ({ [field!.key]: value }) } })
    }
    // The same models in another order.
    own.list(json(200, { data: [{ id: 'two' }, { id: 'one' }] }))
    await signIn('sk-another-key')
    own.list(json(200, { data: [{ id: 'two' }, { id: 'three' }] }))
    await signIn('sk-a-third-key')
    await changed.promise
    expect(told).toBe(1)
    expect((await tools.selectChatModels()).map(({ version }) => version)).toEqual(['two', 'three'])
    expect(told).toBe(1)
  })

  test('a model whose provider has no tokenizer counts by an estimate', async () => {
    expect(await model.countTokens('Hello there, how are you?')).toBeGreaterThan(3)
  })
})

test('the loop that extensions write by hand goes to its end', async () => {
  using _ = lm.registerTool('look', {
    modelDescription: 'Looks something up',
    parametersSchema: schema,
    readOnly: true,
    invoke: ({ input }) => `found ${input.id}`,
  })
  service.script(
    { pieces: [call('a'), call('b', '{"id":2}')], stop: 'tool-use' },
    { pieces: [words], stop: 'end-turn' },
  )
  const messages = [Message.User('Look it up.')]
  let text = ''
  for (let round = 0; round < 5; round++) {
    const turn = await ask(messages, { tools: lm.tools })
    text = turn.text
    if (turn.calls.length === 0) break
    messages.push(Message.Assistant([...turn.calls]))
    const results: LanguageModelToolResultPart[] = []
    for (const { callId, name, input } of turn.calls) {
      const { content } = await lm.invokeTool(name, { input, toolInvocationToken: undefined })
      results.push(new LanguageModelToolResultPart(callId, content))
    }
    messages.push(Message.User(results))
  }
  expect(text).toBe('Hello there.')
  expect(service.received().results).toEqual([
    { id: 'a', text: 'found 1' },
    { id: 'b', text: 'found 2' },
  ])
})
