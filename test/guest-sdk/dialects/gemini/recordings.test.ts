import { describe, expect, test } from 'vitest'
import { createGeminiDecoder, encodeGeminiRequest } from '../../../../guest-sdk/dialects/gemini/index.ts'
import type { TokenUsage } from '../../../../guest-sdk/events.ts'
import { cutAt, cutPositions, oneByOne } from '../../../servers/cuts.ts'
import { requestOf } from '../openai-chat/request.ts'
import { framesOf, hasRecording, recordedBody, replay, secondTurn } from '../replay.ts'
import { generateContentRequest } from './api-schema.ts'

/** Larger bodies are cut at a sample of the places. */
const LARGE_BODY_BYTES = 16_000
const SAMPLE = 500

interface Expected {
  text: string
  calls?: [id: string, name: string, input: string][]
  /** The signature of the first call, as it begins and ends. */
  callSignature?: [start: string, end: string]
  /** The signature of a text, likewise. */
  textSignature?: [start: string, end: string]
  usage?: TokenUsage
  /** Absent where the body says nothing of an end. */
  stop?: string
  id?: string
  model?: string
}

const recordings: Record<string, Expected> = {
  'gemini.text.0.sse': {
    text: 'The capital of France is Paris.\n',
    usage: { inputTokens: 13, outputTokens: 8, totalTokens: 21 },
    stop: 'end-turn',
    id: 'w1peaMz6INOvnvgPgYfPiQY',
    model: 'gemini-2.0-flash-exp',
  },
  'gemini.iter-stream-tools.0.sse': {
    text: '',
    calls: [['gemini_1', 'get_capital', '{"country":"France"}']],
    usage: { inputTokens: 52, outputTokens: 5, totalTokens: 57 },
    stop: 'tool-use',
    id: '1lpeaMTxIpW1nvgP-O3vwQY',
    model: 'gemini-2.0-flash',
  },
  'gemini.iter-stream-tools.1.sse': {
    text: '',
    calls: [['gemini_1', 'get_temperature', '{"city":"Paris"}']],
    usage: { inputTokens: 64, outputTokens: 5, totalTokens: 69 },
    stop: 'tool-use',
    id: '11peaOXwBPH_2PgPh_z--AY',
    model: 'gemini-2.0-flash',
  },
  'gemini.iter-stream-tools.2.sse': {
    text: 'The temperature in Paris is 30°C.\n',
    usage: { inputTokens: 79, outputTokens: 12, totalTokens: 91 },
    stop: 'end-turn',
    id: '11peaI_ZJLq3nvgP0vasuQk',
    model: 'gemini-2.0-flash',
  },
  'gemini.usage-mid-stream.0.sse': {
    text: Array.from({ length: 30 }, (_, at) => at + 1).join('\n'),
    usage: { inputTokens: 18, outputTokens: 115, reasoningTokens: 35, totalTokens: 133 },
    stop: 'end-turn',
    id: 'ru1garvBEoOiqtsP2fznmQw',
    model: 'gemini-2.5-flash',
  },
  'gemini.reasoning-gemini3.chunks.txt': {
    text: 'There are **3** "r"s in strawberry.\n\nSt**r**awbe**rr**y',
    textSignature: ['EpAICo0IAb4+9vuku3oDHR5E', 'SEP3u0kIsk9vG9i114='],
    usage: { inputTokens: 9, outputTokens: 325, reasoningTokens: 302, totalTokens: 334 },
    stop: 'end-turn',
    id: 'M3iLaY-AI7zTxN8P3Piw4Qg',
    model: 'gemini-3-pro-preview',
  },
  'gemini.tool-call-gemini3-thoughtSignature.chunks.txt': {
    text: '',
    calls: [['gemini_1', 'weather', '{"location":"San Francisco"}']],
    callSignature: ['EpEgCo4gAb4+9vvWwdN+', '8opgKivQw3YcJ1FX'],
    usage: { inputTokens: 29, outputTokens: 819, reasoningTokens: 804, totalTokens: 848 },
    stop: 'tool-use',
    id: 'QHiLaa6LBrb8vdIPoNztsAg',
    model: 'gemini-3-pro-preview',
  },
  // G3: nothing but thoughts before the limit.
  'gemini.max-tokens-empty.0.json': {
    text: '',
    usage: { inputTokens: 15, outputTokens: 2, reasoningTokens: 2, totalTokens: 17 },
    stop: 'max-tokens',
    id: 'fH8oaunbEbr9qtsPjYGX4A0',
    model: 'gemini-2.5-pro',
  },
  // The exchange of a token: no answer, so nothing that could pass for one.
  'gemini.prompt-blocked.0.json': { text: '' },
  'gemini.prompt-blocked.1.json': {
    text: '',
    stop: 'content-filter',
    id: 'mSEXaseKG-P51PIPwv66qQs',
    model: 'gemini-2.5-flash',
  },
}

function read(pieces: readonly Uint8Array[]) {
  let made = 0
  return replay(createGeminiDecoder({ newToolCallId: () => `gemini_${++made}` }), framesOf(pieces))
}

describe.each(Object.entries(recordings))('%s', (file, expected) => {
  test('createGeminiDecoder: reads what the recording says', ({ skip }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const { result, error, stopped } = read([recordedBody(file, { named: false })])
    expect(error).toBeUndefined()
    expect(stopped).toBe(expected.stop !== undefined)
    expect(result.text).toBe(expected.text)
    expect(result.toolUses.map(({ id, name, input }) => [id, name, input])).toEqual(expected.calls ?? [])
    expect(result.usage).toEqual(expected.usage)
    if (stopped) expect(result.stopReason).toBe(expected.stop)
    expect([result.id, result.model]).toEqual([expected.id, expected.model])
    const [start, end] = expected.callSignature ?? ['', '']
    const onCall = result.toolUses[0]?.thoughtSignature
    expect(onCall !== undefined).toBe(expected.callSignature !== undefined)
    expect(onCall?.startsWith(start) && onCall.endsWith(end)).not.toBe(false)
    const details = result.parts.filter(part => part.type === 'reasoning-details')
    expect(details.length).toBe(expected.textSignature ? 1 : 0)
  })

  test('createGeminiDecoder: says the same wherever the bytes are cut (A2, A8)', ({ skip }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const body = recordedBody(file, { named: false })
    const whole = read([body])
    const positions = cutPositions(body.length, body.length > LARGE_BODY_BYTES ? SAMPLE : body.length + 1)
    for (const at of positions) expect(read(cutAt(body, at)), `cut at ${at}`).toEqual(whole)
    expect(read(oneByOne(body)), 'one byte at a time').toEqual(whole)
  })

  test('encodeGeminiRequest: the second turn is one that the API takes, signatures on their own parts (G1)', ({
    skip,
  }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const { result } = read([recordedBody(file, { named: false })])
    const body = JSON.parse(encodeGeminiRequest(requestOf(secondTurn(result)))) as {
      contents: { parts: { text?: string; functionCall?: object; thoughtSignature?: string }[] }[]
    }
    expect(generateContentRequest.safeParse(body).error?.issues).toBeUndefined()
    const signed = body.contents.flatMap(content => content.parts).filter(part => part.thoughtSignature)
    const signature = expected.callSignature ?? expected.textSignature
    expect(signed.length).toBe(signature ? 1 : 0)
    const [part] = signed
    if (!signature || !part) return
    expect(part.functionCall !== undefined).toBe(expected.callSignature !== undefined)
    // It came on an empty text, and goes back on one.
    if (expected.textSignature) expect(part.text).toBe('')
    expect(part.thoughtSignature?.startsWith(signature[0])).toBe(true)
    expect(part.thoughtSignature?.endsWith(signature[1])).toBe(true)
    expect(recordedBody(file, { named: false }).toString()).toContain(JSON.stringify(part.thoughtSignature))
  })
})
