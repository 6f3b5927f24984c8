import { describe, expect, test } from 'vitest'
import {
  createResponsesDecoder,
  encodeResponsesRequest,
} from '../../../../guest-sdk/dialects/openai-responses/index.ts'
import { cutAt, cutPositions, oneByOne } from '../../../servers/cuts.ts'
import { requestOf } from '../openai-chat/request.ts'
import { framesOf, hasRecording, recordedBody, replay, secondTurn } from '../replay.ts'
import { responsesRequest } from './api-schema.ts'

/** Larger bodies are cut at a sample of the places. */
const LARGE_BODY_BYTES = 16_000
const SAMPLE = 500

interface Expected {
  text: string
  thinking?: string
  calls?: [id: string, name: string, input: string][]
  /** Types of the parts, in order. */
  parts: string[]
  usage: Record<string, number>
  stop: string
  id: string
  model: string
}

const recordings: Record<string, Expected> = {
  'openai-responses.stream-tools.0.sse': {
    text: '',
    calls: [['call_kL0PCQV7M2WMoVX8V8OtYSAL', 'get_capital', '{"country":"France"}']],
    parts: ['tool-use'],
    usage: {
      inputTokens: 255,
      outputTokens: 16,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 271,
    },
    stop: 'tool-use',
    id: 'resp_67e554a155508191900ee113293c4c830794405d35281ae2',
    model: 'gpt-4o-2024-08-06',
  },
  'openai-responses.stream-tools.1.sse': {
    text: 'The capital of France is Paris.',
    parts: ['text'],
    usage: {
      inputTokens: 278,
      outputTokens: 9,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 287,
    },
    stop: 'end-turn',
    id: 'resp_67e554a21aa88191b65876ac5e5bbe0406c52f0e511c76ed',
    model: 'gpt-4o-2024-08-06',
  },
  'openai-responses.llm-tool-use.0.sse': {
    text: '',
    calls: [['call_sVidsfFJ6zlzRpelrPkTPlpd', 'multiply', '{"a":1231,"b":2331}']],
    parts: ['tool-use'],
    usage: {
      inputTokens: 58,
      outputTokens: 23,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 81,
    },
    stop: 'tool-use',
    id: 'resp_00d64fa806f333310169fab1be69d081a08f8285661855594c',
    model: 'gpt-5.5-2026-04-23',
  },
  // Two messages, of which the recording keeps the first pieces and then the whole.
  'openai-responses.phase.chunks.txt': {
    text: expect.stringMatching(
      /^Got it \u2014 I\u2019ll quickly check [\s\S]+ items with links\.Here are a few \*\*AI headlines [\s\S]+ morning brief with timestamps\.$/,
    ) as unknown as string,
    parts: ['text', 'reasoning-details', 'text', 'reasoning-details'],
    usage: {
      inputTokens: 7112,
      outputTokens: 463,
      cacheReadInputTokens: 3072,
      reasoningTokens: 64,
      totalTokens: 7575,
    },
    stop: 'end-turn',
    id: 'resp_0a63f40a2632b74300699f8818e5648196a8fa657ae8091421',
    model: 'gpt-5.3-codex',
  },
  'deepseek-responses.function-tool.0.sse': {
    text: '',
    thinking: "The user asks about temperature in Tokyo. I'll call the tool.",
    calls: [['call_00_xjY8Z2BvSlzgEmmw0DtH0464', 'get_temperature', '{"city": "Tokyo"}']],
    parts: ['thinking', 'reasoning-details', 'tool-use'],
    usage: {
      inputTokens: 366,
      outputTokens: 59,
      cacheReadInputTokens: 256,
      reasoningTokens: 14,
      totalTokens: 425,
    },
    stop: 'tool-use',
    id: '1235b7ba-fdc9-4a1c-bfe4-6137c207baf3',
    model: 'deepseek-v4-flash',
  },
  'deepseek-responses.function-tool.1.sse': {
    text: 'The current temperature in Tokyo is **21.0\u00b0C**.',
    parts: ['text', 'reasoning-details'],
    usage: {
      inputTokens: 440,
      outputTokens: 14,
      cacheReadInputTokens: 384,
      reasoningTokens: 0,
      totalTokens: 454,
    },
    stop: 'end-turn',
    id: '33df88f0-9f36-4616-95b0-ead91a37f7f1',
    model: 'deepseek-v4-flash',
  },
}

const FAILED = 'openai-responses.error.chunks.txt'
const origin = { service: 'recorded', model: 'm' }
const read = (pieces: readonly Uint8Array[]) => replay(createResponsesDecoder(origin), framesOf(pieces))

function expectSameAtEveryCut(body: Buffer): void {
  const whole = read([body])
  const positions = cutPositions(body.length, body.length > LARGE_BODY_BYTES ? SAMPLE : body.length + 1)
  for (const at of positions) expect(read(cutAt(body, at)), `cut at ${at}`).toEqual(whole)
  expect(read(oneByOne(body)), 'one byte at a time').toEqual(whole)
}

describe.each(Object.entries(recordings))('%s', (file, expected) => {
  test('createResponsesDecoder: reads what the recording says', ({ skip }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const { result, events, error, stopped } = read([recordedBody(file, { named: true })])
    expect(error).toBeUndefined()
    expect(stopped).toBe(true)
    expect(result.text).toEqual(expected.text)
    expect(result.parts.map(part => part.type)).toEqual(expected.parts)
    expect(result.toolUses.map(({ id, name, input }) => [id, name, input])).toEqual(expected.calls ?? [])
    expect(result.brokenToolUses).toEqual([])
    expect(result.usage).toEqual(expected.usage)
    expect([result.stopReason, result.id, result.model]).toEqual([expected.stop, expected.id, expected.model])
    expect(result.parts.find(part => part.type === 'thinking')?.text).toBe(expected.thinking)
    const deltas = events.flatMap(event => (event.type === 'tool-input-delta' ? [event.delta] : []))
    expect(deltas.join('')).toBe((expected.calls ?? []).map(([, , input]) => input).join(''))
  })

  test('createResponsesDecoder: says the same wherever the bytes are cut (A2)', ({ skip }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    expectSameAtEveryCut(recordedBody(file, { named: true }))
  })

  test('encodeResponsesRequest: the second turn is one that the API takes, opaque items byte for byte', ({
    skip,
  }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const recorded = recordedBody(file, { named: true })
    const { result } = read([recorded])
    const body = encodeResponsesRequest(requestOf(secondTurn(result)), 'm', { service: 'recorded' })
    expect(responsesRequest.safeParse(JSON.parse(body)).error?.issues).toBeUndefined()
    for (const part of result.parts) {
      if (part.type !== 'reasoning-details' || !part.data.includes('"item":')) continue
      const item = /"item":(.*)}$/s.exec(part.data)?.[1] ?? ''
      expect(recorded.toString()).toContain(item)
      expect(body).toContain(item)
    }
    if (file.includes('.phase.')) expect(body).toMatch(/"phase":"commentary".*"phase":"final_answer"/s)
  })
})

describe(FAILED, () => {
  test('createResponsesDecoder: an error under HTTP 200 is one, with code and status (D5, D12)', ({
    skip,
  }) => {
    if (!hasRecording(FAILED)) skip('the recordings are not beside the repository')
    const { events, error, stopped } = read([recordedBody(FAILED, { named: true })])
    expect(events.map(({ type }) => type)).toEqual(['response-metadata'])
    expect(stopped).toBe(false)
    expect(error).toMatchObject({
      kind: 'quota-exhausted',
      code: 'insufficient_quota',
      status: 429,
      message: expect.stringMatching(/^You exceeded your current quota/),
    })
  })
  test('createResponsesDecoder: says the same wherever the bytes are cut (A2)', ({ skip }) => {
    if (!hasRecording(FAILED)) skip('the recordings are not beside the repository')
    expectSameAtEveryCut(recordedBody(FAILED, { named: true }))
  })
})
