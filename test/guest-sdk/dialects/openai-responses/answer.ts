import { createResponsesDecoder } from '../../../../guest-sdk/dialects/openai-responses/index.ts'
import { events, type Replayed, replay } from '../replay.ts'

export const created = {
  type: 'response.created',
  response: { id: 'resp_1', model: 'm', status: 'in_progress' },
}
export const added = (output_index: number, item: object) => ({
  type: 'response.output_item.added',
  output_index,
  item,
})
export const done = (output_index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index,
  item,
})
export const args = (output_index: number, item_id: string, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  item_id,
  delta,
})
export const textDelta = (output_index: number, item_id: string, delta: unknown, content_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  item_id,
  delta,
})
export const call = (fields: object = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'look',
  arguments: '',
  status: 'in_progress',
  ...fields,
})
export const message = (text: string, fields: object = {}) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...fields,
})
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
}
export const completed = {
  type: 'response.completed',
  response: { id: 'resp_1', model: 'm', status: 'completed', output: [], usage },
}
export const incomplete = (reason: string | undefined) => ({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: reason === undefined ? null : { reason }, usage },
})

export const decoder = () => {
  let count = 0
  return createResponsesDecoder({ service: 'openai', model: 'm', newToolCallId: () => `new_${++count}` })
}
export const read = (...chunks: (object | string)[]): Replayed => replay(decoder(), events(...chunks))
