import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createAirlockProvider } from '../../../../host/adapters/ai-sdk/index.ts'
import type { CallOptions, PromptMessage } from '../../../../host/adapters/ai-sdk/specification.ts'
import type { CompletionRequest } from '../../../../host/index.ts'
import { answering } from './answering.ts'
import { SETTINGS } from './sdks.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image = { type: 'image', source: PNG, mediaType: 'image/png' }
const pdf = Buffer.from('%PDF-1.7').toString('base64')
const ask = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi.' }] }]

describe.each(SETTINGS)('$title', ({ sdk, specificationVersion, major }) => {
  /** What Airlock is asked where an app asks this of the SDK. */
  async function requestFor(options: Record<string, unknown>) {
    const airlock = answering([
      { type: 'text', text: 'Hello.' },
      { type: 'stop', reason: 'end-turn' },
    ])
    const model = createAirlockProvider(airlock, { specificationVersion })('acme/m')
    const { warnings } = await sdk.generateText({ model, prompt: 'Hi.', ...options })
    return { request: airlock.requests[0] as CompletionRequest, warnings }
  }
  const contentFor = async (content: unknown) => {
    const { request } = await requestFor({ prompt: undefined, messages: [{ role: 'user', content }] })
    return request.messages[0]?.content
  }

  test('settings are those of Airlock’s request', async () => {
    const { request, warnings } = await requestFor({
      system: 'Be brief.',
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      stopSequences: ['END'],
      seed: 7,
      providerOptions: { airlock: { parallelToolCalls: false, user: 'me' }, acme: { x: 1 } },
    })
    expect(request).toEqual({
      model: 'acme/m',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      ],
      maxTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      stopSequences: ['END'],
      seed: 7,
      parallelToolCalls: false,
      providerOptions: { user: 'me' },
    })
    expect(warnings).toEqual([])
  })

  test('what Airlock does not have is left out, with a warning each', async () => {
    const { request, warnings = [] } = await requestFor({
      topK: 5,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      headers: { 'X-Mine': '1' },
    })
    expect(Object.keys(request)).toEqual(['model', 'messages'])
    const named = warnings.map(warning => warning.feature ?? warning.setting)
    expect(named).toEqual(['topK', 'presencePenalty', 'frequencyPenalty', 'headers'])
    const type = specificationVersion === 'v2' && major === 5 ? 'unsupported-setting' : 'unsupported'
    if (specificationVersion !== 'v2') for (const warning of warnings) expect(warning.type).toBe(type)
  })

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'any'],
    [{ type: 'tool', toolName: 'look' }, { tool: 'look' }],
  ])('toolChoice %j', async (toolChoice, expected) => {
    const tools = { look: sdk.tool({ description: 'Looks.', inputSchema: z.object({ id: z.number() }) }) }
    const airlock = answering([
      { type: 'tool-use', id: 'a', name: 'look', input: '{"id":1}' },
      { type: 'stop', reason: 'tool-use' },
    ])
    const model = createAirlockProvider(airlock, { specificationVersion })('acme/m')
    const asked = sdk.generateText({ model, prompt: 'Hi.', tools, toolChoice })
    // Version 7 holds a model that calls to its choice of none.
    await asked.catch(() => {})
    const [request] = airlock.requests
    expect(request?.toolChoice).toEqual(expected)
    expect(request?.tools).toMatchObject([
      { name: 'look', description: 'Looks.', inputSchema: { type: 'object', required: ['id'] } },
    ])
  })

  test('a choice without tools is none', async () => {
    const { request } = await requestFor({ toolChoice: 'required', tools: {} }).catch(() => ({ request: {} }))
    expect(request).not.toHaveProperty('toolChoice')
  })

  describe('files', () => {
    const bytes = new Uint8Array(Buffer.from(PNG, 'base64'))
    const byUrl = new URL(`data:image/png;base64,${PNG}`)
    test.each([
      ['bytes', { type: 'file', data: bytes, mediaType: 'image/png' }],
      ['a slice of other bytes', { type: 'file', data: padded(bytes), mediaType: 'image/png' }],
      ['base64', { type: 'file', data: PNG, mediaType: 'image/png' }],
      ['a data URL', { type: 'file', data: byUrl, mediaType: 'image/png' }],
      ['an image part', { type: 'image', image: bytes }],
      ['an image part of base64', { type: 'image', image: PNG }],
      ['half a media type', { type: 'file', data: bytes, mediaType: 'image/*' }],
    ])('an image as %s', async (_, part) => {
      expect(await contentFor([part])).toEqual([image])
    })

    test('a document has its name', async () => {
      expect(
        await contentFor([{ type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'a.pdf' }]),
      ).toEqual([{ type: 'file', source: pdf, mediaType: 'application/pdf', name: 'a.pdf' }])
    })

    test('a file on the web is fetched by the SDK, since no URL is claimed to be taken', async () => {
      const { createServer } = await import('node:http')
      const server = createServer((_, response) =>
        response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
      )
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      const experimental_download = (asked: { url: URL }[]) =>
        Promise.all(
          asked.map(async ({ url }) => {
            const response = await fetch(`http://127.0.0.1:${port}${url.pathname}`)
            return { data: new Uint8Array(await response.arrayBuffer()), mediaType: 'image/png' }
          }),
        )
      const content = [{ type: 'image', image: new URL('https://example.com/a.png') }]
      const messages = [{ role: 'user', content }]
      const { request } = await requestFor({ prompt: undefined, messages, experimental_download })
      expect(request.messages[0]?.content).toEqual([image])
      server.close()
    })
  })

  test.each([
    ['a text', { type: 'text', value: 'ok' }, { content: 'ok' }],
    ['JSON', { type: 'json', value: { a: [1] } }, { content: '{"a":[1]}' }],
    ['a failure', { type: 'error-text', value: 'no' }, { content: 'no', isError: true }],
    ['a failure as JSON', { type: 'error-json', value: { a: 1 } }, { content: '{"a":1}', isError: true }],
    [
      'old media',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'See.' },
          { type: 'media', data: PNG, mediaType: 'image/png' },
        ],
      },
      { content: [{ type: 'text', text: 'See.' }, image] },
    ],
  ])('the result of a tool as %s', async (_, output, expected) => {
    const messages = [
      { role: 'user', content: 'Hi.' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { id: 1 } }],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', output }] },
    ]
    const { request } = await requestFor({ prompt: undefined, messages })
    expect(request.messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool-use', id: 'a', name: 'look', input: '{"id":1}' }] },
      { role: 'user', content: [{ type: 'tool-result', toolUseId: 'a', toolName: 'look', ...expected }] },
    ])
  })

  test('a message may be a cache anchor, itself or by one of its parts', async () => {
    const providerOptions = { airlock: { cache: true } }
    const { request } = await requestFor({
      prompt: undefined,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Long.', providerOptions }] },
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: 'And?', providerOptions },
      ],
    })
    expect(request.messages.map(({ cache }) => cache)).toEqual([true, undefined, true])
  })
})

describe('what the SDK may hand over in any version', () => {
  const modelOf = (events = answering([{ type: 'stop', reason: 'end-turn' }])) => ({
    airlock: events,
    model: createAirlockProvider(events, { specificationVersion: 'v4' })('acme/m'),
  })
  async function given(options: Partial<CallOptions>) {
    const { airlock, model } = modelOf()
    const { warnings } = await model.doGenerate({ prompt: ask, ...options })
    return { request: airlock.requests[0] as CompletionRequest, warnings }
  }

  test.each([
    ['provider-default', {}],
    ['none', { thinkingAllowed: false, reasoningEffort: 'none' }],
    ['minimal', { reasoningEffort: 'minimal' }],
    ['high', { reasoningEffort: 'high' }],
    ['max', { reasoningEffort: 'max' }],
    ['xhigh', { reasoningEffort: 'max' }],
  ] as const)('reasoning %s', async (reasoning, expected) => {
    const { request, warnings } = await given({ reasoning })
    const { model: _, messages: __, ...rest } = request
    expect(rest).toEqual(expected)
    const compatibility = [{ type: 'compatibility', feature: 'reasoning' }]
    expect(warnings).toMatchObject(reasoning === 'xhigh' ? compatibility : [])
  })

  test('an answer in JSON is held to its schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } }
    const { request } = await given({
      responseFormat: { type: 'json', schema, name: 'a', description: 'An a.' },
    })
    expect(request.responseFormat).toEqual({ name: 'a', schema: { description: 'An a.', ...schema } })
    const any = await given({ responseFormat: { type: 'json' } })
    expect(any.request.responseFormat).toEqual({
      name: 'response',
      schema: { type: 'object' },
      strict: false,
    })
    const text = await given({ responseFormat: { type: 'text' } })
    expect(text.request).not.toHaveProperty('responseFormat')
  })

  test('the SDK’s own user agent is no header that anybody asked for', async () => {
    expect((await given({ headers: { 'user-agent': 'ai/7' } })).warnings).toEqual([])
  })

  test('strict tools and examples are warned of', async () => {
    const tool = { type: 'function' as const, name: 'look', inputSchema: { type: 'object' } }
    const { warnings } = await given({ tools: [{ ...tool, strict: true, inputExamples: [{ input: {} }] }] })
    expect(warnings).toMatchObject([
      { type: 'unsupported', feature: 'strict (tool "look")' },
      { type: 'unsupported', feature: 'inputExamples (tool "look")' },
    ])
  })

  const url = new URL('https://example.com/a')
  const text = Buffer.from('Hello.').toString('base64')
  test.each([
    ['bytes, tagged', { type: 'data', data: Buffer.from(PNG, 'base64') }, 'image', image],
    ['base64, tagged', { type: 'data', data: PNG }, 'image/png', image],
    ['base64', PNG, 'image/*', image],
    [
      'a URL, tagged',
      { type: 'url', url },
      'image/png',
      { type: 'image', source: url.href, mediaType: 'image/png' },
    ],
    ['a URL', url, 'image', { type: 'image', source: url.href }],
    [
      'a URL as it was written',
      { type: 'url', url, originalUrl: 'https://example.com/A' },
      'application/pdf',
      { type: 'file', source: 'https://example.com/A', mediaType: 'application/pdf' },
    ],
    [
      'a data URL of text',
      'data:text/plain,Hello.',
      'text/plain',
      { type: 'file', source: text, mediaType: 'text/plain' },
    ],
    [
      'text',
      { type: 'text', text: 'Hello.' },
      'text/markdown',
      { type: 'file', source: text, mediaType: 'text/markdown' },
    ],
    [
      'text, half a media type',
      { type: 'text', text: 'Hello.' },
      'text',
      { type: 'file', source: text, mediaType: 'text/plain' },
    ],
    [
      'a document, half a media type',
      pdf,
      'application',
      { type: 'file', source: pdf, mediaType: 'application/pdf' },
    ],
  ] as const)('a file as %s', async (_, data, mediaType, expected) => {
    const prompt: PromptMessage[] = [{ role: 'user', content: [{ type: 'file', data, mediaType }] }]
    const { request, warnings } = await given({ prompt })
    expect(request.messages[0]?.content).toEqual([expected])
    expect(warnings).toEqual([])
  })

  test.each([
    ['a reference', { type: 'reference', reference: { acme: 'file_1' } }, 'image/png', 'by reference'],
    ['bytes that nobody knows', Buffer.from('????'), 'image', 'media type "image"'],
    ['data of a later version', { type: 'stream' } as never, 'image/png', '"stream"'],
  ] as const)('a file as %s is refused', async (_, data, mediaType, said) => {
    const { model } = modelOf()
    const answer = model.doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'file', data, mediaType }] }],
    })
    await expect(answer).rejects.toMatchObject({
      name: 'AI_UnsupportedFunctionalityError',
      functionality: expect.stringContaining(said),
    })
  })

  test.each([
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'a' },
    ],
    [{ type: 'image-data', data: PNG, mediaType: 'image/png' }, image],
    [{ type: 'file-data', data: PNG, mediaType: 'image/png' }, image],
    [{ type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image' }, image],
    [
      { type: 'file', data: { type: 'text', text: 'a' }, mediaType: 'text/plain' },
      { type: 'text', text: 'a' },
    ],
    [
      { type: 'file-data', data: text, mediaType: 'text/csv' },
      { type: 'text', text: 'Hello.' },
    ],
    [
      { type: 'image-url', url: url.href },
      { type: 'image', source: url.href },
    ],
    [
      { type: 'file-url', url: `${url.href}.png` },
      { type: 'image', source: `${url.href}.png` },
    ],
  ] as const)('a part of a tool’s result: %j', async (part, expected) => {
    const { request, warnings } = await given({ prompt: [...ask, toolResult([part])] })
    expect(request.messages[1]?.content).toMatchObject([{ content: [expected] }])
    expect(warnings).toEqual([])
  })

  test.each([
    { type: 'file-data', data: pdf, mediaType: 'application/pdf' },
    { type: 'file-url', url: `${url.href}.pdf` },
    { type: 'file-id', fileId: 'file_1' },
    { type: 'image-file-id', fileId: 'file_1' },
    { type: 'custom' },
    { type: 'file', data: { type: 'reference', reference: {} }, mediaType: 'image/png' },
  ] as const)('a part that no model gets to see: %j', async part => {
    const { request, warnings } = await given({ prompt: [...ask, toolResult([part])] })
    expect(request.messages[1]?.content).toMatchObject([
      { content: [{ type: 'text', text: expect.stringContaining('left out') }] },
    ])
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: expect.stringContaining(part.type) }])
  })

  test('a denied call is an error that the model can read', async () => {
    const { request } = await given({
      prompt: [
        ...ask,
        {
          role: 'tool',
          content: [
            { ...call('a'), type: 'tool-result', output: { type: 'execution-denied', reason: 'No.' } },
            { type: 'tool-approval-response', approvalId: 'x' },
          ],
        },
      ],
    })
    expect(request.messages[1]?.content).toEqual([
      { type: 'tool-result', toolUseId: 'a', toolName: 'look', content: 'No.', isError: true },
    ])
  })

  test('what other providers ran or keep is left out, with a warning each', async () => {
    const { request, warnings } = await given({
      prompt: [
        ...ask,
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', ...call('a'), input: {}, providerExecuted: true },
            { type: 'custom', kind: 'acme.thing' },
            { type: 'reasoning-file', mediaType: 'image/png' },
            { type: 'text', text: 'So.' },
          ],
        },
        { role: 'assistant', content: [{ type: 'reasoning', text: '' }] },
      ],
    })
    expect(request.messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
    ])
    expect(warnings).toHaveLength(3)
  })

  test.each([
    ['{"a":1}', '{"a":1}'],
    ['{"a":', '{}'],
    ['5', '{}'],
    [{ a: 1 }, '{"a":1}'],
    [undefined, '{}'],
    [null, '{}'],
  ])('arguments %j go back as %s', async (input, expected) => {
    const content = [{ type: 'tool-call' as const, ...call('a'), input }]
    const { request } = await given({ prompt: [...ask, { role: 'assistant', content }] })
    expect(request.messages[1]?.content).toMatchObject([{ input: expected }])
  })
})

function call(toolCallId: string) {
  return { toolCallId, toolName: 'look' }
}

function toolResult(value: readonly object[]): PromptMessage {
  const output = { type: 'content', value } as { type: 'content'; value: [] }
  return { role: 'tool', content: [{ type: 'tool-result', ...call('a'), output }] }
}

/** The same bytes, in the middle of others. */
function padded(bytes: Uint8Array): Uint8Array {
  const wide = new Uint8Array(bytes.length + 8)
  wide.set(bytes, 4)
  return wide.subarray(4, -4)
}
