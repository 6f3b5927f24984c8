import { createMessagesDecoder } from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import { events, replay } from '../replay.ts'

export const head = (usage: object = { input_tokens: 10, output_tokens: 1 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', role: 'assistant', content: [], usage },
})
export const start = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
})
export const delta = (index: number, fields: object) => ({
  type: 'content_block_delta',
  index,
  delta: fields,
})
export const stop = (index: number) => ({ type: 'content_block_stop', index })
export const text = (index: number, words: string) => [
  start(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text: words }),
  stop(index),
]
export const call = (index: number, ...pieces: string[]) => [
  start(index, { type: 'tool_use', id: `toolu_${index}`, name: 'look', input: {} }),
  ...pieces.map(partial_json => delta(index, { type: 'input_json_delta', partial_json })),
  stop(index),
]
export const end = (stop_reason: string | null, usage: object = { output_tokens: 5 }) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
]
export const read = (...chunks: (object | string)[]) => replay(createMessagesDecoder(), events(...chunks))
