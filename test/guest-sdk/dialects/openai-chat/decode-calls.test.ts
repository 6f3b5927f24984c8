import { expect, test } from 'vitest'
import { createChatDecoder } from '../../../../guest-sdk/dialects/openai-chat/index.ts'
import type { CompletionEvent } from '../../../../guest-sdk/events.ts'
import { type Answer, delta, readAnswer, stream } from './read-answer.ts'

const DONE = '[DONE]'
const ids = { id: 'c1', model: 'm1' }
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const read = { inputTokens: 5, outputTokens: 3, totalTokens: 8 }
const call = (fields: object) => ({ tool_calls: [fields] })
const weather = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }

const cases: [name: string, chunks: (object | string)[], answer: Answer][] = [
  [
    '[DONE] without a reason ends an answer whose calls are whole',
    [delta(call(weather)), { usage }, DONE],
    { text: '', ...ids, calls: [['a', 'f', '{"x":1}']], usage: read, stop: 'tool-use' },
  ],
  [
    '[DONE] without a reason, a call not whole: nothing is told of it',
    [delta(call({ ...weather, function: { name: 'f', arguments: '{"x"' } })), DONE],
    { text: '', ...ids },
  ],
  ['an end without a reason does not finish a call', [delta(call(weather))], { text: '', ...ids }],
  [
    'B17, C4 length is kept with calls, and the one cut off is none',
    [
      delta(call(weather)),
      delta(call({ index: 1, id: 'b', function: { name: 'g', arguments: '{"text":"once' } }), 'length'),
      DONE,
    ],
    {
      text: '',
      ...ids,
      calls: [['a', 'f', '{"x":1}']],
      broken: [['b', 'g', '{"text":"once', expect.stringContaining('token limit') as string]],
      stop: 'max-tokens',
    },
  ],
  [
    'B17 content_filter inside a call',
    [delta(call({ ...weather, function: { name: 'f', arguments: '{"x"' } }), 'content_filter'), DONE],
    {
      text: '',
      ...ids,
      broken: [['a', 'f', '{"x"', expect.stringContaining('content filter') as string]],
      stop: 'content-filter',
    },
  ],
  [
    'B16 broken arguments',
    [delta(call({ ...weather, function: { name: 'f', arguments: '{"x": once}' } }), 'tool_calls'), DONE],
    { text: '', ...ids, broken: [['a', 'f', '{"x": once}', expect.any(String) as string]], stop: 'tool-use' },
  ],
  [
    'B20 stop with calls',
    [delta(call(weather)), delta({}, 'stop'), DONE],
    { text: '', ...ids, calls: [['a', 'f', '{"x":1}']], stop: 'tool-use' },
  ],
  [
    'J5 large numbers in arguments that are an object',
    [
      '{"id":"c1","model":"m1","choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"id": 12345678901234567890}}}]},"finish_reason":"stop"}]}',
      DONE,
    ],
    { text: '', ...ids, calls: [['a', 'f', '{"id": 12345678901234567890}']], stop: 'tool-use' },
  ],
  [
    'a call in the form before there were several',
    [
      delta({ function_call: { name: 'f', arguments: '{"x"' } }),
      delta({ function_call: { arguments: ':1}' } }, 'function_call'),
    ],
    { text: '', ...ids, calls: [['new-1', 'f', '{"x":1}']], stop: 'tool-use' },
  ],
]

test.each(cases)('createChatDecoder: %s', (_, chunks, answer) => {
  expect(readAnswer(stream(...chunks))).toEqual(answer)
})

test('createChatDecoder: a thought signature stays with its call', () => {
  const signed = { ...weather, extra_content: { google: { thought_signature: 'SIG' } } }
  const decoder = createChatDecoder()
  const events: CompletionEvent[] = []
  for (const frame of stream(delta(call(signed)), delta({}, 'stop')))
    decoder.frame(frame, e => events.push(e))
  decoder.end(event => events.push(event))
  expect(events).toContainEqual({
    type: 'tool-use',
    id: 'a',
    name: 'f',
    input: '{"x":1}',
    thoughtSignature: 'openai-chat:SIG',
  })
})
