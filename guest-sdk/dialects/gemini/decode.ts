import type { Log } from '../../context.ts'
import type { Decoder, ServerSentEvent, TextFrame } from '../../decoder.ts'
import type { Emit, StopReason, TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import { parseJson, readText } from '../json-value.ts'
import { randomId } from '../random-id.ts'
import { sourceTextAt } from '../source-text.ts'
import type { ToolNames } from '../tool-names.ts'
import { unreadable } from '../unreadable.ts'
import { createCitations } from './citations.ts'
import { readChunkError } from './error.ts'
import { readFinishReason } from './finish-reason.ts'
import { createParts } from './parts.ts'
import { mergeUsage } from './usage.ts'

/** How ids begin that this dialect made, because the model gave none: they do not go back to it. */
export const OWN_ID_PREFIX = 'gemini_'

export interface GeminiDecoderOptions {
  /** Names of tools as the request has them. Default: as the service sends them. */
  toolNames?: ToolNames
  /** Makes an id for a call that came without one. Default: random. */
  newToolCallId?: () => string
  /** Told why an answer was blocked or broke off. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

/** Frames of server-sent events, and the body as text where the service answered with no events at all. */
export interface GeminiDecoder extends Decoder<'server-sent-events'> {
  frame(frame: ServerSentEvent | TextFrame, emit: Emit): void
  end(emit: Emit): void
}

/**
 * The state machine of one answer: chunks of a stream, or of a list, or one whole answer, in; events out. The end is
 * told when the body has ended, since each chunk has its own counts. An answer that ends with nothing to say why gets
 * no `stop`.
 */
export function createGeminiDecoder(options: GeminiDecoderOptions = {}): GeminiDecoder {
  const { log, newToolCallId = () => randomId(OWN_ID_PREFIX) } = options
  const parts = createParts(newToolCallId, options.toolNames)
  const tellCitations = createCitations()
  const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 }
  let hasMetadata = false
  let stop: StopReason | undefined

  function frame(frame: ServerSentEvent | TextFrame, emit: Emit): void {
    const data = 'text' in frame ? frame.text : frame.data
    const value = parseJson(data)
    if (isRecord(value)) {
      readChunk(value, data, emit)
      return
    }
    if (Array.isArray(value)) {
      for (const [at, chunk] of value.entries()) {
        if (isRecord(chunk)) readChunk(chunk, sourceTextAt(data, [at]) ?? '', emit)
      }
      return
    }
    const text = data.trim()
    if (text === '' || text.startsWith(':') || text === '[DONE]') return
    throw unreadable(data)
  }

  function readChunk(chunk: Record<string, unknown>, data: string, emit: Emit): void {
    const error = readChunkError(chunk)
    if (error) throw error
    tellMetadata(chunk, emit)
    const candidates = Array.isArray(chunk.candidates) ? chunk.candidates : []
    const at = Math.max(0, candidates.findIndex(isFirst))
    const candidate: unknown = candidates[at]
    if (isRecord(candidate)) {
      const content = isRecord(candidate.content) ? candidate.content : {}
      const list = Array.isArray(content.parts) ? content.parts : []
      for (const [place, part] of list.entries()) {
        if (isRecord(part)) parts.read(part, data, ['candidates', at, 'content', 'parts', place], emit)
      }
      tellCitations(candidate, emit)
    }
    if (mergeUsage(usage, chunk.usageMetadata)) emit({ type: 'usage', ...usage })
    if (isRecord(candidate)) readFinish(candidate)
    readPromptFeedback(chunk.promptFeedback)
  }

  function tellMetadata(chunk: Record<string, unknown>, emit: Emit): void {
    const id = readText(chunk.responseId)
    const model = readText(chunk.modelVersion)
    if (hasMetadata || (id === undefined && model === undefined)) return
    hasMetadata = true
    emit({
      type: 'response-metadata',
      ...(id !== undefined && { id }),
      ...(model !== undefined && { model }),
    })
  }

  function readFinish(candidate: Record<string, unknown>): void {
    const finish = readFinishReason(candidate.finishReason)
    if (finish === undefined) return
    const reason = String(candidate.finishReason)
    const message = readText(candidate.finishMessage)
    if ('failure' in finish) {
      throw new ProviderError({
        kind: 'other',
        code: reason,
        message: `The model broke off its answer: ${message ?? `finishReason is "${reason}"`}`,
      })
    }
    stop = finish.stop
    if (stop === 'content-filter' || stop === 'other') {
      log?.warn(`The answer ended with "${reason}"${message === undefined ? '' : `: ${message}`}`)
    }
  }

  /** The prompt was blocked: there is no candidate, and this is the only sign of it. */
  function readPromptFeedback(feedback: unknown): void {
    if (!isRecord(feedback)) return
    const reason = readText(feedback.blockReason)
    if (reason === undefined || reason === 'BLOCKED_REASON_UNSPECIFIED') return
    stop = 'content-filter'
    const message = readText(feedback.blockReasonMessage)
    log?.warn(`The prompt was blocked with "${reason}"${message === undefined ? '' : `: ${message}`}`)
  }

  return {
    frame,
    end(emit) {
      if (stop === undefined) return
      // The service has no word for it.
      emit({ type: 'stop', reason: stop === 'end-turn' && parts.hasCalls ? 'tool-use' : stop })
    },
  }
}

function isFirst(candidate: unknown): boolean {
  return isRecord(candidate) && (candidate.index === 0 || candidate.index === undefined)
}
