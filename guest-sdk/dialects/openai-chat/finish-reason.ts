import type { StopReason } from '../../events.ts'
import type { ProviderErrorKind } from '../../provider-error.ts'

/** What a `finish_reason` says: how the answer ended, or that it failed. */
export type Finish = { stop: StopReason } | { failure: ProviderErrorKind }

/** In lower case: some services pass on the words of another dialect, in its spelling. */
const MEANINGS: Readonly<Record<string, Finish>> = {
  stop: { stop: 'end-turn' },
  end_turn: { stop: 'end-turn' },
  eos: { stop: 'end-turn' },
  eos_token: { stop: 'end-turn' },
  completed: { stop: 'end-turn' },
  stop_sequence: { stop: 'stop-sequence' },
  length: { stop: 'max-tokens' },
  max_tokens: { stop: 'max-tokens' },
  max_output_tokens: { stop: 'max-tokens' },
  model_length: { stop: 'max-tokens' },
  model_context_window_exceeded: { stop: 'max-tokens' },
  tool_calls: { stop: 'tool-use' },
  tool_use: { stop: 'tool-use' },
  function_call: { stop: 'tool-use' },
  content_filter: { stop: 'content-filter' },
  content_filtered: { stop: 'content-filter' },
  sensitive: { stop: 'content-filter' },
  safety: { stop: 'content-filter' },
  recitation: { stop: 'content-filter' },
  blocklist: { stop: 'content-filter' },
  prohibited_content: { stop: 'content-filter' },
  spii: { stop: 'content-filter' },
  refusal: { stop: 'refusal' },
  error: { failure: 'other' },
  network_error: { failure: 'network' },
  insufficient_system_resource: { failure: 'overloaded' },
  abort: { failure: 'other' },
  cancelled: { failure: 'other' },
}

/** Undefined for what is no reason: null, nothing, and the empty string that some send with every chunk. */
export function readFinishReason(reason: unknown): Finish | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined
  const word = reason.toLowerCase()
  return Object.hasOwn(MEANINGS, word) ? MEANINGS[word] : { stop: 'other' }
}
