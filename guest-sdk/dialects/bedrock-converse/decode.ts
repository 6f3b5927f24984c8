import type { Log } from '../../context.ts'
import type { BytesFrame, Decoder } from '../../decoder.ts'
import type { Emit, StopReason } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import { parseJson } from '../json-value.ts'
import type { ToolNames } from '../tool-names.ts'
import { unreadable } from '../unreadable.ts'
import { createBlocks } from './blocks.ts'
import { readBedrockError } from './error.ts'
import { createEventStream, type EventStreamMessage } from './event-stream.ts'
import { FAILURES, readStopReason } from './stop-reason.ts'
import { readUsage } from './usage.ts'

export interface ConverseDecoderOptions {
  /** Names of tools as the request has them. Default: as the service sends them. */
  toolNames?: ToolNames
  /** Told why an answer was blocked. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

export interface ConverseDecoder extends Decoder<'bytes'> {
  frame(frame: BytesFrame, emit: Emit): void
  end(emit: Emit): void
}

/**
 * The state machine of one answer of ConverseStream: bytes in, events out. The end is told when the body has ended,
 * since token counts come behind the stop reason. An answer that ends with nothing to say why gets no `stop`.
 */
export function createConverseDecoder({ toolNames, log }: ConverseDecoderOptions = {}): ConverseDecoder {
  const stream = createEventStream()
  const blocks = createBlocks(toolNames)
  let stop: StopReason | undefined

  function readMessage({ headers, payload }: EventStreamMessage, emit: Emit): void {
    const type = headers[':message-type']
    // A frame that is no event is never a normal end, whatever it is called.
    if (type === 'exception' || type === 'error') {
      const name = headers[':exception-type'] ?? headers[':error-code']
      const body = headers[':error-message'] ?? payload
      throw new ProviderError(readBedrockError(name, body))
    }
    const event = headers[':event-type'] ?? ''
    // In a stream the service calls its exceptions events at times.
    if (/exception$/i.test(event)) throw new ProviderError(readBedrockError(event, payload))
    const value = parseJson(payload)
    if (!isRecord(value)) {
      if (payload.trim() === '') return
      throw unreadable(payload)
    }
    readEvent(event, value, emit)
  }

  /** Events that nobody has heard of are passed over. */
  function readEvent(event: string, value: Record<string, unknown>, emit: Emit): void {
    switch (event) {
      case 'contentBlockStart':
        blocks.start(value)
        return
      case 'contentBlockDelta':
        blocks.delta(value, emit)
        return
      case 'contentBlockStop':
        blocks.stop(value.contentBlockIndex, emit)
        return
      case 'messageStop':
        readStop(value.stopReason, emit)
        return
      case 'metadata': {
        const usage = readUsage(value.usage)
        if (usage) emit({ type: 'usage', ...usage })
        return
      }
      default:
    }
  }

  function readStop(reason: unknown, emit: Emit): void {
    const word = typeof reason === 'string' ? reason : ''
    if (FAILURES.includes(word)) {
      throw new ProviderError({
        kind: 'other',
        code: word,
        message: `The model broke off its answer: stopReason is "${word}"`,
      })
    }
    stop = readStopReason(word)
    if (stop === 'content-filter' || stop === 'other') log?.warn(`The answer ended with "${word}"`)
    blocks.finish(emit, stop)
  }

  return {
    frame({ bytes }, emit) {
      for (const message of stream.push(bytes)) readMessage(message, emit)
    },
    end(emit) {
      stream.end()
      if (stop === undefined) return
      // Not every model's answer has a word for it.
      emit({ type: 'stop', reason: stop === 'end-turn' && blocks.hasCalls ? 'tool-use' : stop })
    },
  }
}
