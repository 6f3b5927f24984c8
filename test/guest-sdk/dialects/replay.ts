import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Decoder, ServerSentEvent, TextFrame } from '../../../guest-sdk/decoder.ts'
import type { CompletionEvent } from '../../../guest-sdk/events.ts'
import { ProviderError } from '../../../guest-sdk/provider-error.ts'
import type { MessagePart, RequestMessage } from '../../../guest-sdk/request.ts'
import { createFramer, type Frame } from '../../../host/http/frames.ts'
import { type CollectedAnswer, collectResult } from '../../../host/runtime/collect-result.ts'
import { repoRoot } from '../../support/repo-root.ts'

/** Recorded bodies of real services; they lie beside the repository, where there are any. */
const folder = join(repoRoot, '../shared/fixtures')

export const hasRecording = (file: string): boolean => existsSync(join(folder, file))

/** A recorded body as it goes over the wire: `.chunks.txt` files lost their framing when they were recorded. */
export function recordedBody(file: string, options: { named: boolean }): Buffer {
  const recorded = readFileSync(join(folder, file))
  if (!file.endsWith('.chunks.txt')) return recorded
  const documents = recorded.toString('utf8').split('\n').filter(Boolean)
  const frames = documents.map(document => {
    const { type } = JSON.parse(document) as { type?: string }
    return `${options.named ? `event: ${type}\n` : ''}data: ${document}\n\n`
  })
  return Buffer.from(frames.join(''))
}

type AnyDecoder = Decoder<'server-sent-events'> & {
  frame(frame: ServerSentEvent | TextFrame, emit: (event: CompletionEvent) => void): void
}

export interface Replayed {
  events: CompletionEvent[]
  /** As the host collects it. */
  result: CollectedAnswer
  stopped: boolean
  error?: ProviderError
}

/** Feeds frames to a decoder, as the host does; an error ends the answer and keeps what came before it. */
export function replay(decoder: AnyDecoder, frames: Iterable<ServerSentEvent | TextFrame>): Replayed {
  const events: CompletionEvent[] = []
  const emit = (event: CompletionEvent) => {
    if (events.at(-1)?.type === 'stop') throw new Error(`an event after stop: ${event.type}`)
    events.push(event)
  }
  let error: ProviderError | undefined
  try {
    for (const frame of frames) decoder.frame(frame, emit)
    decoder.end?.(emit)
  } catch (caught) {
    if (!(caught instanceof ProviderError)) throw caught
    error = caught
  }
  return {
    events,
    result: collectResult(events as Parameters<typeof collectResult>[0]),
    stopped: events.at(-1)?.type === 'stop',
    ...(error && { error }),
  }
}

/** A body's frames, however its bytes are cut. */
export function framesOf(pieces: readonly Uint8Array[]): (ServerSentEvent | TextFrame)[] {
  const framer = createFramer('server-sent-events')
  const frames: Frame[] = pieces.flatMap(piece => framer.push(piece))
  return [...frames, ...framer.end()].map(frame => {
    if (frame.tag === 'event') return frame.val
    if (frame.tag === 'text') return { text: frame.val }
    throw new TypeError('bytes in a stream of events')
  })
}

/** The events of a stream, each named by its type. */
export function events(...chunks: readonly (object | string)[]): ServerSentEvent[] {
  return chunks.map(chunk => {
    if (typeof chunk === 'string') return { data: chunk }
    const { type } = chunk as { type?: string }
    return { ...(type !== undefined && { event: type }), data: JSON.stringify(chunk) }
  })
}

/** The next request's history: what was asked, what was answered, and a result for each call. */
export function secondTurn(result: CollectedAnswer): RequestMessage[] {
  const message = (role: RequestMessage['role'], content: MessagePart[]): RequestMessage => ({
    role,
    content,
    cache: false,
  })
  const answers = result.parts.flatMap((part): MessagePart[] =>
    part.type === 'tool-use'
      ? [
          {
            type: 'tool-result',
            toolUseId: part.id,
            toolName: part.name,
            isError: false,
            content: [{ type: 'text', text: 'done' }],
          },
        ]
      : [],
  )
  return [
    message('user', [{ type: 'text', text: 'first' }]),
    message('assistant', result.parts as MessagePart[]),
    message('user', answers.length > 0 ? answers : [{ type: 'text', text: 'go on' }]),
  ]
}
