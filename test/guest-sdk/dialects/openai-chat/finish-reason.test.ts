import { expect, test } from 'vitest'
import { delta, readAnswer, stream } from './read-answer.ts'

const DONE = '[DONE]'

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
