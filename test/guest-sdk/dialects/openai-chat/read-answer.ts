import type { BytesFrame, ServerSentEvent, TextFrame } from '../../../../guest-sdk/decoder.ts'
import {
  type ChatDecoderOptions,
  createChatDecoder,
} from '../../../../guest-sdk/dialects/openai-chat/index.ts'
import type { CompletionEvent, StopReason, TokenUsage } from '../../../../guest-sdk/events.ts'
import { ProviderError } from '../../../../guest-sdk/provider-error.ts'
import { createFramer, type Frame } from '../../../../host/http/frames.ts'

/** What an answer came to. What did not come is absent. */
export interface Answer {
  text: string
  thinking?: string
  calls?: [id: string, name: string, input: string][]
  broken?: [id: string, name: string, rawInput: string, error: string][]
  citations?: (string | undefined)[]
  images?: { source: string; mediaType?: string | undefined }[]
  details?: unknown[]
  id?: string | undefined
  model?: string | undefined
  usage?: TokenUsage
  stop?: StopReason
  error?: Partial<ProviderError>
}

/** Feeds frames to a decoder, as the host does; an error ends the answer and keeps what came before it. */
export function readAnswer(
  frames: Iterable<ServerSentEvent | TextFrame>,
  options: ChatDecoderOptions = {},
): Answer {
  const events: CompletionEvent[] = []
  const emit = (event: CompletionEvent) => void events.push(event)
  let error: ProviderError | undefined
  try {
    const decoder = createChatDecoder({ newToolCallId: counter(), ...options })
    for (const frame of frames) decoder.frame(frame, emit)
    decoder.end(emit)
  } catch (caught) {
    if (!(caught instanceof ProviderError)) throw caught
    error = caught
  }
  const answer = summarize(events)
  if (error) {
    const { kind, message, code, status, retryAfterMs } = error
    answer.error = Object.fromEntries(
      Object.entries({ kind, message, code, status, retryAfterMs }).filter(
        ([, value]) => value !== undefined,
      ),
    )
  }
  return answer
}

/** The events of `data:` lines; objects are written as JSON, and `[DONE]` follows unless `done` is false. */
export function stream(...chunks: readonly (object | string)[]): ServerSentEvent[] {
  return chunks.map(chunk => ({ data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk) }))
}

/** A chunk with one choice. */
export function delta(fields: object, finish: string | null = null): object {
  return { id: 'c1', model: 'm1', choices: [{ index: 0, delta: fields, finish_reason: finish }] }
}

/** A body's frames, however its bytes are cut. */
export function framesOf(pieces: readonly Uint8Array[]): (ServerSentEvent | TextFrame)[] {
  const framer = createFramer('server-sent-events')
  const frames = pieces.flatMap(piece => framer.push(piece))
  return [...frames, ...framer.end()].map(toSdkFrame)
}

function toSdkFrame(frame: Frame): ServerSentEvent | TextFrame {
  if (frame.tag === 'event') return frame.val
  if (frame.tag === 'text') return { text: frame.val }
  throw new TypeError(`no such frame here: ${({ bytes: frame.val } satisfies BytesFrame).bytes.length} bytes`)
}

function summarize(events: readonly CompletionEvent[]): Answer {
  const answer: Answer = { text: '' }
  for (const event of events) {
    if (answer.stop !== undefined) throw new Error(`an event after stop: ${event.type}`)
    switch (event.type) {
      case 'text':
        answer.text += event.text
        break
      case 'thinking':
        answer.thinking = (answer.thinking ?? '') + event.text
        break
      case 'tool-use':
        answer.calls = [...(answer.calls ?? []), [event.id, event.name, event.input]]
        break
      case 'tool-use-json-parse-error':
        answer.broken = [...(answer.broken ?? []), [event.id, event.name, event.rawInput, event.error]]
        break
      case 'citation':
        answer.citations = [...(answer.citations ?? []), event.url]
        break
      case 'image': {
        const { type: _, ...image } = event
        answer.images = [...(answer.images ?? []), image]
        break
      }
      case 'reasoning-details':
        answer.details = [...(answer.details ?? []), JSON.parse(event.data)]
        break
      case 'response-metadata':
        if ('id' in answer || 'model' in answer) throw new Error('response-metadata came twice')
        if (event.id !== undefined) answer.id = event.id
        if (event.model !== undefined) answer.model = event.model
        break
      case 'usage': {
        const { type: _, ...usage } = event
        answer.usage = usage
        break
      }
      case 'stop':
        answer.stop = event.reason
        break
      default:
        break
    }
  }
  return answer
}

function counter(): () => string {
  let made = 0
  return () => `new-${++made}`
}
