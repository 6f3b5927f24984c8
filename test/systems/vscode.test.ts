// What code written for the language models and tools of VS Code relies on, each row once, through the adapter: in
// the first version of that interface and in the finished one.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  CancellationError,
  type CancellationToken,
  CancellationTokenSource,
  type ChatLanguageModelToolReference,
  type ChatMessageLike,
  type ChatRequest,
  createChatRequest,
  createLanguageModelTools,
  Disposable,
  type LanguageModelChat,
  LanguageModelChatMessage,
  LanguageModelChatMessageToolResultPart,
  type LanguageModelChatRequestOptions,
  LanguageModelChatResponseTextPart,
  LanguageModelChatResponseToolCallPart,
  type LanguageModelChatTool,
  LanguageModelChatToolMode,
  LanguageModelDataPart,
  LanguageModelError,
  LanguageModelPromptTsxPart,
  type LanguageModelResponsePart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  type LanguageModelTool,
  LanguageModelToolCallPart,
  type LanguageModelToolDescription,
  type LanguageModelToolInvocationOptions,
  LanguageModelToolResult,
  LanguageModelToolResultPart,
} from '../../host/adapters/language-model-tools/index.ts'
import { type Airlock, type AirlockOptions, createAirlock, createMemoryStore } from '../../host/index.ts'
import { mirrorExtension } from './mirror-extension.ts'

let home: string
let airlock: Airlock
let large: LanguageModelChat
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-vscode-'))
  airlock = await open()
  await airlock.load(await mirrorExtension())
  const [model] = await createLanguageModelTools(airlock).selectChatModels({ id: 'mirror/large' })
  large = model!
}, 60_000)
afterAll(async () => {
  await airlock?.close()
  await rm(home, { recursive: true, force: true })
})

function open(options: AirlockOptions = {}) {
  return createAirlock({
    home,
    env: {},
    credentials: createMemoryStore(),
    retry: false,
    toolPolicy: () => 'allow',
    ...options,
  })
}

/** Tools of an airlock of their own, in which everything may run. */
async function openTools(options: AirlockOptions = {}) {
  const own = await open(options)
  onTestFinished(() => own.close())
  return createLanguageModelTools(own)
}

const hello = [LanguageModelChatMessage.User('hi')]
const stop = { type: 'stop', reason: 'end-turn' }
const call = { type: 'tool-use', id: 'c1', name: 'look', input: '{"at":1}' }
const look: LanguageModelChatTool = {
  name: 'look',
  description: 'Looks.',
  parametersSchema: { type: 'object', properties: { at: { type: 'integer' } } },
}
const saying = (text: string): LanguageModelTool => ({
  modelDescription: 'Says something',
  invoke: () => new LanguageModelToolResult([new LanguageModelTextPart(text)]),
})

interface Told {
  messages: { role: string; content: Record<string, unknown>[]; cache: boolean }[]
  [field: string]: unknown
}

/** What reached the provider of a request. */
async function told(
  messages: readonly ChatMessageLike[],
  options?: LanguageModelChatRequestOptions,
): Promise<Told> {
  const { text } = await large.sendRequest(messages, options)
  let all = ''
  for await (const piece of text) all += piece
  return JSON.parse(all).request
}

/** The answer that these events of the provider become. */
function answer(events: unknown[], fail?: unknown, token?: CancellationToken) {
  const modelOptions = { events, ...(fail !== undefined && { fail }) }
  return large.sendRequest(hello, { modelOptions }, token)
}

async function partsOf(events: unknown[]): Promise<LanguageModelResponsePart[]> {
  return await Array.fromAsync((await answer(events)).stream)
}

test('LanguageModelChatTool: name, description and schema, by either name, or none', async () => {
  const schema = look.parametersSchema
  const tools = [
    look,
    { name: 'see', description: 'Sees.', inputSchema: schema },
    { name: 'go', description: 'Goes.' },
  ]
  const { tools: got } = await told(hello, { tools })
  expect(got).toEqual([
    { name: 'look', description: 'Looks.', inputSchema: schema },
    { name: 'see', description: 'Sees.', inputSchema: schema },
    { name: 'go', description: 'Goes.', inputSchema: expect.objectContaining({ type: 'object' }) },
  ])
})

test('LanguageModelChatTool: an entry of lm.tools is one', async () => {
  const lm = await openTools()
  lm.registerTool('say', { ...saying('x'), parametersSchema: look.parametersSchema! })
  const { tools } = await told(hello, { tools: lm.tools })
  expect(tools).toEqual([{ name: 'say', description: 'Says something', inputSchema: look.parametersSchema }])
})

test('toolChoice: the named tool must be called, and must be there', async () => {
  const { toolChoice } = await told(hello, { tools: [look], toolChoice: 'look' })
  expect(toolChoice).toEqual({ tool: 'look' })
  const wrong = large.sendRequest(hello, { tools: [look], toolChoice: 'loook' })
  await expect(wrong).rejects.toThrow('names "loook", which is none of the tools')
})

test('toolMode: Auto is left to the service, Required is any of several, and never nothing', async () => {
  const tools = [look, { ...look, name: 'see' }]
  const { Auto, Required } = LanguageModelChatToolMode
  expect(await told(hello, { tools, toolMode: Auto })).not.toHaveProperty('toolChoice')
  expect((await told(hello, { tools, toolMode: Required })).toolChoice).toBe('any')
  await expect(large.sendRequest(hello, { toolMode: Required })).rejects.toThrow('there are no tools')
})

test('modelOptions: fields by their names here and elsewhere; the rest is the provider’s', async () => {
  const modelOptions = { temperature: 0, top_p: 0.5, max_tokens: 7, stop: 'END', verbosity: 'low' }
  expect(await told(hello, { modelOptions, justification: 'To greet.' })).toMatchObject({
    temperature: 0,
    topP: 0.5,
    maxTokens: 7,
    stopSequences: ['END'],
    providerOptions: { verbosity: 'low' },
  })
})

test('ToolCallPart: both orders of arguments make the same call, with both names of each field', () => {
  const first = new LanguageModelChatResponseToolCallPart('look', 'c1', { at: 1 })
  const finished = new LanguageModelToolCallPart('c1', 'look', { at: 1 })
  expect(first).toMatchObject({ name: 'look', toolCallId: 'c1', parameters: { at: 1 } })
  expect(finished).toMatchObject({ name: 'look', callId: 'c1', input: { at: 1 } })
  expect([first.callId, first.input]).toEqual([finished.callId, finished.input])
  expect(first).toBeInstanceOf(LanguageModelToolCallPart)
  first.toolCallId = 'c2'
  first.parameters = { at: 2 }
  expect([first.callId, first.input]).toEqual(['c2', { at: 2 }])
})

test('ToolCallPart: a call of an answer is whole, and no arguments are an empty object', async () => {
  const parts = await partsOf([
    { type: 'tool-input-delta', id: 'c1', name: 'look', delta: '{"at"' },
    { type: 'tool-input-delta', id: 'c1', name: 'look', delta: ':1}' },
    call,
    { ...call, id: 'c2', input: '' },
    { type: 'stop', reason: 'tool-use' },
  ])
  expect(parts).toEqual([
    new LanguageModelChatResponseToolCallPart('look', 'c1', { at: 1 }),
    new LanguageModelChatResponseToolCallPart('look', 'c2', {}),
  ])
})

test('ToolCallPart: arguments that cannot be read fail the stream, and are there to be answered', async () => {
  const { stream } = await answer([
    { type: 'text', text: 'Let me look' },
    { ...call, input: '{"at": nope}' },
    { type: 'stop', reason: 'tool-use' },
  ])
  const got: unknown[] = []
  const reading = (async () => {
    for await (const part of stream) got.push(part)
  })()
  await expect(reading).rejects.toMatchObject({
    code: 'InvalidToolCall',
    toolCalls: [{ id: 'c1', name: 'look', rawInput: '{"at": nope}' }],
  })
  expect(got).toEqual([new LanguageModelChatResponseTextPart('Let me look')])
})

test('TextPart: of both versions, as it comes', async () => {
  const [part] = await partsOf([{ type: 'text', text: 'Hello' }, stop])
  expect(part).toBeInstanceOf(LanguageModelChatResponseTextPart)
  expect(part).toBeInstanceOf(LanguageModelTextPart)
  expect(part).toMatchObject({ value: 'Hello' })
})

const mixed = [
  { type: 'text', text: 'Hel' },
  call,
  { type: 'text', text: 'lo' },
  { type: 'stop', reason: 'tool-use' },
]

test('response.stream: text and calls in their order, for each reader from its beginning', async () => {
  const { stream } = await answer(mixed)
  const expected = [
    new LanguageModelChatResponseTextPart('Hel'),
    new LanguageModelChatResponseToolCallPart('look', 'c1', { at: 1 }),
    new LanguageModelChatResponseTextPart('lo'),
  ]
  expect(await Array.fromAsync(stream)).toEqual(expected)
  expect(await Array.fromAsync(stream)).toEqual(expected)
})

test('response.text: a tee of the stream, its text alone', async () => {
  const { text, stream } = await answer(mixed)
  const [texts, parts] = await Promise.all([Array.fromAsync(text), Array.fromAsync(stream)])
  expect(texts).toEqual(['Hel', 'lo'])
  expect(parts).toHaveLength(3)
})

test.each(['end-turn', 'max-tokens', 'tool-use', 'refusal'])(
  'stop reason: %s is exposed at the end',
  async reason => {
    const response = await answer([
      { type: 'text', text: 'Once' },
      { type: 'stop', reason },
    ])
    for await (const part of response.stream) expect(part).toMatchObject({ value: 'Once' })
    expect(response.stopReason).toBe(reason)
  },
)

test('usage: a field of the response, no part among the parts, and 0 is not absent', async () => {
  const usage = { inputTokens: 3, outputTokens: 0, cacheReadInputTokens: 0 }
  const response = await answer([{ type: 'usage', ...usage }, stop])
  expect(await Array.fromAsync(response.stream)).toEqual([])
  expect(response.usage).toMatchObject(usage)
})

test('data parts: an image of the answer', async () => {
  const source = Buffer.from([1, 2, 3]).toString('base64')
  const [image] = await partsOf([{ type: 'image', source, mediaType: 'image/png' }, stop])
  expect(image).toBeInstanceOf(LanguageModelDataPart)
  const { mimeType, data } = image as LanguageModelDataPart
  expect([mimeType, [...data]]).toEqual(['image/png', [1, 2, 3]])
})

test('data parts: text, JSON, images and documents of a message', async () => {
  const parts = [
    LanguageModelDataPart.text('plain'),
    LanguageModelDataPart.json({ a: 1 }),
    LanguageModelDataPart.image(new Uint8Array([1, 2, 3]), 'image/png'),
    new LanguageModelDataPart(new Uint8Array([1, 2, 3]), 'application/pdf'),
  ]
  const { messages } = await told([LanguageModelChatMessage.User(parts)])
  expect(messages[0]!.content).toMatchObject([
    { type: 'text', text: 'plain' },
    { type: 'text', text: '{"a":1}' },
    { type: 'image', source: 'AQID', mediaType: 'image/png' },
    { type: 'file', source: 'AQID', mediaType: 'application/pdf' },
  ])
})

test('cache_control: a part that is no content anchors the cache of its message', async () => {
  const anchor = LanguageModelDataPart.text('ephemeral', 'cache_control')
  const { messages } = await told([LanguageModelChatMessage.User(['Long text', anchor])])
  expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Long text' }], cache: true }])
})

test('thinking parts: text, signature and redacted thinking come, and go back byte for byte', async () => {
  const thoughts = [
    { type: 'thinking', text: 'hm', signature: 'sig==' },
    { type: 'redacted-thinking', data: 'opaque==' },
  ]
  const parts = await partsOf([...thoughts, { type: 'text', text: 'Yes' }, stop])
  expect(parts[0]).toBeInstanceOf(LanguageModelThinkingPart)
  expect(parts[0]).toMatchObject({ value: 'hm', metadata: { signature: 'sig==' } })
  const again = [...hello, LanguageModelChatMessage.Assistant(parts), LanguageModelChatMessage.User('Sure?')]
  const { messages } = await told(again)
  expect(messages[1]!.content).toEqual([...thoughts, { type: 'text', text: 'Yes' }])
})

test('thinking parts: a caller that knows only text and calls loses none of it', async () => {
  const thought = { type: 'thinking', text: 'hm', signature: 'sig==' }
  const parts = await partsOf([
    thought,
    { ...call, id: 'thought-of', thoughtSignature: 'ts==' },
    { type: 'stop', reason: 'tool-use' },
  ])
  const calls = parts.filter(part => part instanceof LanguageModelChatResponseToolCallPart)
  const result = new LanguageModelChatMessageToolResultPart('thought-of', 'a cat')
  const { messages } = await told([
    ...hello,
    LanguageModelChatMessage.Assistant(calls),
    LanguageModelChatMessage.User([result]),
  ])
  expect(messages[1]!.content).toMatchObject([thought, { type: 'tool-use', thoughtSignature: 'ts==' }])
})

const called = [
  ...hello,
  LanguageModelChatMessage.Assistant([new LanguageModelToolCallPart('c1', 'look', { at: 1 })]),
]

test('ToolResultPart: isError and the tool’s name reach the service; false is the default', async () => {
  expect(new LanguageModelChatMessageToolResultPart('c1', 'ok').isError).toBe(false)
  const part = new LanguageModelChatMessageToolResultPart('c1', 'no cat', true)
  const { messages } = await told([...called, LanguageModelChatMessage.User([part])])
  expect(messages[2]!.content).toEqual([
    {
      type: 'tool-result',
      toolUseId: 'c1',
      toolName: 'look',
      isError: true,
      content: [{ type: 'text', text: 'no cat' }],
    },
  ])
})

test('ToolResultPart: several parts of the finished version, an image among them, and isError', async () => {
  const content = [
    new LanguageModelTextPart('a cat'),
    LanguageModelDataPart.image(new Uint8Array([1, 2, 3]), 'image/png'),
  ]
  const part = new LanguageModelToolResultPart('c1', content, true)
  const { messages } = await told([...called, LanguageModelChatMessage.User([part])])
  expect(messages[2]!.content).toMatchObject([
    { isError: true, content: [{ text: 'a cat' }, { type: 'image', source: 'AQID' }] },
  ])
})

test('ToolResultPart: a call without one is answered as cancelled, a result without a call is refused', async () => {
  const { messages } = await told([...called, LanguageModelChatMessage.User('Go on')])
  expect(messages[2]!.content[0]).toMatchObject({ type: 'tool-result', toolUseId: 'c1', isError: true })
  const lost = new LanguageModelChatMessageToolResultPart('c9', 'x')
  const sending = large.sendRequest([LanguageModelChatMessage.User([lost])])
  await expect(sending).rejects.toThrow('answers the call "c9", which no message before it has')
})

test('content2: text as strings beside calls and results, on a message and on a plain object', async () => {
  const one = new LanguageModelChatResponseToolCallPart('look', 'c1', { at: 1 })
  const message = LanguageModelChatMessage.Assistant('')
  message.content2 = ['Let me look', one]
  expect(message.content2).toEqual(['Let me look', one])
  expect(message.content[0]).toBeInstanceOf(LanguageModelTextPart)
  const result = new LanguageModelChatMessageToolResultPart('c1', 'a cat')
  const { messages } = await told([{ role: 1, content2: ['hi'] }, message, { role: 1, content2: [result] }])
  expect(messages).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look' },
        { type: 'tool-use', id: 'c1', name: 'look', input: '{"at":1}' },
      ],
    },
    { role: 'user', content: [{ type: 'tool-result', toolUseId: 'c1' }] },
  ])
})

test('content2: a part that its message cannot hold is refused by its place, never dropped', async () => {
  const one = new LanguageModelChatResponseToolCallPart('look', 'c1', {})
  await expect(large.sendRequest([{ role: 1, content2: ['a', one] }])).rejects.toThrow(
    'messages[0].content[1] is a call, which only an assistant message holds',
  )
  await expect(large.sendRequest([{ role: 1, content2: [{ odd: 1 } as never] }])).rejects.toThrow(
    'messages[0].content[0] is no text and none of the classes of parts',
  )
})

test('roles: system is one, and the name of a user is told to the model', async () => {
  const { messages } = await told([
    LanguageModelChatMessage.System('Be brief.'),
    LanguageModelChatMessage.User('hi', 'Ada'),
  ])
  expect(messages).toMatchObject([
    { role: 'system', content: [{ text: 'Be brief.' }] },
    { role: 'user', content: [{ text: 'Ada:' }, { text: 'hi' }] },
  ])
  await expect(large.sendRequest([{ role: 7, content: 'x' }])).rejects.toThrow('messages[0].role')
})

test('LanguageModelToolResult: a map by content type with a toString of the tool’s own', async () => {
  const lm = await openTools()
  const made = { 'application/json': { cats: 2 }, toString: () => 'two cats' }
  lm.registerTool('count', { modelDescription: 'Counts', invoke: () => made })
  const result = await lm.invokeTool('count', { parameters: {} })
  expect(result['application/json']).toEqual({ cats: 2 })
  expect(`${result}`).toBe('two cats')
})

test('LanguageModelToolResult: content of the finished version, read as text by toString', async () => {
  const lm = await openTools()
  const content = [new LanguageModelTextPart('two'), LanguageModelDataPart.json({ cats: 2 })]
  lm.registerTool('count', {
    modelDescription: 'Counts',
    invoke: () => new LanguageModelToolResult(content),
  })
  const result = await lm.invokeTool('count', { input: {} })
  expect(result.content).toEqual(content)
  expect(String(result)).toBe('two\n{"cats":2}')
})

test('LanguageModelToolResult: of a tool that is not of this interface, by type, with isError', async () => {
  const own = await open()
  onTestFinished(() => own.close())
  own.tools.register('count', {
    description: 'Counts',
    invoke: () => ({ parts: [{ contentType: 'application/json', data: '{"cats":2}' }], isError: true }),
  })
  const result = await createLanguageModelTools(own).invokeTool('count', { parameters: {} })
  expect(result['application/json']).toEqual({ cats: 2 })
  expect(result).toMatchObject({ isError: true })
  expect(String(result)).toBe('{"cats":2}')
})

test('LanguageModelToolResult: a part of no known class is the tool’s mistake, by its place', async () => {
  const lm = await openTools()
  lm.registerTool('odd', { modelDescription: 'd', invoke: () => ({ content: [{ odd: 1 }] }) })
  await expect(lm.invokeTool('odd', {})).rejects.toThrow(/content\[0\]/)
})

test('prompt-tsx: of a rendered prompt the text is read', async () => {
  const rendered = {
    node: {
      type: 1,
      children: [
        { type: 2, text: 'a' },
        { type: 2, text: 'b', lineBreakBefore: true },
      ],
    },
  }
  const part = new LanguageModelPromptTsxPart(rendered)
  const { messages } = await told([
    ...called,
    LanguageModelChatMessage.User([new LanguageModelToolResultPart('c1', [part])]),
  ])
  expect(messages[2]!.content).toMatchObject([{ content: [{ type: 'text', text: 'a\nb' }] }])
})

test('lm.registerTool: what a package.json contributes is what the tool is', async () => {
  const own = await open()
  onTestFinished(() => own.close())
  const contributions = [
    {
      name: 'say',
      displayName: 'Say',
      modelDescription: 'Says it',
      inputSchema: { type: 'object' },
      tags: ['speech'],
      icon: '$(comment)',
    },
  ]
  const lm = createLanguageModelTools(own, { contributions })
  const { modelDescription: _, ...tool } = saying('x')
  lm.registerTool('say', tool)
  expect(lm.tools).toEqual([
    {
      id: 'say',
      name: 'say',
      displayName: 'Say',
      description: 'Says it',
      modelDescription: 'Says it',
      inputSchema: { type: 'object' },
      parametersSchema: { type: 'object' },
      tags: ['speech'],
    },
  ])
})

test('lm.registerTool: what is wrong is thrown to whoever registers: no description, a taken id, a bad id', async () => {
  const lm = await openTools()
  const { modelDescription: _, ...silent } = saying('x')
  expect(() => lm.registerTool('say', silent)).toThrow('nothing says what it does')
  lm.registerTool('say', saying('x'))
  expect(() => lm.registerTool('say', saying('y'))).toThrow('the program has one of that id')
  expect(() => lm.registerTool('my tool', saying('x'))).toThrow('"my tool": its id must be')
})

test('lm.registerTool: contributions without a name, or with one that is taken, are refused', () => {
  const make = (contributions: { name?: string }[]) => createLanguageModelTools(airlock, { contributions })
  expect(() => make([{}])).toThrow('contributions[0] has no name')
  expect(() => make([{ name: 'a' }, { name: 'a' }])).toThrow('contributions[1] has the name "a"')
})

test('Disposable: unregisters, by hand or by using, once', async () => {
  const lm = await openTools()
  const registration = lm.registerTool('say', saying('one'))
  expect(registration).toBeInstanceOf(Disposable)
  registration.dispose()
  expect(lm.tools).toEqual([])
  {
    using _again = lm.registerTool('say', saying('two'))
    // It gave its tool back before: the id is another's now.
    registration.dispose()
    expect(lm.tools.map(({ id }) => id)).toEqual(['say'])
    expect(`${await lm.invokeTool('say', {})}`).toBe('two')
  }
  await expect(lm.invokeTool('say', {})).rejects.toMatchObject({ name: 'UnknownNameError' })
})

test('Disposable: from gives back all of them', () => {
  const [a, b] = [vi.fn(), vi.fn()]
  const all = Disposable.from({ dispose: a }, new Disposable(b))
  all.dispose()
  all.dispose()
  expect([a, b].map(each => each.mock.calls.length)).toEqual([1, 1])
})

test('lm.tools: there at once for one’s own, after ready for all, frozen', async () => {
  const own = await open()
  onTestFinished(() => own.close())
  own.tools.register('theirs', { description: 'Before', invoke: () => '' })
  const lm = createLanguageModelTools(own)
  lm.registerTool('mine', saying('x'))
  expect(lm.tools.map(({ id }) => id)).toContain('mine')
  await lm.ready
  await vi.waitFor(() => expect(lm.tools.map(({ id }) => id).sort()).toEqual(['mine', 'theirs']))
  expect(Object.isFrozen(lm.tools)).toBe(true)
  const [first] = lm.tools
  expect(() => Object.assign(first!, { id: 'other' })).toThrow(TypeError)
})

test('LanguageModelToolDescription: id, displayName, modelDescription, parametersSchema and the later names', async () => {
  const lm = await openTools()
  const parametersSchema = look.parametersSchema!
  lm.registerTool('look', { ...saying('x'), displayName: 'Look', parametersSchema, tags: ['eyes'] })
  lm.registerTool('bare', saying('x'))
  const [first, bare] = lm.tools as [LanguageModelToolDescription, LanguageModelToolDescription]
  expect(first).toMatchObject({
    id: 'look',
    displayName: 'Look',
    modelDescription: 'Says something',
    parametersSchema,
    name: 'look',
    description: 'Says something',
    inputSchema: parametersSchema,
    tags: ['eyes'],
  })
  expect([bare.displayName, bare.parametersSchema]).toEqual([undefined, undefined])
})

test('lm.invokeTool: by id or by its description; a tool that is not there is named with those like it', async () => {
  const lm = await openTools()
  lm.registerTool('say', saying('hello'))
  expect(`${await lm.invokeTool('say', { parameters: {}, toolInvocationToken: undefined })}`).toBe('hello')
  expect(`${await lm.invokeTool(lm.tools[0]!, { input: {} })}`).toBe('hello')
  await expect(lm.invokeTool('sai', {})).rejects.toThrow(/"sai".*say/)
})

test('LanguageModelTool: invoke is given the options and a token, and may be a method of a class', async () => {
  const lm = await openTools()
  class Adder implements LanguageModelTool {
    modelDescription = 'Adds'
    total = 5
    async invoke({ parameters, input }: LanguageModelToolInvocationOptions, token: CancellationToken) {
      expect(input).toBe(parameters)
      expect(token.isCancellationRequested).toBe(false)
      this.total += parameters.n
      return new LanguageModelToolResult([new LanguageModelTextPart(`${this.total}`)])
    }
  }
  lm.registerTool('add', new Adder())
  expect(`${await lm.invokeTool('add', { parameters: { n: 2 } })}`).toBe('7')
})

test('LanguageModelTool: one that throws is a ToolError with its cause', async () => {
  const lm = await openTools()
  const cause = new RangeError('disk full')
  const invoke = () => Promise.reject(cause)
  lm.registerTool('save', { modelDescription: 'Saves', invoke })
  await expect(lm.invokeTool('save', {})).rejects.toMatchObject({
    name: 'ToolError',
    code: 'tool-failed',
    cause,
  })
})

test.each([undefined, null])(
  'undefined result: %s is an error of its own, no cancellation',
  async nothing => {
    const lm = await openTools()
    lm.registerTool('t', { modelDescription: 'd', invoke: () => nothing as never })
    const calling = lm.invokeTool('t', {})
    await expect(calling).rejects.toMatchObject({ code: 'tool-broke-contract', tool: 't' })
    await expect(calling).rejects.not.toBeInstanceOf(CancellationError)
  },
)

test('input validation: what does not fit never reaches the tool, and the caller’s object stays', async () => {
  const lm = await openTools()
  const invoke = vi.fn(() => 'ok')
  lm.registerTool('look', { modelDescription: 'd', parametersSchema: look.parametersSchema!, invoke })
  const parameters = { at: 'one' }
  await expect(lm.invokeTool('look', { parameters })).rejects.toMatchObject({
    name: 'InvalidToolInputError',
    issues: [{ path: 'at', message: expect.any(String) }],
  })
  expect(invoke).not.toHaveBeenCalled()
  expect(parameters).toEqual({ at: 'one' })
})

test('toolInvocationToken: opaque, untouched, and good for a tool that the tool calls', async () => {
  const lm = await openTools()
  const session = Object.freeze({ chat: 7 })
  const seen: unknown[] = []
  lm.registerTool('inner', {
    modelDescription: 'd',
    invoke({ toolInvocationToken }) {
      seen.push(toolInvocationToken)
      return 'in'
    },
  })
  lm.registerTool('outer', {
    modelDescription: 'd',
    async invoke({ toolInvocationToken }, token) {
      seen.push(toolInvocationToken)
      return `out of ${await lm.invokeTool('inner', { toolInvocationToken }, token)}`
    },
  })
  expect(`${await lm.invokeTool('outer', { toolInvocationToken: session })}`).toBe('out of in')
  expect(seen[0]).toBe(session)
  expect(seen[1]).toBe(session)
})

test('tokenOptions: budget and counting, by either name, while the call runs; absent where not given', async () => {
  const lm = await openTools()
  const seen: LanguageModelToolInvocationOptions[] = []
  lm.registerTool('t', {
    modelDescription: 'd',
    async invoke(options) {
      seen.push(options)
      return `${await options.tokenOptions?.countTokens('four')} of ${options.tokenOptions?.tokenBudget}`
    },
  })
  const tokens = { tokenBudget: 100, countTokens: async (text: string) => text.length }
  expect(`${await lm.invokeTool('t', { tokenOptions: tokens })}`).toBe('4 of 100')
  expect(`${await lm.invokeTool('t', { tokenizationOptions: tokens })}`).toBe('4 of 100')
  expect(seen[0]!.tokenizationOptions).toBe(seen[0]!.tokenOptions)
  await expect(seen[0]!.tokenOptions!.countTokens('late')).rejects.toMatchObject({ code: 'tool-call-over' })
  await lm.invokeTool('t', {})
  expect(seen[2]).not.toHaveProperty('tokenOptions')
})

test('prepareInvocation: once before the call, with the checked input; its question is what is asked', async () => {
  const confirmTool = vi.fn(() => 'allow' as const)
  const lm = await openTools({ confirmTool, toolPolicy: () => undefined })
  const prepareInvocation = vi.fn(() => ({
    invocationMessage: 'Deleting',
    confirmationMessages: { title: 'Delete?', message: { value: '**All** of it' } },
  }))
  lm.registerTool('rm', { ...saying('gone'), prepareInvocation })
  expect(`${await lm.invokeTool('rm', { parameters: { n: 1 }, toolInvocationToken: 's' })}`).toBe('gone')
  expect(prepareInvocation).toHaveBeenCalledOnce()
  expect(prepareInvocation).toHaveBeenCalledWith(
    { parameters: { n: 1 }, input: { n: 1 } },
    expect.objectContaining({ isCancellationRequested: false }),
  )
  expect(confirmTool).toHaveBeenCalledWith(
    expect.objectContaining({ id: 'rm', title: 'Delete?', message: '**All** of it', session: 's' }),
  )
})

test('confirmation: denied is a CancellationError that says why, skipped is a result', async () => {
  const ask = async (answer: 'deny' | 'skip') => {
    const lm = await openTools({ confirmTool: () => answer, toolPolicy: () => undefined })
    lm.registerTool('rm', saying('gone'))
    return lm.invokeTool('rm', {})
  }
  const denied = ask('deny')
  await expect(denied).rejects.toBeInstanceOf(CancellationError)
  await expect(denied).rejects.toThrow('the user did not allow it')
  expect(`${await ask('skip')}`).toContain('skipped "rm"')
})

test('confirmation: edited input is what runs; without anybody to ask, the error says what to set', async () => {
  const confirmTool = () => ({ decision: 'allow' as const, parameters: { n: 2 } })
  const lm = await openTools({ confirmTool, toolPolicy: () => undefined })
  lm.registerTool('t', { modelDescription: 'd', invoke: ({ parameters }) => JSON.stringify(parameters) })
  expect(`${await lm.invokeTool('t', { parameters: { n: 1 } })}`).toBe('{"n":2}')
  const alone = await openTools({ toolPolicy: () => undefined })
  alone.registerTool('t', saying('x'))
  await expect(alone.invokeTool('t', {})).rejects.toThrow('confirmTool')
})

test('toolReferences: id and range with the #, the last first, then those that were attached', () => {
  const prompt = 'Use #look and then #say-it.'
  const request: ChatRequest = createChatRequest(prompt, ['look', 'say-it', 'other'], ['other', 'look'])
  expect(request.toolReferences).toEqual([
    { id: 'say-it', name: 'say-it', range: [19, 26] },
    { id: 'look', name: 'look', range: [4, 9] },
    { id: 'other', name: 'other' },
  ])
  const replaced = request.toolReferences.reduce(
    (text, { id, range }: ChatLanguageModelToolReference) =>
      range ? `${text.slice(0, range[0])}<${id}>${text.slice(range[1])}` : text,
    prompt,
  )
  expect(replaced).toBe('Use <look> and then <say-it>.')
})

test('CancellationToken: tells each listener once, late ones too, and none that was disposed of', async () => {
  const source = new CancellationTokenSource()
  const [told, left] = [vi.fn(), vi.fn()]
  source.token.onCancellationRequested(told)
  source.token.onCancellationRequested(left).dispose()
  expect(source.token.isCancellationRequested).toBe(false)
  source.cancel()
  source.cancel()
  expect(source.token.isCancellationRequested).toBe(true)
  expect(told).toHaveBeenCalledOnce()
  expect(left).not.toHaveBeenCalled()
  await new Promise<unknown>(late => source.token.onCancellationRequested(late))
})

test('CancellationToken: of a tool call: the tool is told, and what comes late is thrown away', async () => {
  const lm = await openTools()
  const source = new CancellationTokenSource()
  const told = vi.fn()
  lm.registerTool('wait', {
    modelDescription: 'd',
    invoke: (_, token) =>
      new Promise<string>(resolve => {
        token.onCancellationRequested(() => {
          told()
          resolve('too late')
        })
        source.cancel()
      }),
  })
  await expect(lm.invokeTool('wait', {}, source.token)).rejects.toBeInstanceOf(CancellationError)
  expect(told).toHaveBeenCalledOnce()
})

test('CancellationToken: cancelled before it begins, nothing is sent and no tool runs', async () => {
  const lm = await openTools()
  const source = new CancellationTokenSource()
  source.cancel()
  const invoke = vi.fn(() => '')
  lm.registerTool('t', { modelDescription: 'd', invoke })
  await expect(lm.invokeTool('t', {}, source.token)).rejects.toBeInstanceOf(CancellationError)
  expect(invoke).not.toHaveBeenCalled()
  await expect(large.sendRequest(hello, {}, source.token)).rejects.toBeInstanceOf(CancellationError)
  await expect(large.countTokens('x', source.token)).rejects.toBeInstanceOf(CancellationError)
})

// More than any buffer on the way holds.
const long = [...Array.from({ length: 20_000 }, (_, at) => ({ type: 'text', text: `${at} ` })), stop]

test('cancel mid-stream: the stream fails after what had come, and never looks complete', async () => {
  const source = new CancellationTokenSource()
  const response = await answer(long, undefined, source.token)
  let parts = 0
  const reading = (async () => {
    for await (const _ of response.stream) if (++parts === 1) source.cancel()
  })()
  await expect(reading).rejects.toBeInstanceOf(CancellationError)
  expect(parts).toBeGreaterThan(0)
  expect(parts).toBeLessThan(20_000)
  expect(response.stopReason).toBeUndefined()
})

test('leaving the loop: the answer is cancelled, and has no stop reason', async () => {
  const response = await answer(long)
  for await (const _ of response.stream) break
  await expect(Array.fromAsync(response.stream)).rejects.toThrow()
  expect(response.stopReason).toBeUndefined()
})

test('start failure: rejects the request; stream failure: comes after all that had come', async () => {
  const fail = { kind: 'overloaded', message: 'Try later' }
  await expect(answer([], fail)).rejects.toBeInstanceOf(LanguageModelError)
  const { stream } = await answer([{ type: 'text', text: 'Half' }], fail)
  const got: unknown[] = []
  const reading = (async () => {
    for await (const part of stream) got.push(part)
  })()
  await expect(reading).rejects.toMatchObject({ name: 'LanguageModelError', code: 'overloaded' })
  expect(got).toEqual([new LanguageModelChatResponseTextPart('Half')])
})

test.each([
  ['authentication', 'NoPermissions'],
  ['permission', 'NoPermissions'],
  ['model-not-found', 'NotFound'],
  ['content-filtered', 'Blocked'],
  ['quota-exhausted', 'Blocked'],
  ['rate-limited', 'rate-limited'],
])('LanguageModelError: %s has the code %s', async (kind, code) => {
  const failing = answer([], { kind, message: 'No', retryAfterMs: 120_000 })
  await expect(failing).rejects.toMatchObject({
    name: 'LanguageModelError',
    code,
    cause: { kind, retryAfterMs: 120_000 },
  })
})

test('LanguageModelError: a model whose provider is gone is NotFound, for asking and for counting', async () => {
  const lm = createLanguageModelTools(airlock)
  const [model] = await lm.selectChatModels({ id: 'large' })
  const elsewhere = await open()
  onTestFinished(() => elsewhere.close())
  const gone = { ...elsewhere, models: airlock.models.bind(airlock) }
  const [lost] = await createLanguageModelTools(gone).selectChatModels({ id: model!.id })
  await expect(lost!.sendRequest(hello)).rejects.toMatchObject({ code: 'NotFound' })
  await expect(lost!.countTokens('x')).rejects.toMatchObject({ code: 'NotFound' })
})

test('LanguageModelError: makers of the three codes', () => {
  const codes = (['NotFound', 'NoPermissions', 'Blocked'] as const).map(code => LanguageModelError[code]('x'))
  expect(codes.map(({ code }) => code)).toEqual(['NotFound', 'NoPermissions', 'Blocked'])
})

test('selectChatModels: all that is given must be the same, letter by letter', async () => {
  const { selectChatModels } = createLanguageModelTools(airlock)
  const select = async (selector?: Parameters<typeof selectChatModels>[0]) =>
    (await selectChatModels(selector)).map(({ id }) => id)
  expect(await select()).toEqual(['mirror/large', 'mirror/small', 'mirror/google'])
  expect(await select({ vendor: 'mirror', family: 'mirror' })).toEqual(['mirror/large', 'mirror/small'])
  expect(await select({ family: 'mirror', version: 'small' })).toEqual(['mirror/small'])
  expect(await select({ family: 'other', id: 'mirror/large' })).toEqual([])
  expect(await select({ family: 'Mirror' })).toEqual([])
  expect(await select({ vendor: 'nobody' })).toEqual([])
})

test('LanguageModelChat: id, name, vendor, family, version, limits and capabilities, frozen', async () => {
  const [, small] = await createLanguageModelTools(airlock).selectChatModels()
  expect(large).toMatchObject({
    id: 'mirror/large',
    name: 'Large',
    vendor: 'mirror',
    family: 'mirror',
    version: 'large',
    maxInputTokens: 100_000,
    maxOutputTokens: 4_000,
    capabilities: { imageInput: true, toolCalling: true },
  })
  expect(small!.capabilities).toMatchObject({ imageInput: false, toolCalling: 2 })
  expect(small).not.toHaveProperty('maxOutputTokens')
  expect(Object.isFrozen(large)).toBe(true)
})

test('toolCalling: the most tools of a model holds', async () => {
  const [, small] = await createLanguageModelTools(airlock).selectChatModels()
  const tools = ['a', 'b', 'c'].map(name => ({ ...look, name }))
  await expect(small!.sendRequest(hello, { tools })).rejects.toThrow(
    '3 tools, and mirror/small takes at most 2',
  )
})

test('onDidChangeChatModels: only where the set of ids changes, so that selecting again ends', async () => {
  const own = await open()
  onTestFinished(() => own.close())
  using lm = createLanguageModelTools(own)
  let selecting: Promise<LanguageModelChat[]> | undefined
  const fired = vi.fn(() => {
    selecting = lm.selectChatModels()
  })
  const listening = lm.onDidChangeChatModels(fired)
  await own.load(await mirrorExtension())
  await vi.waitFor(() => expect(fired).toHaveBeenCalledOnce())
  expect(await selecting).toHaveLength(3)
  // It may be other models now, and is not.
  await own.signIn('mirror', { option: 'key', ui: { form: async () => ({ key: 'mk-1' }) } })
  await own.signOut('mirror')
  await own.load(await mirrorExtension())
  await own.models({}, { maxAgeMs: 0 })
  await new Promise(resolve => setImmediate(resolve))
  expect(fired).toHaveBeenCalledOnce()
  listening.dispose()
})

test('countTokens: of a text and of a message, by the provider’s own count', async () => {
  const [text, message, longer] = await Promise.all([
    large.countTokens('hi'),
    large.countTokens(LanguageModelChatMessage.User('hi')),
    large.countTokens(LanguageModelChatMessage.User('hi there, and more')),
  ])
  expect(text).toBe(message)
  expect(longer - message).toBe('hi there, and more'.length - 'hi'.length)
})
