/**
 * What a completion tells its caller, in order:
 * `started` first; any number of the middle ones; `usage` at most once, right before the end; then
 * exactly one end: `stop`, or a thrown `ProviderError`. Absent fields are absent, never null.
 */
export type CompletionEvent =
  | { type: 'started' }
  | ({ type: 'response-metadata' } & ResponseMetadata)
  | { type: 'text'; text: string }
  /** Pieces of one block follow each other; a signature ends the block. */
  | { type: 'thinking'; text: string; signature?: string }
  /** Opaque; goes back to the service byte for byte. */
  | { type: 'redacted-thinking'; data: string }
  /** The next piece of a call's arguments; the whole call follows as `tool-use`. */
  | { type: 'tool-input-delta'; id: string; name: string; delta: string }
  | ({ type: 'tool-use' } & ToolUse)
  /** The model wrote arguments that are not JSON, or the answer was cut off inside them. Never run it. */
  | { type: 'tool-use-json-parse-error'; id: string; name: string; rawInput: string; error: string }
  | ({ type: 'image' } & ImageData)
  | ({ type: 'citation' } & Citation)
  /** Provider-specific JSON text to be sent back with the next request. */
  | { type: 'reasoning-details'; data: string }
  /** A block that only this provider understands, as JSON text, kept in its place in the history. */
  | { type: 'provider-content'; data: string }
  | ({ type: 'usage' } & TokenUsage)
  | { type: 'stop'; reason: StopReason }

export type CompletionEventType = CompletionEvent['type']

export interface ResponseMetadata {
  /** The service's own id for the answer. */
  id?: string
  /** The model that gave it, which may be another than the one asked for. */
  model?: string
}

export interface ToolUse {
  /** Unique in its completion. */
  id: string
  name: string
  /** JSON text of the arguments, valid. From a model, so untrusted. */
  input: string
  /** Opaque; goes back to the service byte for byte. */
  thoughtSignature?: string
}

export interface ImageData {
  /** Base64 without a data-URI prefix, or an https URL. */
  source: string
  /** IANA media type; absent means that the source is a URL. */
  mediaType?: string
  /** Pixels. */
  width?: number
  /** Pixels. */
  height?: number
}

/** A source that the answer rests on. */
export interface Citation {
  url?: string
  title?: string
  text?: string
}

/** Tokens. `inputTokens` and `outputTokens` are what the service reported, 0 where it said nothing of them. */
export interface TokenUsage {
  inputTokens: number
  outputTokens: number
  cacheCreationInputTokens?: number
  cacheReadInputTokens?: number
  /** The part of the output spent on reasoning. */
  reasoningTokens?: number
  /** The service's own total, which need not be the sum. */
  totalTokens?: number
  /** Absent where the model's price is not known: that is not 0. */
  cost?: TokenCost
}

/** US dollars, by the model's list price. */
export interface TokenCost {
  /** Of what the cache had no part in. */
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  total: number
}

export const STOP_REASONS = [
  'end-turn',
  'max-tokens',
  'stop-sequence',
  'tool-use',
  'refusal',
  'content-filter',
  /** The service gave a reason that none of these name. */
  'other',
] as const

export type StopReason = (typeof STOP_REASONS)[number]
