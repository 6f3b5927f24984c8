import { expect, test } from 'vitest'
import { createEventWriter } from '../../../../guest-sdk/component/event-writer.ts'
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
    'text',
    [delta({ role: 'assistant', content: 'Hel' }), delta({ content: 'lo' }), delta({}, 'stop'), DONE],
    { text: 'Hello', ...ids, stop: 'end-turn' },
  ],
  ['A20 no [DONE]', [delta({ content: 'Hello' }, 'stop')], { text: 'Hello', ...ids, stop: 'end-turn' }],
  [
    'A11 [DONE] with blanks, and what follows it',
    [delta({ content: 'Hello' }, 'stop'), ' [DONE] ', delta({ content: 'more' })],
    { text: 'Hello', ...ids, stop: 'end-turn' },
  ],
  [
    'A13, A16 heartbeats and comments made data',
    ['', '  ', ': OPENROUTER PROCESSING', 'null', delta({ content: 'Hello' }, 'stop'), DONE],
    { text: 'Hello', ...ids, stop: 'end-turn' },
  ],
  ['A21 an end without a reason is no stop', [delta({ content: 'And then' })], { text: 'And then', ...ids }],
  [
    '[DONE] without a reason is none either, with text alone',
    [delta({ content: 'And then' }), DONE],
    { text: 'And then', ...ids },
  ],
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
    'B24 a blank role',
    [delta({ role: '', content: 'Hi' }, 'stop'), DONE],
    { text: 'Hi', ...ids, stop: 'end-turn' },
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
  [
    'C1 a blank finish_reason is none',
    [
      { choices: [{ delta: { content: 'Hi' }, finish_reason: '' }] },
      { choices: [{ delta: { content: '!' }, finish_reason: '' }] },
      DONE,
    ],
    { text: 'Hi!' },
  ],
  [
    'C5 usage with an empty list of choices, and with none',
    [delta({ content: 'Hi' }, 'stop'), { choices: [], usage: { prompt_tokens: 5 } }, { usage }, DONE],
    { text: 'Hi', ...ids, usage: read, stop: 'end-turn' },
  ],
  [
    'C8 usage in the choice',
    [{ ...ids, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', usage }] }, DONE],
    { text: 'Hi', ...ids, usage: read, stop: 'end-turn' },
  ],
  [
    'C14 usage in every chunk: the last, by field, never a sum',
    [
      {
        ...delta({ content: 'H' }),
        usage: { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 2 } },
      },
      { ...delta({ content: 'i' }), usage: { completion_tokens: 2, total_tokens: 7 } },
      { ...delta({}, 'stop'), usage: { prompt_tokens: -1, completion_tokens: 3, total_tokens: null } },
      DONE,
    ],
    {
      text: 'Hi',
      ...ids,
      usage: { inputTokens: 5, outputTokens: 3, totalTokens: 7, cacheReadInputTokens: 2 },
      stop: 'end-turn',
    },
  ],
  [
    'usage of cache and reasoning',
    [
      delta({ content: 'Hi' }, 'stop'),
      {
        choices: [],
        usage: {
          ...usage,
          prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
          completion_tokens_details: { reasoning_tokens: 4 },
        },
      },
    ],
    {
      text: 'Hi',
      ...ids,
      usage: { ...read, cacheReadInputTokens: 1, cacheCreationInputTokens: 2, reasoningTokens: 4 },
      stop: 'end-turn',
    },
  ],
  [
    'I2 reasoning and reasoning_content alike: one of them',
    [
      delta({ reasoning: 'Hm', reasoning_content: 'Hm' }),
      delta({ reasoning: null, reasoning_content: '...' }),
      delta({ content: 'Hi' }, 'stop'),
    ],
    { text: 'Hi', thinking: 'Hm...', ...ids, stop: 'end-turn' },
  ],
  [
    'reasoning_details: shown as text, and kept as whole blocks',
    [
      delta({
        reasoning: 'Let',
        reasoning_details: [{ type: 'reasoning.text', text: 'Let', format: 'x', index: 0 }],
      }),
      delta({ reasoning_details: [{ type: 'reasoning.text', text: ' me', index: 0 }] }),
      delta({ reasoning_details: [{ type: 'reasoning.text', signature: 'SIG', index: 0 }] }),
      delta({
        reasoning_details: [
          { type: 'reasoning.encrypted', data: 'AAA', index: 1 },
          { type: 'reasoning.encrypted', data: 'BBB', index: 1 },
        ],
      }),
      delta({ content: 'Hi', reasoning_details: [{ type: 'reasoning.text', text: '!', index: 2 }] }, 'stop'),
      DONE,
    ],
    {
      text: 'Hi',
      thinking: 'Let me!',
      details: [
        [
          { type: 'reasoning.text', text: 'Let me', format: 'x', index: 0, signature: 'SIG' },
          { type: 'reasoning.encrypted', data: 'AAA', index: 1 },
          { type: 'reasoning.encrypted', data: 'BBB', index: 1 },
          { type: 'reasoning.text', text: '!', index: 2 },
        ],
      ],
      ...ids,
      stop: 'end-turn',
    },
  ],
  [
    'content as parts',
    [
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      delta(
        {
          content: [
            { type: 'text', text: 'H' },
            { type: 'text', text: 'i' },
            { type: 'reference', reference_ids: [1] },
          ],
        },
        'stop',
      ),
    ],
    { text: 'Hi', thinking: 'Hm', ...ids, stop: 'end-turn' },
  ],
  [
    'a refusal',
    [delta({ content: '', refusal: 'I cannot' }), delta({ refusal: ' do that.' }), delta({}, 'stop'), DONE],
    { text: 'I cannot do that.', ...ids, stop: 'refusal' },
  ],
  [
    'annotations',
    [
      delta({
        content: 'Hi',
        annotations: [
          { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', content: 'a' } },
        ],
      }),
      delta(
        {
          annotations: [
            { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', content: 'a' } },
          ],
        },
        'stop',
      ),
    ],
    { text: 'Hi', citations: ['https://a.example'], ...ids, stop: 'end-turn' },
  ],
  [
    'sources beside the choices, the same with every chunk',
    [
      { ...delta({ content: 'H' }), citations: ['https://a.example', 'https://b.example'] },
      { ...delta({ content: 'i' }, 'stop'), citations: ['https://a.example', 'https://b.example'] },
    ],
    { text: 'Hi', citations: ['https://a.example', 'https://b.example'], ...ids, stop: 'end-turn' },
  ],
  [
    'images',
    [
      delta({
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,/9j/4AAQSkZJRg==' } }],
      }),
      delta({ images: [{ type: 'image_url', image_url: { url: 'https://a.example/x.png' } }] }, 'stop'),
    ],
    {
      text: '',
      images: [
        { source: '/9j/4AAQSkZJRg==', mediaType: 'image/jpeg' },
        { source: 'https://a.example/x.png' },
      ],
      ...ids,
      stop: 'end-turn',
    },
  ],
  [
    'several choices: the one of index 0, wherever it stands',
    [
      {
        ...ids,
        choices: [
          { index: 1, delta: { content: 'no' } },
          { index: 0, delta: { content: 'yes' } },
        ],
      },
      { ...ids, choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
      { ...ids, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ],
    { text: 'yes', ...ids, stop: 'end-turn' },
  ],
  [
    'metadata from the first chunk that has any',
    [{ id: '', model: '', choices: [] }, delta({ content: 'Hi' }), { ...delta({}, 'stop'), id: 'c2' }],
    { text: 'Hi', ...ids, stop: 'end-turn' },
  ],
  [
    'null, nothing and the unheard of where something is due',
    [
      { ...ids, choices: [{ index: 0, delta: null, finish_reason: null }] },
      { ...ids, choices: [null] },
      { ...ids, choices: null },
      { ...ids, choices: [{}] },
      { type: 'ping' },
      delta({ content: null, tool_calls: null, audio: { id: 'x' }, hologram: [1] }),
      delta({ content: 'Hi' }, 'stop'),
    ],
    { text: 'Hi', ...ids, stop: 'end-turn' },
  ],
  [
    'a last chunk that says everything once more',
    [
      delta({ content: 'Hi' }),
      {
        ...ids,
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'stop', message: { content: 'Hi' } }],
        usage,
      },
    ],
    { text: 'Hi', ...ids, usage: read, stop: 'end-turn' },
  ],
  [
    'a list of chunks in one event',
    [JSON.stringify([delta({ content: 'H' }), delta({ content: 'i' }, 'stop')])],
    { text: 'Hi', ...ids, stop: 'end-turn' },
  ],
]

test.each(cases)('createChatDecoder: %s', (_, chunks, answer) => {
  expect(readAnswer(stream(...chunks))).toEqual(answer)
})

test.each([
  ['stop', 'end-turn'],
  ['STOP', 'end-turn'],
  ['eos', 'end-turn'],
  ['end_turn', 'end-turn'],
  ['stop_sequence', 'stop-sequence'],
  ['length', 'max-tokens'],
  ['max_tokens', 'max-tokens'],
  ['model_length', 'max-tokens'],
  ['tool_calls', 'tool-use'],
  ['function_call', 'tool-use'],
  ['content_filter', 'content-filter'],
  ['sensitive', 'content-filter'],
  ['SAFETY', 'content-filter'],
  ['refusal', 'refusal'],
  ['heat_death', 'other'],
  ['constructor', 'other'],
  ['__proto__', 'other'],
])('createChatDecoder: finish_reason %s is %s', (reason, stop) => {
  expect(readAnswer(stream(delta({ content: 'Hi' }), delta({}, reason), DONE)).stop).toBe(stop)
})

test('createChatDecoder: length stays, whatever a later chunk says', () => {
  expect(readAnswer(stream(delta({ content: 'Hi' }, 'length'), delta({}, 'stop'))).stop).toBe('max-tokens')
})

test('createChatDecoder: a whole completion in place of a stream', () => {
  const completion = {
    ...ids,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Look:',
          reasoning_content: 'Hm',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
      },
    ],
    usage,
  }
  const expected = {
    text: 'Look:',
    thinking: 'Hm',
    ...ids,
    calls: [['a', 'f', '{"x":1}']],
    usage: read,
    stop: 'tool-use',
  }
  expect(readAnswer([{ text: JSON.stringify(completion) }])).toEqual(expected)
  expect(readAnswer([{ text: JSON.stringify(completion, null, 2) }])).toEqual(expected)
  expect(readAnswer(stream(completion, DONE))).toEqual(expected)
})

test('createChatDecoder: chunks as bare lines', () => {
  const lines = [delta({ content: 'H' }), delta({ content: 'i' }, 'stop')].map(chunk => JSON.stringify(chunk))
  expect(readAnswer([{ text: lines.join('\n') }])).toEqual({ text: 'Hi', ...ids, stop: 'end-turn' })
})

test('createChatDecoder: doneIsEnough takes [DONE] for an end', () => {
  expect(readAnswer(stream(delta({ content: 'Hi' }), DONE), { doneIsEnough: true }).stop).toBe('end-turn')
  expect(readAnswer(stream(delta({ content: 'Hi' })), { doneIsEnough: true }).stop).toBeUndefined()
  expect(readAnswer(stream(DONE), { doneIsEnough: true }).stop).toBeUndefined()
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
    thoughtSignature: 'SIG',
  })
})

test('createChatDecoder: a character cut in two over two chunks leaves the sandbox whole', () => {
  const decoder = createChatDecoder()
  const writer = createEventWriter()
  const half = (text: string) => `{"choices":[{"delta":${text},"finish_reason":null}]}`
  for (const data of [
    half('{"reasoning_content":"\\ud83d"}'),
    half('{"reasoning_content":"\\ude00"}'),
    half('{"content":"a\\ud83d"}'),
    half('{"content":"\\ude00b"}'),
    half('{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{\\"x\\":\\"\\ud83d"}}]}'),
    half('{"tool_calls":[{"index":0,"function":{"arguments":"\\ude00\\"}"}}]}'),
    JSON.stringify(delta({}, 'stop')),
  ]) {
    decoder.frame({ data }, writer.emit)
  }
  decoder.end(writer.emit)
  const events = writer.take()
  const told = (tag: string) =>
    events.flatMap(event => (event.tag === tag && 'val' in event ? [event.val] : []))
  expect(told('text').join('')).toBe('a😀b')
  expect(told('thinking')).toMatchObject([{ text: '😀' }])
  expect(told('tool-use')).toMatchObject([{ input: '{"x":"😀"}' }])
  expect(JSON.stringify(events)).not.toContain('\ufffd')
})
