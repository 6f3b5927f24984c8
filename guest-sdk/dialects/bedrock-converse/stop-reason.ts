import type { StopReason } from '../../events.ts'

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end-turn',
  tool_use: 'tool-use',
  max_tokens: 'max-tokens',
  model_context_window_exceeded: 'max-tokens',
  stop_sequence: 'stop-sequence',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
  refusal: 'refusal',
}

/** The model wrote what the service cannot read: no answer. */
export const FAILURES: readonly string[] = ['malformed_model_output', 'malformed_tool_use']

/** @returns `other` for what nobody has heard of. */
export function readStopReason(reason: string): StopReason {
  return Object.hasOwn(STOP_REASONS, reason) ? STOP_REASONS[reason]! : 'other'
}
