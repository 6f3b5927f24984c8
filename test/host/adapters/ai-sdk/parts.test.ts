import { describe, expect, test } from 'vitest'
import { createAirlockProvider } from '../../../../host/adapters/ai-sdk/index.ts'
import type { CompletionEvent } from '../../../../host/contract/events.ts'
import { answering } from './answering.ts'
import { SETTINGS, type SeenPart } from './sdks.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Every event that there is, and some in an order that no extension of today's gives. */
const EVENTS: readonly CompletionEvent[] = [
  { type: 'started' },
  { type: 'response-metadata', id: 'answer_1', model: 'the-model' },
  { type: 'thinking', text: 'One. ' },
  { type: 'thinking', text: 'Two.', signature: 'c2ln' },
  { type: 'thinking', text: '', signature: 'b25seQ==' },
  { type: 'redacted-thinking', data: 'cmVk' },
  { type: 'reasoning-details', data: '[{"type":"reasoning.encrypted"}]' },
  { type: 'text', text: 'Before. ' },
  { type: 'provider-content', data: '{"type":"server_tool_use"}' },
  { type: 'text', text: 'After.' },
  { type: 'citation', url: 'https://example.com/a', title: 'A', text: 'cited' },
  { type: 'citation', text: 'from a document' },
  { type: 'image', source: PNG },
  { type: 'thinking', text: 'Three.' },
  { type: 'tool-input-delta', id: 'a', name: 'look', delta: '{"id"' },
  { type: 'tool-input-delta', id: 'b', name: 'look', delta: '{}' },
  { type: 'tool-input-delta', id: 'a', name: 'look', delta: ':1}' },
  { type: 'tool-use', id: 'a', name: 'look', input: '{"id":1}', thoughtSignature: 'dGhvdWdodA==' },
  { type: 'tool-use', id: 'b', name: 'look', input: '{}' },
  { type: 'tool-use', id: 'c', name: 'look', input: '{ "id": 2 }' },
  { type: 'tool-use-json-parse-error', id: 'd', name: 'look', rawInput: '{', error: 'cut off' },
  { type: 'usage', inputTokens: 5, outputTokens: 6, cost: { input: 0.1, output: 0.2, total: 0.3 } },
  { type: 'stop', reason: 'tool-use' },
]

const user = (text: string) => ({ role: 'user', content: text })

describe.each(SETTINGS)('$title', ({ sdk, specificationVersion, major }) => {
  const model = (airlock = answering(EVENTS)) =>
    createAirlockProvider(airlock, { specificationVersion })('acme/m')
  const tools = { look: sdk.tool({ inputSchema: sdk.jsonSchema({ type: 'object' }) }) }

  test('every part is one that streamText knows, and the SDK finds nothing wrong', async () => {
    const result = sdk.streamText({ model: model(), messages: [user('Hi.')], onError: () => {} })
    const parts: SeenPart[] = []
    for await (const part of result.fullStream) parts.push(part)
    const errors = parts.filter(({ type }) => type === 'error')
    expect(errors).toEqual([])
    const types = new Set(parts.map(({ type }) => type))
    for (const type of ['reasoning-end', 'text-end', 'source', 'file', 'tool-input-end', 'tool-call'])
      expect(types).toContain(type)
    expect(parts.filter(({ type }) => type === 'finish')).toHaveLength(1)
  })

  test.each(['generateText', 'streamText'] as const)('%s reads all of it', async way => {
    const call = { model: model(), messages: [user('Hi.')], tools, onError: () => {} }
    const step =
      way === 'generateText' ? (await sdk.generateText(call)).steps[0] : (await sdk.streamText(call).steps)[0]
    expect(step?.reasoning.map(({ text }) => text).filter(text => text !== '')).toEqual([
      'One. Two.',
      'Three.',
    ])
    expect(step?.text).toBe('Before. After.')
    expect(step?.files.map(({ mediaType, base64 }) => ({ mediaType, base64 }))).toEqual([
      { mediaType: 'image/png', base64: PNG },
    ])
    expect(step?.sources).toMatchObject([
      { sourceType: 'url', url: 'https://example.com/a', title: 'A' },
      { sourceType: 'document', title: 'from a document' },
    ])
    expect(
      step?.toolCalls.map(({ toolCallId, input, invalid = false }) => [toolCallId, input, invalid]),
    ).toEqual([
      ['a', { id: 1 }, false],
      ['b', {}, false],
      ['c', { id: 2 }, false],
      ['d', '{', true],
    ])
    expect(step?.providerMetadata).toEqual({
      airlock: { stopReason: 'tool-use', cost: { input: 0.1, output: 0.2, total: 0.3 } },
    })
    expect(step?.response).toMatchObject({ id: 'answer_1', modelId: 'the-model' })
  })

  test.each(['generateText', 'streamText'] as const)('what %s keeps of it goes back whole', async way => {
    const call = { model: model(), messages: [user('Hi.')], onError: () => {} }
    const { messages: kept } =
      way === 'generateText' ? (await sdk.generateText(call)).response : await sdk.streamText(call).response
    const results = ['a', 'b', 'c', 'd'].map(toolCallId => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'look',
      output: { type: 'text', value: 'a door' },
    }))
    const said = (kept as { role: string }[]).filter(({ role }) => role === 'assistant')
    const airlock = answering([{ type: 'stop', reason: 'end-turn' }])
    // What an app keeps, it keeps as JSON.
    const messages = JSON.parse(JSON.stringify([user('Hi.'), ...said, { role: 'tool', content: results }]))
    await sdk.generateText({ model: model(airlock), messages })
    expect(airlock.requests[0]?.messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'One. Two.', signature: 'c2ln' },
        { type: 'thinking', text: '', signature: 'b25seQ==' },
        { type: 'redacted-thinking', data: 'cmVk' },
        { type: 'reasoning-details', data: '[{"type":"reasoning.encrypted"}]' },
        { type: 'text', text: 'Before. ' },
        { type: 'provider-content', data: '{"type":"server_tool_use"}' },
        { type: 'text', text: 'After.' },
        { type: 'image', source: PNG, mediaType: 'image/png' },
        { type: 'thinking', text: 'Three.' },
        { type: 'tool-use', id: 'a', name: 'look', input: '{"id":1}', thoughtSignature: 'dGhvdWdodA==' },
        { type: 'tool-use', id: 'b', name: 'look', input: '{}' },
        { type: 'tool-use', id: 'c', name: 'look', input: '{ "id": 2 }' },
        { type: 'tool-use', id: 'd', name: 'look', input: '{}' },
      ],
    })
  })

  test('an image that is a URL is a file where the version has one, else a source', async () => {
    const image: CompletionEvent = { type: 'image', source: 'https://example.com/a.png' }
    const { stream } = await model(answering([image, { type: 'stop', reason: 'end-turn' }])).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
    })
    const parts: { type: string }[] = []
    for await (const part of stream) parts.push(part)
    const url = new URL(image.source)
    expect(parts.slice(1, -1)).toMatchObject(
      specificationVersion === 'v4'
        ? [{ type: 'file', mediaType: 'image/*', data: { type: 'url', url } }]
        : [{ type: 'source', sourceType: 'url', url: image.source }],
    )
  })

  test('an answer of which nothing was reported has usage of nothing', async () => {
    const airlock = () =>
      answering([
        { type: 'text', text: 'Hi.' },
        { type: 'stop', reason: 'end-turn' },
      ])
    const { usage, text } = await sdk.generateText({ model: model(airlock()), messages: [user('Hi.')] })
    expect(text).toBe('Hi.')
    expect([usage.inputTokens, usage.outputTokens]).toEqual([undefined, undefined])
    const streamed = sdk.streamText({ model: model(airlock()), messages: [user('Hi.')] })
    expect((await streamed.usage).inputTokens).toBe(undefined)
  })

  test.each([
    ['end-turn', 'stop'],
    ['stop-sequence', 'stop'],
    ['max-tokens', 'length'],
    ['tool-use', 'tool-calls'],
    ['refusal', 'content-filter'],
    ['content-filter', 'content-filter'],
    ['other', 'other'],
  ] as const)('%s is %s', async (reason, unified) => {
    const airlock = answering([
      { type: 'text', text: 'Hi.' },
      { type: 'stop', reason },
    ])
    const result = await sdk.generateText({ model: model(airlock), messages: [user('Hi.')] })
    expect(result.finishReason).toBe(unified)
    expect(result.providerMetadata).toMatchObject({ airlock: { stopReason: reason } })
    if (major === 7)
      expect(result).toMatchObject({ rawFinishReason: specificationVersion === 'v2' ? undefined : reason })
  })
})
