import type { Answer, DemoModel } from './answer.ts'
import type { ChatRequest } from './chat-request.ts'

export interface WireUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

/** Seconds; fixed, so that two runs send the same bytes. */
const CREATED = 1_767_225_600

/** The objects of a streamed answer, in order, without `[DONE]`. */
export function answerChunks(
  answer: Answer,
  model: DemoModel,
  request: ChatRequest,
  id: string,
): Record<string, unknown>[] {
  const chunk = (delta: Record<string, unknown>, finishReason: string | null = null) => ({
    id,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: model.id,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...(request.includeUsage ? { usage: null } : {}),
  })
  const limit = request.maxTokens ?? model.maxOutputTokens
  const words = tokens(answer.text ?? '')
  const chunks: Record<string, unknown>[] = [chunk({ role: 'assistant', content: '' })]
  for (const reasoning of tokens(answer.reasoning ?? '')) chunks.push(chunk({ reasoning_content: reasoning }))
  for (const content of words.slice(0, limit)) chunks.push(chunk({ content }))
  for (const [index, call] of (answer.toolCalls ?? []).entries()) {
    const start = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
    chunks.push(chunk({ tool_calls: [start] }))
    for (const piece of call.arguments.match(/.{1,8}/gsu) ?? [])
      chunks.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
  }
  chunks.push(chunk({}, finishReason(answer, words.length > limit)))
  if (request.includeUsage) {
    const { choices: _, ...head } = chunk({})
    chunks.push({ ...head, choices: [], usage: countUsage(answer, request, limit) })
  }
  return chunks
}

/** The same answer in one object, for a request that does not stream. */
export function wholeAnswer(answer: Answer, model: DemoModel, request: ChatRequest, id: string) {
  const limit = request.maxTokens ?? model.maxOutputTokens
  const words = tokens(answer.text ?? '')
  const toolCalls = (answer.toolCalls ?? []).map(call => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  const message = {
    role: 'assistant',
    content: toolCalls.length > 0 ? null : words.slice(0, limit).join(''),
    ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  }
  return {
    id,
    object: 'chat.completion',
    created: CREATED,
    model: model.id,
    choices: [{ index: 0, message, finish_reason: finishReason(answer, words.length > limit) }],
    usage: countUsage(answer, request, limit),
  }
}

function finishReason(answer: Answer, isCutOff: boolean): string {
  if (answer.toolCalls) return 'tool_calls'
  return isCutOff ? 'length' : 'stop'
}

function countUsage(answer: Answer, request: ChatRequest, limit: number): WireUsage {
  const prompt = request.messages.reduce((sum, { text }) => sum + tokens(text).length, 0)
  const called = (answer.toolCalls ?? []).reduce((sum, call) => sum + tokens(call.arguments).length, 0)
  const spoken = Math.min(tokens(answer.text ?? '').length, limit)
  const completion = tokens(answer.reasoning ?? '').length + spoken + called
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

/** A word with the white space after it counts as one token. */
function tokens(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? []
}
