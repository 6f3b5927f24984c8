import type { Decoder, TextFrame } from '../../decoder.ts'
import type { Emit, StopReason, TokenUsage } from '../../events.ts'
import { errorFromValue } from '../../http-error.ts'
import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import { parseJson, readCount, readText } from '../json-value.ts'
import { unreadable } from '../unreadable.ts'
import { createCalls } from './calls.ts'

export interface OllamaDecoderOptions {
  /** Makes an id for a tool call that came without one, or with one that is taken. Default: random. */
  newToolCallId?: () => string
}

export interface OllamaDecoder extends Decoder<'lines'> {
  frame(frame: TextFrame, emit: Emit): void
  end(emit: Emit): void
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end-turn',
  length: 'max-tokens',
}

/**
 * The state machine of one answer: lines in, events out. Each line is one JSON object, the last of them `done`. An
 * answer that ends without it gets no `stop`.
 */
export function createOllamaDecoder({ newToolCallId }: OllamaDecoderOptions = {}): OllamaDecoder {
  const calls = createCalls(newToolCallId)
  const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 }
  let hasMetadata = false
  let stop: StopReason | undefined

  function frame({ text: line }: TextFrame, emit: Emit): void {
    if (line.trim() === '') return
    const chunk = parseJson(line)
    if (!isRecord(chunk)) throw unreadable(line)
    if (chunk.error !== undefined && chunk.error !== null && chunk.error !== '') {
      throw new ProviderError(errorFromValue(chunk))
    }
    // What comes behind the end belongs to nothing.
    if (stop !== undefined) return
    tellModel(chunk, emit)
    if (isRecord(chunk.message)) readMessage(chunk.message, line, emit)
    readUsage(chunk, emit)
    if (chunk.done === true) stop = readDone(chunk.done_reason)
  }

  function tellModel(chunk: Record<string, unknown>, emit: Emit): void {
    const model = readText(chunk.model)
    if (hasMetadata || model === undefined) return
    hasMetadata = true
    emit({ type: 'response-metadata', model })
  }

  function readMessage(message: Record<string, unknown>, line: string, emit: Emit): void {
    const thinking = readText(message.thinking)
    const text = readText(message.content)
    if (thinking !== undefined) emit({ type: 'thinking', text: thinking })
    if (text !== undefined) emit({ type: 'text', text })
    const list = Array.isArray(message.tool_calls) ? message.tool_calls : []
    for (const [at, call] of list.entries()) {
      calls.read(call, line, ['message', 'tool_calls', at], emit)
    }
  }

  /** Counts come with the last line. A prompt that the server remembers whole is not counted again. */
  function readUsage(chunk: Record<string, unknown>, emit: Emit): void {
    const input = readCount(chunk.prompt_eval_count)
    const output = readCount(chunk.eval_count)
    if (input === undefined && output === undefined) return
    usage.inputTokens = input ?? usage.inputTokens
    usage.outputTokens = output ?? usage.outputTokens
    emit({ type: 'usage', ...usage })
  }

  /** Servers before 0.1.32 gave no reason. */
  function readDone(reason: unknown): StopReason {
    if (typeof reason !== 'string' || reason === '') return 'end-turn'
    return Object.hasOwn(STOP_REASONS, reason) ? STOP_REASONS[reason]! : 'other'
  }

  return {
    frame,
    end(emit) {
      if (stop === undefined) return
      // The server has no word for it.
      emit({ type: 'stop', reason: stop === 'end-turn' && calls.hasCalls ? 'tool-use' : stop })
    },
  }
}
