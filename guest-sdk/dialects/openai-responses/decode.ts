import type { Log } from '../../context.ts'
import type { Decoder, ServerSentEvent, TextFrame } from '../../decoder.ts'
import type { Emit, StopReason } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { parseJson, readText } from '../json-value.ts'
import { randomId } from '../random-id.ts'
import type { ToolNames } from '../tool-names.ts'
import { unreadable } from '../unreadable.ts'
import { createItems } from './items.ts'
import { readFailure, readStreamError } from './stream-error.ts'
import { readUsage } from './usage.ts'

export interface ResponsesDecoderOptions {
  /** Who serves the answer, as in `ResponsesOptions`. */
  service: string
  /** As the request named it. */
  model: string
  /** Names of tools as the request has them. Default: as the service sends them. */
  toolNames?: ToolNames
  /** Makes an id for a call that came without one, or with one that is taken. Default: random. */
  newToolCallId?: () => string
  /** Told why an answer broke off. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

/** Frames of server-sent events, and the body as text where the service answered with no events at all. */
export interface ResponsesDecoder extends Decoder<'server-sent-events'> {
  frame(frame: ServerSentEvent | TextFrame, emit: Emit): void
  end(emit: Emit): void
}

type Fields = Record<string, unknown>

const CUT_OFF: Partial<Record<StopReason, string>> = {
  'max-tokens': 'The answer reached its token limit inside these arguments: the call is incomplete.',
  'content-filter': 'A content filter ended the answer inside these arguments: the call is incomplete.',
  other: 'The answer broke off inside these arguments: the call is incomplete.',
}

const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'max-tokens',
  max_tokens: 'max-tokens',
  content_filter: 'content-filter',
}

/**
 * The state machine of one answer: events of a stream, or one whole response, in; events out. Events that nobody has
 * heard of are passed over, and items are passed on. An answer without the event that ends it gets no `stop`.
 */
export function createResponsesDecoder(options: ResponsesDecoderOptions): ResponsesDecoder {
  const { service, model, toolNames: names, newToolCallId: newId = () => randomId('call_'), log } = options
  const items = createItems({ service, model, names, newId })
  let hasMetadata = false
  let isOver = false

  function frame(frame: ServerSentEvent | TextFrame, emit: Emit): void {
    if (isOver) return
    const data = 'text' in frame ? frame.text : frame.data
    const name = 'text' in frame ? undefined : frame.event
    const event = parseJson(data)
    if (isRecord(event)) {
      readEvent(event, readText(event.type) ?? (name === 'message' ? undefined : name), data, emit)
      return
    }
    const text = data.trim()
    if (text === '' || text.startsWith(':') || text === '[DONE]' || name === 'ping') return
    throw unreadable(data)
  }

  function readEvent(event: Fields, type: string | undefined, data: string, emit: Emit): void {
    const error = readStreamError(event, type)
    if (error) throw error
    switch (type) {
      case 'response.output_text.delta':
        items.text(event, 'text', false, emit)
        return
      case 'response.function_call_arguments.delta':
        items.args(event, false, data, emit)
        return
      case 'response.reasoning_summary_text.delta':
        items.thinking(event, 'summary', false, emit)
        return
      case 'response.reasoning_text.delta':
        items.thinking(event, 'text', false, emit)
        return
      case 'response.refusal.delta':
        items.text(event, 'refusal', false, emit)
        return
      case 'response.output_item.added':
        items.added(event, data, emit)
        return
      case 'response.output_item.done':
        items.done(event, data, ['item'], emit)
        return
      case 'response.output_text.done':
        items.text(event, 'text', true, emit)
        return
      case 'response.refusal.done':
        items.text(event, 'refusal', true, emit)
        return
      case 'response.reasoning_summary_text.done':
        items.thinking(event, 'summary', true, emit)
        return
      case 'response.reasoning_text.done':
        items.thinking(event, 'text', true, emit)
        return
      case 'response.function_call_arguments.done':
        items.args(event, true, data, emit)
        return
      case 'response.output_text.annotation.added':
        items.annotation(event, emit)
        return
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        tellMetadata(responseOf(event).response, emit)
        return
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        readEnd(event, type.slice('response.'.length), data, emit)
        return
      default:
        // The answer in one piece.
        if (event.object === 'response') readEnd(event, undefined, data, emit)
    }
  }

  function tellMetadata(response: Fields, emit: Emit): void {
    const id = readText(response.id)
    const answering = readText(response.model)
    if (hasMetadata || (id === undefined && answering === undefined)) return
    hasMetadata = true
    emit({
      type: 'response-metadata',
      ...(id !== undefined && { id }),
      ...(answering !== undefined && { model: answering }),
    })
  }

  /** @param outcome What the event's name says; the response's own `status` goes before it. */
  function readEnd(event: Fields, outcome: string | undefined, data: string, emit: Emit): void {
    const { response, path } = responseOf(event)
    tellMetadata(response, emit)
    const status = readText(response.status) ?? outcome
    if (items.isEmpty && Array.isArray(response.output)) {
      response.output.forEach((item: unknown, at) => {
        items.done({ output_index: at, item }, data, [...path, 'output', at], emit)
      })
    }
    const usage = readUsage(response.usage)
    if (usage) emit({ type: 'usage', ...usage })
    switch (status) {
      case 'completed':
        stop(items.isRefused ? 'refusal' : 'end-turn', emit)
        return
      case 'incomplete':
        stop(readIncomplete(response.incomplete_details), emit)
        return
      // Not an end: the service is still at work.
      case undefined:
      case 'queued':
      case 'in_progress':
        return
      default:
        throw readFailure(response)
    }
  }

  function readIncomplete(details: unknown): StopReason {
    const reason = isRecord(details) ? readText(details.reason) : undefined
    if (reason !== undefined && Object.hasOwn(INCOMPLETE, reason)) return INCOMPLETE[reason]!
    log?.warn(`The answer is incomplete: ${reason ?? 'the service does not say why'}`)
    return 'other'
  }

  function stop(reason: StopReason, emit: Emit): void {
    isOver = true
    items.finish(emit, CUT_OFF[reason])
    // The service has no word for it.
    emit({ type: 'stop', reason: reason === 'end-turn' && items.hasCalls ? 'tool-use' : reason })
  }

  return { frame, end() {} }
}

/** Some servers send the response itself where an event that holds it belongs. */
function responseOf(event: Fields): { response: Fields; path: readonly string[] } {
  return isRecord(event.response)
    ? { response: event.response, path: ['response'] }
    : { response: event, path: [] }
}
