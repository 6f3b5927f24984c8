import type { Decoder, ServerSentEvent, TextFrame } from '../../decoder.ts'
import type { Emit, TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { createToolCallBuffer } from '../../tool-call-buffer.ts'
import { createCitations } from './citations.ts'
import { type Finish, readFinishReason } from './finish-reason.ts'
import { emitContent, emitImages, readText, readThinking } from './read-delta.ts'
import { createReasoningDetails } from './reasoning-details.ts'
import { errorFromFinish, readStreamError, unreadable } from './stream-error.ts'
import { createTextTemplate } from './text-template.ts'
import { readToolCalls } from './tool-call-deltas.ts'
import { mergeUsage } from './usage.ts'

export interface ChatDecoderOptions {
  /** See `ChatQuirks.doneIsEnough`. Default: false. */
  doneIsEnough?: boolean
  /** Makes an id for a tool call that came without one, or with one that is taken. Default: random. */
  newToolCallId?: () => string
}

/** Frames of server-sent events, and the body as text where the service answered with no events at all. */
export interface ChatDecoder extends Decoder<'server-sent-events'> {
  frame(frame: ServerSentEvent | TextFrame, emit: Emit): void
  end(emit: Emit): void
}

type Chunk = Record<string, unknown>

const CUT_OFF = {
  'max-tokens': 'The answer reached its token limit inside these arguments: the call is incomplete.',
  'content-filter': 'A content filter ended the answer inside these arguments: the call is incomplete.',
} as const

/**
 * The state machine of one answer: chunks of a stream, or one whole completion, in; events out.
 *
 * The end is told when the body has ended or said `[DONE]`, since token counts come after the finish reason and
 * a tool call is complete only then. An answer that ends with nothing to say why gets no `stop`.
 */
export function createChatDecoder(options: ChatDecoderOptions = {}): ChatDecoder {
  const { doneIsEnough = false, newToolCallId } = options
  const calls = createToolCallBuffer(newToolCallId)
  const details = createReasoningDetails()
  const tellCitations = createCitations()
  const template = createTextTemplate()
  const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 }
  let finish: Finish | undefined
  let hasMetadata = false
  let hasOutput = false
  let isRefused = false
  /** One JSON document held the whole answer. */
  let isWhole = false
  let isOver = false

  function frame(frame: ServerSentEvent | TextFrame, emit: Emit): void {
    if (isOver) return
    const data = 'text' in frame ? frame.text : frame.data
    const event = 'text' in frame ? undefined : frame.event
    if (data.charCodeAt(0) === OPENING_BRACE) {
      const words = event === undefined ? template.read(data) : undefined
      if (words !== undefined) {
        if (words !== '') emitOutput(words, emit)
        return
      }
      const chunk = parse(data)
      if (isRecord(chunk)) {
        readChunk(chunk, event, data, emit)
        return
      }
    }
    readUnusual(data, event, emit)
  }

  /** Heartbeats, `[DONE]`, a list of chunks, chunks as bare lines, and what is none of these. */
  function readUnusual(data: string, event: string | undefined, emit: Emit): void {
    const text = data.trim()
    if (text === '' || text.startsWith(':') || text === 'null') return
    if (text === '[DONE]') {
      complete(emit, true)
      return
    }
    const value = parse(text)
    if (isRecord(value)) {
      readChunk(value, event, text, emit)
    } else if (Array.isArray(value) && value.every(isRecord)) {
      for (const chunk of value) readChunk(chunk, event, '', emit)
    } else if (value === undefined && text.startsWith('{') && text.includes('\n')) {
      for (const line of text.split('\n')) {
        const chunk = parse(line.trim())
        if (!isRecord(chunk)) throw unreadable(text, event)
        readChunk(chunk, event, line, emit)
      }
    } else if (value !== undefined || event === undefined || event === 'message' || event === 'error') {
      throw unreadable(text, event)
    }
    // Else an event of another name that is no JSON: a ping with a time in it.
  }

  function readChunk(chunk: Chunk, event: string | undefined, data: string, emit: Emit): void {
    const { choices } = chunk
    let place = 0
    let choice: Chunk | undefined
    if (Array.isArray(choices)) {
      if (!isFirstChoice(choices[0])) place = choices.findIndex(isFirstChoice)
      const found: unknown = choices[place]
      if (isFirstChoice(found)) choice = found
    }
    // What has a choice is an error only where it says so; anything else is looked at closely.
    if (!choice || chunk.error || chunk.x_groq || event !== undefined) {
      const error = readStreamError(chunk, event)
      if (error) throw error
    }
    if (!hasMetadata) tellMetadata(chunk, emit)
    const text = choice && readChoice(choice, place, chunk, data, emit)
    const hasCitations = chunk.citations !== undefined || chunk.search_results !== undefined
    if (hasCitations) tellCitations(chunk, undefined, emit)
    const reported = chunk.usage ?? choice?.usage ?? groqUsage(chunk)
    if (reported && mergeUsage(usage, reported)) emit({ type: 'usage', ...usage })
    const isLast = choice?.finish_reason || choice?.error
    if (choice && isLast) readFinish(choice)
    if (text !== undefined && event === undefined && !hasCitations && !reported && !isLast) {
      template.learn(data, text)
    }
  }

  function tellMetadata(chunk: Chunk, emit: Emit): void {
    const id = readText(chunk.id)
    const model = readText(chunk.model)
    if (id === undefined && model === undefined) return
    hasMetadata = true
    emit({
      type: 'response-metadata',
      ...(id !== undefined && { id }),
      ...(model !== undefined && { model }),
    })
  }

  /** Returns the text of a delta that holds nothing else. */
  function readChoice(
    choice: Chunk,
    place: number,
    chunk: Chunk,
    data: string,
    emit: Emit,
  ): string | undefined {
    let delta = choice.delta
    let field = 'delta'
    // A whole completion has a message; so has the last chunk of some streams, which says everything once more.
    if (isRecord(choice.message) && (!isRecord(delta) || Object.keys(delta).length === 0)) {
      if (!hasOutput) delta = choice.message
      field = 'message'
      isWhole = true
    }
    if (isRecord(delta)) {
      const { content } = delta
      // Nearly every chunk is a piece of text and nothing else: ten fields less to look for.
      if (typeof content === 'string' && content !== '' && isTextOnly(delta)) {
        emitOutput(content, emit)
        return field === 'delta' ? content : undefined
      }
      readDelta(delta, chunk, data, ['choices', place, field], emit)
    }
    return undefined
  }

  function readDelta(
    delta: Chunk,
    chunk: Chunk,
    data: string,
    path: readonly (string | number)[],
    emit: Emit,
  ): void {
    readReasoning(delta, emit)
    const { content, refusal, images, tool_calls, function_call } = delta
    if (typeof content === 'string') {
      if (content !== '') emitOutput(content, emit)
    } else if (content !== undefined && content !== null) {
      details.flush(emit)
      hasOutput = emitContent(content, emit) || hasOutput
    }
    if (typeof refusal === 'string' && refusal !== '') {
      isRefused = true
      emitOutput(refusal, emit)
    }
    if (images !== undefined) hasOutput = emitImages(images, emit) || hasOutput
    if (tool_calls || function_call) {
      details.flush(emit)
      hasOutput = true
      for (const call of readToolCalls(delta, data, path)) calls.push(call, emit)
    }
    if (delta.annotations !== undefined) tellCitations(chunk, delta, emit)
  }

  function readReasoning(delta: Chunk, emit: Emit): void {
    const fromDetails = delta.reasoning_details ? details.push(delta.reasoning_details) : ''
    // Services mirror the same words in several fields: one of them speaks.
    const text = readThinking(delta) ?? fromDetails
    if (text === '') return
    hasOutput = true
    emit({ type: 'thinking', text })
  }

  function emitOutput(text: string, emit: Emit): void {
    details.flush(emit)
    hasOutput = true
    emit({ type: 'text', text })
  }

  function readFinish(choice: Chunk): void {
    const reason = readFinishReason(choice.finish_reason)
    const failed = isRecord(choice.error) || (reason !== undefined && 'failure' in reason)
    if (failed) {
      const kind = reason && 'failure' in reason ? reason.failure : 'other'
      throw errorFromFinish(kind, choice.finish_reason, choice)
    }
    // That the answer was cut off stays true, whatever a later chunk says.
    if (reason && !(finish && 'stop' in finish && finish.stop in CUT_OFF)) finish = reason
  }

  function complete(emit: Emit, isDone: boolean): void {
    isOver = true
    details.flush(emit)
    const reason = stopReason(isDone)
    if (reason === undefined) return
    calls.finish(emit, reason === 'max-tokens' || reason === 'content-filter' ? CUT_OFF[reason] : undefined)
    emit({ type: 'stop', reason })
  }

  function stopReason(isDone: boolean) {
    if (!finish || !('stop' in finish)) {
      // `[DONE]` says that no more comes, and arguments that are whole that nothing is missing.
      if (calls.hasCalls) return (isDone || isWhole) && calls.isComplete ? 'tool-use' : undefined
      return hasOutput && (isWhole || (isDone && doneIsEnough)) ? 'end-turn' : undefined
    }
    const { stop } = finish
    if (isRefused && stop === 'end-turn') return 'refusal'
    // Not every service has a word for it.
    return calls.hasCalls && (stop === 'end-turn' || stop === 'stop-sequence') ? 'tool-use' : stop
  }

  return {
    frame,
    end(emit) {
      if (!isOver) complete(emit, false)
    },
  }
}

const OPENING_BRACE = 0x7b

/** Undefined where it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isFirstChoice(choice: unknown): choice is Chunk {
  return isRecord(choice) && (choice.index === 0 || choice.index === undefined || choice.index === null)
}

/** Content, and at most the role. */
function isTextOnly(delta: Chunk): boolean {
  return Object.keys(delta).length === (delta.role === undefined ? 1 : 2)
}

function groqUsage(chunk: Chunk): unknown {
  return isRecord(chunk.x_groq) ? chunk.x_groq.usage : undefined
}
