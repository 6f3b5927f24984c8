import { expect, test } from 'vitest'
import { createEventWriter } from '../../../../guest-sdk/component/event-writer.ts'
import { createChatDecoder } from '../../../../guest-sdk/dialects/openai-chat/index.ts'
import { type Answer, delta, readAnswer, stream } from './read-answer.ts'

const DONE = '[DONE]'
const ids = { id: 'c1', model: 'm1' }
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const read = { inputTokens: 5, outputTokens: 3, totalTokens: 8 }
const _call = (fields: object) => ({ tool_calls: [fields] })
const _weather = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }

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
    'B24 a blank role',
    [delta({ role: '', content: 'Hi' }, 'stop'), DONE],
    { text: 'Hi', ...ids, stop: 'end-turn' },
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
