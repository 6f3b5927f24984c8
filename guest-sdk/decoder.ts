import type { Emit } from './events.ts'

/** How the host cuts the response body into frames. */
export type Framing =
  | 'server-sent-events'
  /** One frame a line, e.g. JSON lines. */
  | 'lines'
  /** The whole body as one frame. */
  | 'whole'
  /** As the bytes come. */
  | 'bytes'

export interface ServerSentEvent {
  /** The `event:` field. */
  event?: string
  data: string
}

export interface TextFrame {
  text: string
}

export interface BytesFrame {
  bytes: Uint8Array
}

export type FrameOf<F extends Framing> = F extends 'server-sent-events'
  ? ServerSentEvent
  : F extends 'bytes'
    ? BytesFrame
    : TextFrame

/** The state machine of one completion: frames in, events out. */
export interface Decoder<F extends Framing = 'server-sent-events'> {
  /** @throws {ProviderError} to end the completion with that error. */
  frame(frame: FrameOf<F>, emit: Emit): void
  /** The body has ended: emit what is still owed. Default: nothing is. */
  end?(emit: Emit): void
}
