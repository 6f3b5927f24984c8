import type { StopReason } from '../../events.ts'

const MEANINGS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end-turn',
  max_tokens: 'max-tokens',
  // The window is full: the answer is cut off as by a limit.
  model_context_window_exceeded: 'max-tokens',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-use',
  refusal: 'refusal',
  sensitive: 'content-filter',
  content_filter: 'content-filter',
  content_filtered: 'content-filter',
  // A long turn with tools of the service's own: it goes on when the history is sent again.
  pause_turn: 'other',
}

/** What a `stop_reason` says; undefined for what is none. A reason that nobody has heard of is `other`. */
export function readStopReason(reason: unknown): StopReason | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined
  return Object.hasOwn(MEANINGS, reason) ? MEANINGS[reason] : 'other'
}
