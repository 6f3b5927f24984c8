/**
 * What a completion tells its caller. The host puts `started` first, `usage` right before the end and
 * joins halves of surrogate pairs; a decoder emits what the service says, in the service's order, and
 * exactly one `stop`, last. Absent fields are absent or undefined.
 */
export type CompletionEvent =
  | { type: 'started' }
  | ({ type: 'response-metadata' } & ResponseMetadata)
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string; signature?: string | undefined }
  /** Opaque; goes back to the service byte for byte. */
  | { type: 'redacted-thinking'; data: string }
  /** The next piece of a call's arguments; the whole call follows as `tool-use`. */
  | { type: 'tool-input-delta'; id: string; name: string; delta: string }
  | ({ type: 'tool-use' } & ToolUse)
  /** The model wrote arguments that are not JSON. */
  | { type: 'tool-use-json-parse-error'; id: string; name: string; rawInput: string; error: string }
  | ({ type: 'image' } & ImageData)
  | ({ type: 'citation' } & Citation)
  /** Provider-specific JSON text to be sent back with the next request. */
  | { type: 'reasoning-details'; data: string }
  /** A block that only this provider understands, as JSON text, kept in its place in the history. */
  | { type: 'provider-content'; data: string }
  /** Running totals: each field replaces the one before it. */
  | ({ type: 'usage' } & TokenUsage)
  | { type: 'stop'; reason: StopReason }

/** Hands one event to the host. Events leave in the order in which they are emitted. */
export type Emit = (event: CompletionEvent) => void

export interface ResponseMetadata {
  /** The service's own id for the answer. */
  id?: string | undefined
  /** The model that gave it, which may be another than the one asked for. */
  model?: string | undefined
}

export interface ToolUse {
  id: string
  name: string
  /** JSON text of the arguments. */
  input: string
  /** Default: true. False where the answer was cut off inside the arguments. */
  isInputComplete?: boolean | undefined
  /** Opaque; goes back to the service byte for byte. */
  thoughtSignature?: string | undefined
}

export interface ImageData {
  /** Base64 without a data-URI prefix, or an https URL. */
  source: string
  /** IANA media type; absent means that the source is a URL. */
  mediaType?: string | undefined
  /** Pixels. */
  width?: number | undefined
  /** Pixels. */
  height?: number | undefined
}

/** A source that the answer rests on. */
export interface Citation {
  url?: string | undefined
  title?: string | undefined
  text?: string | undefined
}

/** Tokens. */
export interface TokenUsage {
  inputTokens: number
  outputTokens: number
  cacheCreationInputTokens?: number | undefined
  cacheReadInputTokens?: number | undefined
  /** The part of the output spent on reasoning. */
  reasoningTokens?: number | undefined
  /** The service's own total, which need not be the sum. */
  totalTokens?: number | undefined
}

export type StopReason =
  | 'end-turn'
  | 'max-tokens'
  | 'stop-sequence'
  | 'tool-use'
  | 'refusal'
  | 'content-filter'
  /** The service gave a reason that none of these name. */
  | 'other'
