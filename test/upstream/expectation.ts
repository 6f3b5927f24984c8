import type { StopReason, TokenUsage, ToolUse } from '../../host/contract/events.ts'
import type { ProviderErrorKind } from '../../host/errors.ts'

/** What a stream comes to, worked out by reading it. What is left out must be absent. */
export interface Expectation {
  text: string
  thinking?: string
  toolUses?: ToolUse[]
  /** Calls that must not be run: name and the arguments as they came. */
  brokenCalls?: { id: string; name: string; rawInput: string }[]
  /** URLs. */
  citations?: string[]
  /** Every item of the body's `reasoning_details` must come back unchanged. */
  reasoningDetails?: 'as recorded'
  usage?: TokenUsage
  id?: string
  model?: string
  /** A stream ends in one of these two. */
  stop?: StopReason
  error?: { kind: ProviderErrorKind; code: string; message: RegExp }
}
