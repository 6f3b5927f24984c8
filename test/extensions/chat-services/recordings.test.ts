import { expect, test } from 'vitest'
import { requestOf } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { framesOf, hasRecording, recordedBody, replay, secondTurn } from '../../guest-sdk/dialects/replay.ts'
import { cutAt, cutPositions, oneByOne } from '../../servers/cuts.ts'
import { offer } from '../openai-compatible/context.ts'
import { chatRequests } from './api-schema.ts'
import { serviceOf } from './services.ts'

/** Recorded answers, worked out by reading them, and the request that a next turn makes of each. */
test.each([
  [
    'mistral',
    'mistral.tool-call.chunks.txt',
    'mistral-small-latest',
    {
      toolUses: [{ id: 'gSIMJiOkT', name: 'weather', input: '{"location": "San Francisco"}' }],
      stopReason: 'tool-use',
    },
  ],
  [
    'mistral',
    'mistral.reasoning.chunks.txt',
    'magistral-medium-2507',
    {
      text: '2 + 2 = 4',
      stopReason: 'end-turn',
      usage: { inputTokens: 10, outputTokens: 46, totalTokens: 56 },
    },
  ],
  [
    'deepseek',
    'deepseek.tool-call.chunks.txt',
    'deepseek-v4-pro',
    {
      toolUses: [
        { id: 'call_00_ioIn7yN9p1ZOMNpDLwd4MgAF', name: 'weather', input: '{"location": "San Francisco"}' },
      ],
      usage: { cacheReadInputTokens: 320, reasoningTokens: 39 },
      stopReason: 'tool-use',
    },
  ],
  [
    'groq',
    'groq.tool-call.chunks.txt',
    'llama-3.3-70b-versatile',
    {
      toolUses: [{ id: 'tk85n1k4m', name: 'weather', input: '{}' }],
      usage: { inputTokens: 210, outputTokens: 15, totalTokens: 225 },
      stopReason: 'tool-use',
    },
  ],
])('%s: %s', (id, file, model, expected, { skip }: { skip?: (why: string) => void } = {}) => {
  if (!hasRecording(file)) return skip?.('the recordings are not beside the repository')
  const { provider } = serviceOf(id)
  const tools = [{ name: 'weather', description: '', inputSchema: { type: 'object' } }]
  const context = offer({ credential: 'k' })
  const read = (pieces: readonly Uint8Array[]) =>
    replay(provider.decode({ request: requestOf([]), model, context }), framesOf(pieces))

  const body = Buffer.concat([recordedBody(file, { named: false }), Buffer.from('data: [DONE]\n\n')])
  const whole = read([body])
  expect(whole.error).toBeUndefined()
  expect(whole.result).toMatchObject(expected)
  for (const at of cutPositions(body.length, body.length > 16_000 ? 500 : body.length + 1)) {
    expect(read(cutAt(body, at)), `cut at ${at}`).toEqual(whole)
  }
  expect(read(oneByOne(body))).toEqual(whole)

  const { body: next } = provider.request(requestOf(secondTurn(whole.result), { tools }), model, context)
  expect(chatRequests[id]?.safeParse(JSON.parse(JSON.stringify(next))).error?.issues).toBeUndefined()
})
