import { describe, expect, test } from 'vitest'
import {
  createGeminiDecoder,
  encodeGeminiRequest,
  geminiToolNames,
  readRejection,
} from '../../../../guest-sdk/dialects/gemini/index.ts'
import { createHttpResponse } from '../../../../guest-sdk/http-response.ts'
import { requestOf } from '../openai-chat/request.ts'
import { events, framesOf, replay, secondTurn } from '../replay.ts'
import { generateContentRequest } from './api-schema.ts'

const chunk = (parts: object[] | undefined, finishReason?: string, more: object = {}) => ({
  candidates: [
    { ...(parts && { content: { role: 'model', parts } }), ...(finishReason && { finishReason }) },
  ],
  ...more,
})
const read = (...chunks: (object | string)[]) => {
  let made = 0
  return replay(createGeminiDecoder({ newToolCallId: () => `gemini_${++made}` }), events(...chunks))
}
const readBody = (body: string) => replay(createGeminiDecoder(), framesOf([Buffer.from(body)]))

test.each([
  ['STOP', 'end-turn'],
  ['MAX_TOKENS', 'max-tokens'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['NO_IMAGE', 'other'],
  ['OTHER', 'other'],
  ['UNHEARD_OF', 'other'],
])('createGeminiDecoder: finishReason %s is %s (G5, C4)', (reason, expected) => {
  const { result, stopped } = read(chunk([{ text: 'Hi' }]), chunk(undefined, reason))
  expect([stopped, result.text, result.stopReason]).toEqual([true, 'Hi', expected])
})

test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
  'createGeminiDecoder: %s is a failure, never an empty success',
  reason => {
    const { error, stopped } = read(chunk(undefined, reason))
    expect([error?.code, stopped]).toEqual([reason, false])
  },
)

describe('createGeminiDecoder: answers with nothing in them', () => {
  test('a last chunk without content keeps its reason (G3)', () => {
    const { result } = read({ candidates: [{ finishReason: 'MAX_TOKENS', index: 0 }] })
    expect([result.text, result.stopReason]).toEqual(['', 'max-tokens'])
  })
  test('a blocked prompt is a filter, and the reason is logged (G5)', () => {
    const warnings: string[] = []
    const log = { warn: (message: string) => void warnings.push(message), debug() {} }
    const feedback = { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'No.' }
    const { result } = replay(createGeminiDecoder({ log }), events({ promptFeedback: feedback }))
    expect(result.stopReason).toBe('content-filter')
    expect(warnings).toEqual(['The prompt was blocked with "PROHIBITED_CONTENT": No.'])
  })
  test('a body that ends with nothing to say why has no stop (A21)', () => {
    expect(read(chunk([{ text: 'Half' }])).stopped).toBe(false)
  })
})

describe('createGeminiDecoder: calls', () => {
  test('no args are {}, STOP with calls is tool-use (G2, B20)', () => {
    const { result } = read(chunk([{ functionCall: { name: 'look' } }], 'STOP'))
    expect(result.toolUses).toEqual([{ id: 'gemini_1', name: 'look', input: '{}' }])
    expect(result.stopReason).toBe('tool-use')
  })
  test('ids: the model’s own where it gave one, unique in any case (G9)', () => {
    const calls = ['a', 'a', undefined].map(id => ({ functionCall: { id, name: 'look', args: {} } }))
    expect(read(chunk(calls, 'STOP')).result.toolUses.map(({ id }) => id)).toEqual([
      'a',
      'gemini_1',
      'gemini_2',
    ])
  })
  test('large numbers keep their digits, here and on the way back (J5)', () => {
    const data =
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id": 12345678901234567890}}}]},"finishReason":"STOP"}]}'
    const { result } = read(data)
    expect(result.toolUses[0]?.input).toBe('{"id": 12345678901234567890}')
    expect(encodeGeminiRequest(requestOf(secondTurn(result)))).toContain(
      '"args":{"id": 12345678901234567890}',
    )
  })
  test('only the first of parallel calls is signed, and it stays so (G8)', () => {
    const { result } = read(
      chunk(
        [
          { functionCall: { name: 'f', args: {} }, thoughtSignature: 'sig' },
          { functionCall: { name: 'g', args: {} } },
        ],
        'STOP',
      ),
    )
    expect(result.toolUses.map(call => call.thoughtSignature)).toEqual(['sig', undefined])
    const body = JSON.parse(
      encodeGeminiRequest(requestOf(secondTurn(result)), { rules: { signedCalls: true } }),
    ) as {
      contents: { parts: object[] }[]
    }
    expect(body.contents[1]?.parts).toEqual([
      { functionCall: { name: 'f', args: {} }, thoughtSignature: 'sig' },
      { functionCall: { name: 'g', args: {} } },
    ])
    expect(generateContentRequest.safeParse(body).success).toBe(true)
  })
  test('names come back as the request has them', () => {
    const toolNames = geminiToolNames({ tools: [{ name: '1 look', description: '', inputSchema: {} }] })
    const chunks = events(chunk([{ functionCall: { name: '_1_look' } }], 'STOP'))
    expect(replay(createGeminiDecoder({ toolNames }), chunks).result.toolUses[0]?.name).toBe('1 look')
  })
})

describe('createGeminiDecoder: signatures and parts that are not ours to read', () => {
  const back = (...chunks: object[]) => {
    const { result } = read(...chunks)
    const body = JSON.parse(encodeGeminiRequest(requestOf(secondTurn(result)))) as {
      contents: { parts: object[] }[]
    }
    expect(generateContentRequest.safeParse(body).error?.issues).toBeUndefined()
    return body.contents[1]?.parts
  }
  test('a signed text is a part of its own again, of exactly the text that came with it', () => {
    expect(
      back(chunk([{ text: 'plain ' }]), chunk([{ text: 'signed', thoughtSignature: 's' }], 'STOP')),
    ).toEqual([{ text: 'plain ' }, { text: 'signed', thoughtSignature: 's' }])
  })
  test('a signature in a part of its own', () => {
    expect(back(chunk([{ text: 'Hi' }]), chunk([{ thoughtSignature: 's' }], 'STOP'))).toEqual([
      { text: 'Hi' },
      { text: '', thoughtSignature: 's' },
    ])
    const call = { functionCall: { name: 'f', args: {} } }
    expect(back(chunk([call, { text: '', thoughtSignature: 's' }], 'STOP'))).toEqual([
      call,
      { text: '', thoughtSignature: 's' },
    ])
  })
  test('thoughts are told, and go back only with their signature', () => {
    const { result } = read(chunk([{ text: 'Hm', thought: true }, { text: 'Hi' }], 'STOP'))
    expect(result.parts).toEqual([
      { type: 'thinking', text: 'Hm' },
      { type: 'text', text: 'Hi' },
    ])
    expect(back(chunk([{ text: 'Hm', thought: true }, { text: 'Hi' }], 'STOP'))).toEqual([{ text: 'Hi' }])
    const signed = { text: 'Hm', thought: true, thoughtSignature: 's' }
    expect(back(chunk([signed, { text: 'Hi' }], 'STOP'))).toEqual([signed, { text: 'Hi' }])
  })
  test('code that the service ran is passed on and goes back unchanged', () => {
    const parts = [
      { executableCode: { language: 'PYTHON', code: 'print(1)' }, thoughtSignature: 's' },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { text: 'One.' },
    ]
    const { result } = read(chunk(parts, 'STOP'))
    expect(result.toolUses).toEqual([])
    expect(back(chunk(parts, 'STOP'))).toEqual(parts)
  })
  test('images are told, and go back with their signature', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' }, thoughtSignature: 's' }
    const { events } = read(chunk([image], 'STOP'))
    expect(events).toContainEqual({ type: 'image', source: 'iVBORw0KGgo=', mediaType: 'image/png' })
    expect(back(chunk([image], 'STOP'))).toEqual([image])
  })
})

test('createGeminiDecoder: counts of the last chunk count, thoughts are part of the output (C14)', () => {
  const counts = {
    promptTokenCount: 5,
    cachedContentTokenCount: 2,
    toolUsePromptTokenCount: 3,
    totalTokenCount: 20,
  }
  const { result } = read(
    chunk([{ text: 'a' }], undefined, { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1 } }),
    chunk([{ text: 'b' }], 'STOP', {
      usageMetadata: { ...counts, candidatesTokenCount: 4, thoughtsTokenCount: 6 },
    }),
  )
  expect(result.usage).toEqual({
    inputTokens: 8,
    outputTokens: 10,
    cacheReadInputTokens: 2,
    reasoningTokens: 6,
    totalTokens: 20,
  })
})

test('createGeminiDecoder: sources are told once', () => {
  const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }] }
  const grounded = (text: string, finishReason?: string) => ({
    candidates: [{ content: { parts: [{ text }] }, groundingMetadata, finishReason }],
  })
  expect(read(grounded('x'), grounded('y', 'STOP')).result.citations).toEqual([
    { url: 'https://a.example', title: 'A' },
  ])
})

describe('createGeminiDecoder: errors', () => {
  const unavailable = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
  test('an error object in the stream (D3)', () => {
    const { error, result } = read(chunk([{ text: 'Half' }]), unavailable)
    expect([error?.kind, error?.code, error?.status, result.text]).toEqual([
      'overloaded',
      'UNAVAILABLE',
      503,
      'Half',
    ])
  })
  test('an error as the whole body, also in a list (A22)', () => {
    expect(readBody(JSON.stringify(unavailable)).error?.kind).toBe('overloaded')
    expect(readBody(JSON.stringify([unavailable], null, 2)).error?.kind).toBe('overloaded')
  })
  test.each<[string, object, object]>([
    [
      'a key that is not valid',
      {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'API key not valid.',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
      { kind: 'authentication', code: 'API_KEY_INVALID' },
    ],
    [
      'a limit a minute, with the wait (E1)',
      {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota.',
        details: [
          { violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }] },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' },
        ],
      },
      { kind: 'rate-limited', retryAfterMs: 37_000 },
    ],
    [
      'a limit a day (D12)',
      {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota.',
        details: [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] }],
      },
      { kind: 'quota-exhausted' },
    ],
    [
      'a prompt that is too long',
      {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).',
      },
      { kind: 'context-length-exceeded' },
    ],
    [
      'a model that is not there',
      { code: 404, status: 'NOT_FOUND', message: 'models/x is not found for API version v1beta' },
      { kind: 'model-not-found' },
    ],
  ])('readRejection: %s', (_, error, expected) => {
    const { code } = error as { code: number }
    expect(
      readRejection(createHttpResponse({ status: code, body: JSON.stringify({ error }) })),
    ).toMatchObject(expected)
  })
})

test('createGeminiDecoder: a list of chunks, as without alt=sse, reads as a stream does (A24)', () => {
  const chunks = [chunk([{ text: 'a},{' }]), chunk([{ text: 'b' }], 'STOP')]
  const body = `[${chunks.map(each => JSON.stringify(each)).join('\r\n,\r\n')}]`
  const { result, stopped } = readBody(body)
  expect([result.text, stopped]).toEqual(['a},{b', true])
})
