// What a consumer of Perfetto's gateway for language models relies on, each row once, through a sandboxed extension
// and a service that answers as the real ones do. What Airlock does otherwise is tested for what it does.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  createProtocol,
  type Message,
  type Protocol,
  type ProtocolRequest,
  type StreamEvent,
} from '../../host/adapters/protocol/index.ts'
import { createAirlock } from '../../host/index.ts'
import type { Piece } from '../conformance/services/service.ts'
import { createGate } from '../servers/gate.ts'
import { startScriptedServer } from '../servers/scripted.ts'
import { createTestHome } from '../support/home.ts'
import { json, openService, refuses, type Service, says } from './service.ts'

let service: Service
let protocol: Protocol
beforeAll(async () => {
  service = await openService('openai-compatible', { retry: false })
  protocol = await createProtocol(service.airlock, { provider: 'openai-compatible' })
})
afterAll(() => service[Symbol.asyncDispose]())

const hello: Message = { role: 'user', text: 'Hello.' }
const look = {
  name: 'look',
  description: 'Looks something up',
  inputSchema: z.object({ id: z.number().int().positive(), tag: z.enum(['a', 'b']).optional() }),
}
const call = (id: string, input = '{"id":1}', name = 'look'): Piece => ({ call: { id, name, input } })
const words: Piece = { text: 'Hello there.' }

function ask(
  request: Partial<ProtocolRequest> = {},
  signal?: AbortSignal,
  to = protocol,
  model = service.model,
) {
  const whole = { systemPrompt: '', messages: [hello], tools: [], ...request }
  return to.createStream(model, whole, {}, signal)
}

async function read(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const all: StreamEvent[] = []
  for await (const event of stream) all.push(event)
  return all
}

/** Every stream ends in exactly one stop, with an error where that is its reason and only there. */
async function readWhole(stream: AsyncIterable<StreamEvent>) {
  const events = await read(stream)
  const stops = events.filter(event => event.type === 'stop')
  expect(stops).toHaveLength(1)
  const stop = stops[0]!
  expect(events.at(-1)).toBe(stop)
  expect('error' in stop).toBe(stop.reason === 'error')
  const text = events.map(event => (event.type === 'text' ? event.text : '')).join('')
  const calls = events.flatMap(event => (event.type === 'tool-call' ? [event.call] : []))
  const usage = events.filter(event => event.type === 'usage').at(-1)?.usage
  return { events, stop, text, calls, usage }
}

describe('Protocol', () => {
  test('Protocol: id and label are the provider’s, or what the program calls them', async () => {
    expect(protocol).toMatchObject({ id: 'openai-compatible', label: 'OpenAI-compatible server' })
    const named = await createProtocol(service.airlock, {
      provider: 'openai-compatible',
      id: 'mine',
      label: 'My server',
    })
    expect(named).toMatchObject({ id: 'mine', label: 'My server' })
  })

  test('Three layers: one protocol serves every provider of an airlock, and an unknown one is refused by name', async () => {
    const other = await createProtocol(service.airlock, { provider: 'lm-studio' })
    expect(other.label).toBe('LM Studio')
    await expect(createProtocol(service.airlock, { provider: 'lm-studi' })).rejects.toMatchObject({
      code: 'unknown-provider',
      nearest: ['lm-studio'],
    })
  })

  test('registerProtocol: two with one id cannot be: each provider of an airlock has a reference of its own', async () => {
    const providers = await service.airlock.providers()
    const protocols = await Promise.all(
      providers.map(({ reference }) => createProtocol(service.airlock, { provider: reference })),
    )
    expect(protocols.length).toBeGreaterThan(1)
    expect(new Set(protocols.map(({ id }) => id)).size).toBe(protocols.length)
  })

  test('CredentialField: key, label, secret, required and placeholder come from the provider’s form', () => {
    expect(protocol.credentialFields).toEqual([
      { key: expect.any(String), label: expect.any(String), secret: true, required: expect.any(Boolean) },
    ])
  })

  test('AvailableModel, listModels: the service’s own names; nothing is an empty list, and a failure is thrown', async () => {
    await using free = await openService('openai-compatible', { retry: false, isNamed: false })
    free.list(json(200, { data: [{ id: 'one' }, { id: 'two/three' }] }))
    const listed = await createProtocol(free.airlock, { provider: 'openai-compatible' })
    expect(await listed.listModels({})).toEqual([{ name: 'one' }, { name: 'two/three' }])
    free.list(json(200, { data: [] }))
    expect(await listed.listModels({})).toEqual([])
    free.list(json(401, { error: { message: 'wrong key' } }))
    await expect(listed.listModels({})).rejects.toMatchObject({ kind: 'authentication' })
    await free.server.close()
    await expect(listed.listModels({})).rejects.toMatchObject({ kind: 'network' })
    await expect(listed.listModels({}, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  })
})

describe('Models without tools', () => {
  let own: Service
  let to: Protocol
  beforeAll(async () => {
    own = await openService('openai-compatible', { retry: false, isNamed: false })
    to = await createProtocol(own.airlock, { provider: 'openai-compatible' })
    own.list(json(200, { data: [{ id: 'm', supported_parameters: ['temperature'] }] }))
  })
  afterAll(() => own?.[Symbol.asyncDispose]())

  const answerWith = (...pieces: string[]) => {
    own.script({ pieces: pieces.map(text => ({ text })), stop: 'end-turn' })
    return readWhole(ask({ tools: [look] }, undefined, to))
  }

  test('ProtocolCapabilities: of the models that were listed last', async () => {
    expect(to.capabilities).toEqual({ nativeToolCalling: true, streaming: true })
    await to.listModels({})
    expect(to.capabilities).toEqual({ nativeToolCalling: false, streaming: true })
  })

  test.each([
    ['one object', ['{"tool":"look",', ' "arguments":{"id":1}}']],
    ['inside a fence', ['```json\n{"tool":"look","arguments":{"id":1}}\n```']],
    ['with words behind it', ['\n{"tool":"look","arguments":{"id":1}} I call it now {']],
  ])('Emulated tools: a call, %s', async (_, pieces) => {
    const { calls, text, stop, usage } = await answerWith(...pieces)
    expect(calls).toMatchObject([{ id: expect.any(String), name: 'look', args: { id: 1 } }])
    expect([text, stop.reason]).toEqual(['', 'tool-calls'])
    expect(usage).toBeDefined()
    expect(own.body()).not.toHaveProperty('tools')
    expect(own.received().system).toMatch(/look: Looks something up[\s\S]*"id"/)
  })

  test.each([
    ['words', ['Hello ', 'there {}.']],
    ['a tool that there is not', ['{"tool":"launch","arguments":{}}']],
    ['another object', ['{"name": "look"}']],
    ['arguments that are none', ['{"tool":"look","arguments":[1]}']],
    ['an object that is cut off', ['{"tool":"look","argum']],
    ['code', ['```ts\nlet a = { b: 1 }\n```']],
  ])('Emulated tools: %s is text', async (_, pieces) => {
    const { calls, text, stop } = await answerWith(...pieces)
    expect(calls).toEqual([])
    expect([text, stop.reason]).toEqual([pieces.join(''), 'end'])
  })

  test('Emulated tools: text is held back only as long as it may be a call', async () => {
    const gate = createGate()
    own.script(
      says(own.subject, { pieces: [{ text: ' Hello.' }, { text: ' More.' }], stop: 'end-turn' }, frames => ({
        body: [...frames.slice(0, 3), gate.opened, ...frames.slice(3)],
      })),
    )
    const stream = ask({ tools: [look] }, undefined, to)
    expect((await stream.next()).value).toMatchObject({ type: 'text' })
    gate.open()
    expect((await readWhole(stream)).stop.reason).toBe('end')
  })

  test('Emulated tools: earlier calls and their results are told in words', async () => {
    own.script({ pieces: [{ text: '{"tool":"look"}' }], stop: 'end-turn' })
    const messages: Message[] = [
      hello,
      { role: 'tool-call', calls: [{ id: 'call-1', name: 'look', args: { id: 1 } }] },
      { role: 'tool-result', results: [{ id: 'call-1', name: 'look', result: 'no', isError: true }] },
    ]
    const { calls } = await readWhole(ask({ messages, tools: [look] }, undefined, to))
    expect(calls).toMatchObject([{ id: 'call-2', args: {} }])
    const [, , called, result] = own.body().messages
    expect(called).toMatchObject({ role: 'assistant', content: '{"tool": "look", "arguments": {"id":1}}' })
    expect(JSON.stringify(result)).toMatch(/Error of the tool look:.*no/)
  })

  test('Emulated tools: an answer that is cut off in a call says so', async () => {
    own.script({ pieces: [{ text: '{"tool":"look","arg' }], stop: 'max-tokens' })
    const { stop, calls } = await readWhole(ask({ tools: [look] }, undefined, to))
    expect([stop.reason, calls.length]).toEqual(['length', 0])
  })
})

describe('Requests', () => {
  test('Request: the system prompt, the conversation and the tools reach the service', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    await readWhole(ask({ systemPrompt: 'Be brief.', tools: [look] }))
    expect(service.received()).toMatchObject({ system: 'Be brief.', text: 'Hello.', tools: ['look'] })
    service.script({ pieces: [words], stop: 'end-turn' })
    await readWhole(ask())
    expect(service.body().messages).toEqual([{ role: 'user', content: 'Hello.' }])
    expect(service.body()).not.toHaveProperty('tools')
  })

  test('ToolDef: a zod schema is written as the model takes it', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    await readWhole(ask({ tools: [look] }))
    expect(service.body().tools[0].function).toMatchObject({
      name: 'look',
      description: 'Looks something up',
      parameters: { type: 'object', required: ['id'], properties: { tag: { enum: ['a', 'b'] } } },
    })
  })

  test('Message: what the model said and called is one turn, and each result finds its call', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    await readWhole(
      ask({
        messages: [
          hello,
          { role: 'model', text: 'I will look.' },
          {
            role: 'tool-call',
            calls: [
              { id: 'a', name: 'look', args: { id: 1 } },
              { id: 'b', name: 'look', args: { id: 2 } },
            ],
          },
          {
            role: 'tool-result',
            results: [
              { id: 'b', name: 'look', result: 'second', isError: true },
              { id: 'a', name: 'look', result: 'first' },
            ],
          },
          { role: 'model', text: 'Done.' },
          { role: 'user', text: 'Thanks.' },
        ],
      }),
    )
    const roles = service.body().messages.map(({ role }: { role: string }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user'])
    expect(service.received()).toMatchObject({
      calls: [
        { id: 'a', name: 'look', input: '{"id":1}' },
        { id: 'b', name: 'look', input: '{"id":2}' },
      ],
      results: [
        { id: 'a', text: 'first' },
        { id: 'b', text: expect.stringContaining('second') },
      ],
    })
  })

  test('ToolResult: isError reaches a service that has a word for it', async () => {
    await using anthropic = await openService('anthropic', { retry: false })
    const to = await createProtocol(anthropic.airlock, { provider: 'anthropic' })
    anthropic.script({ pieces: [words], stop: 'end-turn' })
    const messages: Message[] = [
      hello,
      { role: 'tool-call', calls: [{ id: 'a', name: 'look', args: {} }] },
      { role: 'tool-result', results: [{ id: 'a', name: 'look', result: 'no', isError: true }] },
    ]
    await readWhole(ask({ messages }, undefined, to, anthropic.model))
    expect(anthropic.body().messages.at(-1).content[0]).toMatchObject({ tool_use_id: 'a', is_error: true })
  })

  test('Parallel calls and ids: results without an id, or with another’s, go by name and order', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    const messages: Message[] = [
      hello,
      {
        role: 'tool-call',
        calls: [
          { name: 'look', args: { id: 1 } },
          { name: 'list', args: {} },
          { id: 'c', name: 'look', args: { id: 2 } },
        ],
      },
      {
        role: 'tool-result',
        results: [
          { name: 'list', result: 'listed' },
          { id: 'call_0_look', name: 'look', result: 'first' },
          { name: 'look', result: 'second' },
        ],
      },
    ]
    await readWhole(ask({ messages }))
    const { calls, results } = service.received()
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
    expect(results.map(({ id, text }) => [calls.find(call => call.id === id)?.input, text])).toEqual([
      ['{"id":1}', 'first'],
      ['{}', 'listed'],
      ['{"id":2}', 'second'],
    ])
  })

  test('Cancel during tools: a call without a result is answered, so that the next request is taken', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    const messages: Message[] = [
      hello,
      { role: 'tool-call', calls: [{ id: 'a', name: 'look', args: {} }] },
      { role: 'user', text: 'Never mind.' },
    ]
    const { stop } = await readWhole(ask({ messages }))
    expect(stop.reason).toBe('end')
    expect(service.received().results).toMatchObject([
      { id: 'a', text: expect.stringContaining('cancelled') },
    ])
  })
})

describe('Events', () => {
  test('Events: text, thoughts, whole calls, usage and one stop', async () => {
    service.script({
      pieces: [{ thinking: 'A greeting. ' }, words, call('a'), call('b', '{"id":2}')],
      stop: 'tool-use',
      usage: { input: 11, output: 7, reasoning: 3 },
    })
    const { events, text, calls, usage, stop } = await readWhole(ask({ tools: [look] }))
    expect(text).toBe('Hello there.')
    const thoughts = events.flatMap(event => (event.type === 'thought' ? [event.text] : []))
    expect(thoughts.join('')).toBe('A greeting. ')
    expect(calls).toMatchObject([
      { id: 'a', name: 'look', args: { id: 1 } },
      { id: 'b', name: 'look', args: { id: 2 } },
    ])
    expect(usage).toEqual({ inputTokens: 11, outputTokens: 7, totalTokens: 18 })
    expect(stop).toEqual({ type: 'stop', reason: 'tool-calls', detail: 'tool-use' })
  })

  test('StopReason: a zoo of reasons becomes four, and the finer one is told besides', async () => {
    const seen: unknown[] = []
    for (const stop of ['end-turn', 'max-tokens', 'content-filter', 'refusal'] as const) {
      service.script({ pieces: [words], stop })
      const { stop: told, text } = await readWhole(ask())
      expect(text).toBe('Hello there.')
      seen.push([told.reason, told.detail])
    }
    // An answer that was not given to its end does not look like one that was.
    expect(seen).toEqual([
      ['end', 'end-turn'],
      ['length', 'max-tokens'],
      ['error', 'content-filter'],
      ['error', 'refusal'],
    ])
  })

  test('Length stop: an answer that was cut off after a call says so', async () => {
    service.script({ pieces: [call('a')], stop: 'max-tokens' })
    const { stop, calls } = await readWhole(ask({ tools: [look] }))
    expect(stop.reason).toBe('length')
    expect(calls).toHaveLength(1)
  })

  test('Zero-argument tools: empty arguments are none', async () => {
    service.script({ pieces: [call('a', '')], stop: 'tool-use' })
    expect((await readWhole(ask({ tools: [look] }))).calls).toMatchObject([{ args: {} }])
  })

  test('Invalid tool JSON: the call is not made with other arguments, and the turn does not look finished', async () => {
    service.script({ pieces: [words, call('a', '{"id":')], stop: 'tool-use' })
    const { calls, stop } = await readWhole(ask({ tools: [look] }))
    expect(calls).toEqual([])
    expect(stop).toMatchObject({
      reason: 'error',
      error: { kind: 'unknown', message: expect.stringContaining('"look"') },
    })
    service.script({ pieces: [words, call('a', '{"id":')], stop: 'max-tokens' })
    expect((await readWhole(ask({ tools: [look] }))).stop.reason).toBe('length')
  })

  test('Usage: fields come from several chunks, none is lost, and what was not reported is absent', async () => {
    await using anthropic = await openService('anthropic', { retry: false })
    const to = await createProtocol(anthropic.airlock, { provider: 'anthropic' })
    anthropic.script({ pieces: [words], stop: 'end-turn', usage: { input: 11, output: 7 } })
    // Input tokens come with the first event, output tokens with the last.
    const { usage } = await readWhole(ask({}, undefined, to, anthropic.model))
    expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
    const quiet = says(service.subject, { pieces: [words], stop: 'end-turn' }, frames => ({
      body: frames.filter(frame => !frame.includes('"usage"')),
    }))
    service.script(quiet)
    expect((await readWhole(ask())).usage).toBeUndefined()
  })
})

describe('Errors', () => {
  test.each([
    [429, 'Slow down', 'rate-limit'],
    [401, 'Wrong key', 'auth'],
    [403, 'Not for you', 'auth'],
    [503, 'Busy', 'rate-limit'],
    [404, 'No such model', 'unknown'],
    [400, 'max_tokens is too large: a token count above the limit of the model', 'unknown'],
  ])('Error kinds: %i %s', async (status, message, kind) => {
    service.script(refuses(service.subject, status, message))
    const { events, stop } = await readWhole(ask())
    expect(events).toHaveLength(1)
    expect(stop.error).toMatchObject({ kind, cause: { status } })
    expect(stop.error!.message).not.toContain('{')
  })

  test('Error kinds: a context that is too long is told by the service’s code', async () => {
    const error = { message: 'Too long', code: 'context_length_exceeded' }
    service.script(json(400, { error }))
    expect((await readWhole(ask())).stop.error?.kind).toBe('context-length')
  })

  test('Error kinds: the wait that the service asked for comes along', async () => {
    service.script(refuses(service.subject, 429, 'Slow down', { 'retry-after': '7' }))
    expect((await readWhole(ask())).stop.error?.cause).toMatchObject({ retryAfterMs: 7_000 })
  })

  test('Network: a service that is not there is an event', async () => {
    await using gone = await openService('openai-compatible', { retry: false })
    const to = await createProtocol(gone.airlock, { provider: 'openai-compatible' })
    await gone.server.close()
    const { stop } = await readWhole(ask({}, undefined, to))
    expect(stop.error?.kind).toBe('network')
  })

  test('Errors mid-stream: a connection that is lost, an answer that just ends and an error in the stream are errors', async () => {
    const whole = { pieces: [words], stop: 'end-turn' } as const
    const cut = (frames: string[]) => frames.slice(0, 2)
    const broken = [
      says(service.subject, whole, frames => ({ body: cut(frames), ending: 'destroy' })),
      says(service.subject, whole, frames => ({ body: cut(frames) })),
      says(service.subject, whole, frames => ({
        body: [...cut(frames), String(service.subject.dialect.errorFrame('Fell over'))],
      })),
    ]
    const kinds: unknown[] = []
    for (const script of broken) {
      service.script(script)
      const { text, stop } = await readWhole(ask())
      expect(text).toBe('Hello ')
      kinds.push(stop.error?.kind)
    }
    expect(kinds).toEqual(['network', 'network', 'rate-limit'])
  })

  test('SSE framing: an event without a blank line behind it, and lines that end in CR, are read', async () => {
    const whole = { pieces: [words], stop: 'end-turn' } as const
    service.script(
      says(service.subject, whole, frames => ({ body: frames.map(frame => frame.replaceAll('\n', '\r')) })),
      says(service.subject, whole, frames => ({ body: [frames.slice(0, -1).join('').trimEnd()] })),
    )
    for (let count = 0; count < 2; count++) {
      const { text, stop } = await readWhole(ask())
      expect([text, stop.reason]).toEqual(['Hello there.', 'end'])
    }
  })

  test('createStream never throws: unknown models and requests that are none are errors, and nothing is sent', async () => {
    service.script()
    const wrong = [
      ask({}, undefined, protocol, ''),
      ask({ messages: [] }),
      ask({ messages: undefined as unknown as Message[] }),
      ask({ tools: [{ ...look, inputSchema: z.object({ at: z.date() }) }] }),
    ]
    for (const stream of wrong) expect((await readWhole(stream)).stop.error?.kind).toBe('unknown')
    expect(service.asked()).toHaveLength(0)
  })
})

describe('Abort', () => {
  test('AbortSignal: aborted before, while it waits and in the middle, each ends in a stop that is no end', async () => {
    service.script()
    const before = await readWhole(ask({}, AbortSignal.abort(new Error('left'))))
    expect(before.stop.error).toMatchObject({ kind: 'unknown', message: 'left' })
    expect(service.asked()).toHaveLength(0)

    service.script('never')
    const waiting = new AbortController()
    const stream = readWhole(ask({}, waiting.signal))
    const request = await service.firstAsked()
    waiting.abort(new Error('left'))
    expect((await stream).stop.error?.message).toBe('left')
    expect(await request.closed).toBe('client-gone')

    const inside = new AbortController()
    service.script(
      says(service.subject, { pieces: [words], stop: 'end-turn' }, frames => ({
        body: frames.slice(0, 2),
        ending: 'hang',
      })),
    )
    const events: StreamEvent[] = []
    for await (const event of ask({}, inside.signal)) {
      events.push(event)
      if (event.type === 'text') inside.abort(new Error('left'))
    }
    expect(events.map(({ type }) => type)).toEqual(['text', 'stop'])
    await service.idle()
  })

  test('Early return: leaving the loop frees the socket at once', async () => {
    service.script(
      says(service.subject, { pieces: [words], stop: 'end-turn' }, frames => ({
        body: frames.slice(0, 2),
        ending: 'hang',
      })),
    )
    for await (const event of ask()) if (event.type === 'text') break
    expect(await service.asked()[0]!.closed).toBe('client-gone')
    await service.idle()
  })

  test('AsyncGenerator: nothing is sent before it is read, and what a reader throws into it is the reader’s', async () => {
    service.script({ pieces: [words], stop: 'end-turn' })
    const stream = ask()
    expect(service.asked()).toHaveLength(0)
    await stream.next()
    await expect(stream.throw(new Error('mine'))).rejects.toThrow('mine')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})

describe('Signatures', () => {
  test('signature: Gemini’s comes back byte for byte, on the call that had it', async () => {
    await using gemini = await openService('google-ai', { retry: false })
    const to = await createProtocol(gemini.airlock, { provider: 'google-ai' })
    const signature = 'c2ln+/=='
    gemini.script(
      {
        pieces: [
          { call: { id: 'a', name: 'look', input: '{"id":1}', signature } },
          { call: { id: 'b', name: 'look', input: '{"id":2}' } },
        ],
        stop: 'tool-use',
      },
      { pieces: [words], stop: 'end-turn' },
    )
    const { calls } = await readWhole(ask({ tools: [look] }, undefined, to, gemini.model))
    // A history is kept as JSON.
    const kept: typeof calls = JSON.parse(JSON.stringify(calls))
    const results = kept.map(({ id, name }) => ({ ...(id !== undefined && { id }), name, result: 'found' }))
    const messages: Message[] = [hello, { role: 'tool-call', calls: kept }, { role: 'tool-result', results }]
    await readWhole(ask({ messages, tools: [look] }, undefined, to, gemini.model))
    const parts = gemini.body().contents.flatMap(({ parts }: { parts: object[] }) => parts)
    const called = parts.filter((part: object) => 'functionCall' in part)
    expect(called).toMatchObject([{ thoughtSignature: signature }, {}])
    expect(called[1]).not.toHaveProperty('thoughtSignature')
    // A signature of another protocol for the same service is passed on as it is.
    gemini.script({ pieces: [words], stop: 'end-turn' })
    const foreign: Message[] = [
      hello,
      { role: 'tool-call', calls: [{ name: 'look', args: {}, signature: 'Zm9yZWlnbg==' }] },
      { role: 'tool-result', results: [{ name: 'look', result: 'found' }] },
    ]
    await readWhole(ask({ messages: foreign }, undefined, to, gemini.model))
    expect(gemini.received().opaque).toEqual(['Zm9yZWlnbg=='])
  })

  test('Thoughts: what the service wants back before a call comes back in its place, text or none', async () => {
    await using anthropic = await openService('anthropic', { retry: false })
    const to = await createProtocol(anthropic.airlock, { provider: 'anthropic' })
    anthropic.script(
      {
        pieces: [
          { thinking: 'Hm.', signature: 'c2ln' },
          { redacted: 'cmVkYWN0ZWQ=' },
          { text: 'I will look.' },
          call('a'),
        ],
        stop: 'tool-use',
      },
      { pieces: [words], stop: 'end-turn' },
      { pieces: [words], stop: 'end-turn' },
    )
    const { calls, text } = await readWhole(ask({ tools: [look] }, undefined, to, anthropic.model))
    const messages: Message[] = [
      hello,
      { role: 'model', text },
      { role: 'tool-call', calls },
      { role: 'tool-result', results: [{ id: 'a', name: 'look', result: 'found' }] },
    ]
    await readWhole(ask({ messages, tools: [look] }, undefined, to, anthropic.model))
    const types = anthropic.body().messages[1].content.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['thinking', 'redacted_thinking', 'text', 'tool_use'])
    expect(anthropic.received().opaque).toEqual(['c2ln', 'cmVkYWN0ZWQ='])
    // The service of another provider is not shown it.
    service.script({ pieces: [words], stop: 'end-turn' })
    await readWhole(ask({ messages, tools: [look] }))
    expect(JSON.stringify(service.body())).not.toContain('c2ln')
  })
})

describe('Credentials', () => {
  const bag = (value: string) => ({ [protocol.credentialFields[0]!.key]: value })
  const askWith = (credentials: Record<string, string>, to: Protocol) =>
    readWhole(to.createStream(service.model, { systemPrompt: '', messages: [hello], tools: [] }, credentials))
  const keysOf = (asked: Service) => asked.asked().map(({ headers }) => headers.authorization)

  test('credentials: an empty bag uses what the host holds, another signs in, and each call has its own', async () => {
    await using own = await openService('openai-compatible', { retry: false })
    const to = await createProtocol(own.airlock, { provider: 'openai-compatible' })
    const answer = { pieces: [words], stop: 'end-turn' } as const
    own.script(...Array.from({ length: 5 }, () => answer))
    await askWith({}, to)
    await askWith(bag('sk-first-key'), to)
    await Promise.all([askWith(bag('sk-second-key'), to), askWith(bag('sk-first-key'), to)])
    await askWith(bag(''), to)
    expect(keysOf(own)).toEqual([
      'Bearer sk-of-the-test',
      'Bearer sk-first-key',
      'Bearer sk-second-key',
      'Bearer sk-first-key',
      'Bearer sk-first-key',
    ])
  })

  test('credentials: a call with others waits until the earlier one has been sent, and not for its end', async () => {
    await using own = await openService('openai-compatible', { retry: false })
    const to = await createProtocol(own.airlock, { provider: 'openai-compatible' })
    const gate = createGate()
    own.script(
      says(own.subject, { pieces: [words], stop: 'end-turn' }, frames => ({
        body: [...frames.slice(0, 2), gate.opened, ...frames.slice(2)],
      })),
      { pieces: [words], stop: 'end-turn' },
    )
    const request = { systemPrompt: '', messages: [hello], tools: [] }
    const slow = to.createStream(own.model, request, bag('sk-first-key'))
    const first = await slow.next()
    expect(first.value).toMatchObject({ type: 'text' })
    expect((await askWith(bag('sk-second-key'), to)).stop.reason).toBe('end')
    gate.open()
    expect((await readWhole(slow)).stop.reason).toBe('end')
    expect(keysOf(own)).toEqual(['Bearer sk-first-key', 'Bearer sk-second-key'])
  })

  test('credentials: a field that the form does not have, or a provider without a form, is told before anything is sent', async () => {
    service.script()
    const { stop } = await askWith({ nonsense: 'x' }, protocol)
    expect(stop.error).toMatchObject({ kind: 'auth', message: expect.stringContaining('"nonsense"') })
    await expect(protocol.listModels({ nonsense: 'x' })).rejects.toMatchObject({ code: 'invalid-credential' })
    expect(service.asked()).toHaveLength(0)
  })

  test('credentials: required is enforced, before anything is sent', async () => {
    await using bedrock = await openService('amazon-bedrock', { retry: false, key: null })
    const to = await createProtocol(bedrock.airlock, { provider: 'amazon-bedrock' })
    const [optional, required] = [false, true].map(
      wanted => to.credentialFields.find(field => field.required === wanted)!.key,
    )
    const { stop } = await readWhole(
      to.createStream(
        bedrock.model,
        { systemPrompt: '', messages: [hello], tools: [] },
        { [optional!]: 'x' },
      ),
    )
    expect(stop.error).toMatchObject({ kind: 'auth', message: expect.stringContaining(`"${required}"`) })
    expect(bedrock.asked()).toHaveLength(0)
  })

  test('Storage: what was entered is kept by the host, and in no file of its home in the clear', async () => {
    await using server = await startScriptedServer(json(200, { data: [{ id: 'm' }] }))
    await using home = await createTestHome({ serviceUrl: server.url })
    await using airlock = await createAirlock({ home: home.folder, env: { AIRLOCK_KEYCHAIN: 'off' } })
    const to = await createProtocol(airlock, { provider: 'openai-compatible' })
    await to.listModels(bag('sk-entered-once'))
    await airlock.close()
    await using later = await createAirlock({ home: home.folder, env: { AIRLOCK_KEYCHAIN: 'off' } })
    expect((await later.status()).providers).toContainEqual(
      expect.objectContaining({ provider: 'openai-compatible', credential: expect.anything() }),
    )
    const entries = await readdir(home.folder, { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile())
    expect(files.length).toBeGreaterThan(0)
    for (const { parentPath, name } of files)
      expect(await readFile(join(parentPath, name), 'latin1')).not.toContain('sk-entered-once')
  })
})

describe('Tool loop', () => {
  test('Agent loop: the consumer’s loop over the events goes to its end', async () => {
    service.script(
      { pieces: [call('a'), call('b', '{"id":2}')], stop: 'tool-use' },
      { pieces: [words], stop: 'end-turn' },
    )
    const messages: Message[] = [hello]
    let stop: StreamEvent | undefined
    for (let round = 0; round < 50; round++) {
      const turn = await readWhole(ask({ messages, tools: [look] }))
      stop = turn.stop
      if (turn.text !== '') messages.push({ role: 'model', text: turn.text })
      if (turn.stop.reason !== 'tool-calls') break
      const results = turn.calls.map(({ id, name, args }) => ({
        ...(id !== undefined && { id }),
        name,
        result: `found ${args.id}`,
      }))
      messages.push({ role: 'tool-call', calls: turn.calls }, { role: 'tool-result', results })
    }
    expect(stop).toMatchObject({ reason: 'end' })
    expect(service.received().results).toEqual([
      { id: 'a', text: 'found 1' },
      { id: 'b', text: 'found 2' },
    ])
  })
})
