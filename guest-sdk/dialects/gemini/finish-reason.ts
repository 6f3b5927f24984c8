import type { StopReason } from '../../events.ts'

/** What a `finishReason` says: how the answer ended, or that the model failed to make one. */
export type Finish = { stop: StopReason } | { failure: true }

const FILTERED: Finish = { stop: 'content-filter' }

const MEANINGS: Readonly<Record<string, Finish>> = {
  STOP: { stop: 'end-turn' },
  MAX_TOKENS: { stop: 'max-tokens' },
  SAFETY: FILTERED,
  RECITATION: FILTERED,
  LANGUAGE: FILTERED,
  BLOCKLIST: FILTERED,
  PROHIBITED_CONTENT: FILTERED,
  SPII: FILTERED,
  JAILBREAK: FILTERED,
  MODEL_ARMOR: FILTERED,
  IMAGE_SAFETY: FILTERED,
  IMAGE_RECITATION: FILTERED,
  IMAGE_PROHIBITED_CONTENT: FILTERED,
  // The model's own mistakes: there is no call and no answer to go on with.
  MALFORMED_FUNCTION_CALL: { failure: true },
  MALFORMED_RESPONSE: { failure: true },
  UNEXPECTED_TOOL_CALL: { failure: true },
  TOO_MANY_TOOL_CALLS: { failure: true },
  MISSING_THOUGHT_SIGNATURE: { failure: true },
}

/** Undefined for what is no reason. One that nobody has heard of is `other`. */
export function readFinishReason(reason: unknown): Finish | undefined {
  if (typeof reason !== 'string' || reason === '' || reason === 'FINISH_REASON_UNSPECIFIED') return undefined
  return Object.hasOwn(MEANINGS, reason) ? MEANINGS[reason] : { stop: 'other' }
}
