import type { Log } from '../../context.ts'
import type { Decoder, ServerSentEvent, TextFrame } from '../../decoder.ts'
import type { Emit, StopReason, TokenUsage } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { parseJson, readText } from '../json-value.ts'
import type { ToolNames } from '../tool-names.ts'
import { unreadable } from '../unreadable.ts'
import { createBlocks } from './blocks.ts'
import { readStopReason } from './stop-reason.ts'
import { readStreamError } from './stream-error.ts'
import { mergeUsage } from './usage.ts'

export interface MessagesDecoderOptions {
  /** Names of tools as the request has them. Default: as the service sends them. */
  toolNames?: ToolNames
  /** Told why the model refused. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

/** Frames of server-sent events, and the body as text where the service answered with no events at all. */
export interface MessagesDecoder extends Decoder<'server-sent-events'> {
  frame(frame: ServerSentEvent | TextFrame, emit: Emit): void
  end(emit: Emit): void
}

/**
 * The state machine of one answer: events of a stream, or one whole message, in; events out. Events and blocks that
 * nobody has heard of are passed over or passed on, since the API announces that new ones may come. An answer that
 * ends with nothing to say why gets no `stop`.
 */
export function createMessagesDecoder(options: MessagesDecoderOptions = {}): MessagesDecoder {
  const { log } = options
  const blocks = createBlocks(options.toolNames)
  const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 }
  let hasMetadata = false
  let stop: StopReason | undefined
  let isOver = false

  function frame(frame: ServerSentEvent | TextFrame, emit: Emit): void {
    if (isOver) return
    const data = 'text' in frame ? frame.text : frame.data
    const name = 'text' in frame ? undefined : frame.event
    const event = parseJson(data)
    if (isRecord(event)) {
      readEvent(event, typeof event.type === 'string' ? event.type : name, data, emit)
      return
    }
    const text = data.trim()
    if (text === '' || text.startsWith(':') || text === '[DONE]' || name === 'ping') return
    throw unreadable(data)
  }

  function readEvent(
    event: Record<string, unknown>,
    type: string | undefined,
    data: string,
    emit: Emit,
  ): void {
    const error = readStreamError(type === undefined ? event : { ...event, type })
    if (error) throw error
    switch (type) {
      case 'message_start':
        if (isRecord(event.message)) readHead(event.message, emit)
        return
      case 'content_block_start':
        blocks.start(event, data, ['content_block'], emit)
        return
      case 'content_block_delta':
        blocks.delta(event, emit)
        return
      case 'content_block_stop':
        blocks.stop(event.index, emit)
        return
      case 'message_delta':
        if (isRecord(event.delta)) readEnd(event.delta)
        readUsage(event.usage, emit)
        return
      case 'message_stop':
        complete(emit)
        return
      case 'message':
        readWhole(event, data, emit)
        return
      default:
    }
  }

  /** The answer in one piece. */
  function readWhole(message: Record<string, unknown>, data: string, emit: Emit): void {
    readHead(message, emit)
    for (const [index, block] of (Array.isArray(message.content) ? message.content : []).entries()) {
      blocks.start({ index, content_block: block }, data, ['content', index], emit)
      blocks.stop(index, emit)
    }
    readEnd(message)
    complete(emit)
  }

  function readHead(message: Record<string, unknown>, emit: Emit): void {
    const id = readText(message.id)
    const model = readText(message.model)
    if (!hasMetadata && (id !== undefined || model !== undefined)) {
      hasMetadata = true
      emit({
        type: 'response-metadata',
        ...(id !== undefined && { id }),
        ...(model !== undefined && { model }),
      })
    }
    readUsage(message.usage, emit)
  }

  function readUsage(reported: unknown, emit: Emit): void {
    if (mergeUsage(usage, reported)) emit({ type: 'usage', ...usage })
  }

  function readEnd(delta: Record<string, unknown>): void {
    const reason = readStopReason(delta.stop_reason)
    if (reason === undefined) return
    stop = reason
    const details = isRecord(delta.stop_details) ? readText(delta.stop_details.explanation) : undefined
    if (details !== undefined) log?.warn(`The answer ended with "${String(delta.stop_reason)}": ${details}`)
    else if (reason === 'other') log?.debug(`The answer ended with "${String(delta.stop_reason)}"`)
  }

  function complete(emit: Emit): void {
    if (isOver) return
    isOver = true
    // Cut off by something else than the model: what is not whole is not told.
    if (stop === undefined) return
    blocks.finish(emit)
    emit({ type: 'stop', reason: stop })
  }

  return { frame, end: complete }
}
