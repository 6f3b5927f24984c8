import { expect, test } from 'vitest'
import { type Answer, delta, readAnswer, stream } from './read-answer.ts'

const DONE = '[DONE]'
const ids = { id: 'c1', model: 'm1' }
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const read = { inputTokens: 5, outputTokens: 3, totalTokens: 8 }

const cases: [name: string, chunks: (object | string)[], answer: Answer][] = [
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
    'reasoning beside the answer, as the total tells, is part of the output',
    [
      delta({ content: 'Hi' }, 'stop'),
      {
        choices: [],
        usage: {
          prompt_tokens: 10_120,
          completion_tokens: 1_499,
          total_tokens: 14_428,
          completion_tokens_details: { reasoning_tokens: 2_809 },
        },
      },
      DONE,
    ],
    {
      text: 'Hi',
      ...ids,
      usage: { inputTokens: 10_120, outputTokens: 4_308, reasoningTokens: 2_809, totalTokens: 14_428 },
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
]

test.each(cases)('createChatDecoder: %s', (_, chunks, answer) => {
  expect(readAnswer(stream(...chunks))).toEqual(answer)
})
