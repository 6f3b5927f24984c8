import type { StopReason } from '../../contract/events.ts'
import type { FinishReasonV2, FinishReasonV3, FinishReasonV4 } from './specification.ts'

/** `failed`: an error ended the answer. `interrupted`: the connection did. */
export type Ending = StopReason | 'failed' | 'interrupted'

const UNIFIED: Readonly<Record<Exclude<Ending, 'interrupted'>, FinishReasonV2>> = {
  'end-turn': 'stop',
  'stop-sequence': 'stop',
  'max-tokens': 'length',
  'tool-use': 'tool-calls',
  refusal: 'content-filter',
  'content-filter': 'content-filter',
  other: 'other',
  failed: 'error',
}

export function toFinishReasonV2(ending: Ending): FinishReasonV2 {
  return UNIFIED[ending === 'interrupted' ? 'failed' : ending]
}

export function toFinishReasonV3(ending: Ending): FinishReasonV3 {
  return { unified: toFinishReasonV2(ending), raw: isService(ending) ? ending : undefined }
}

export function toFinishReasonV4(ending: Ending): FinishReasonV4 {
  return ending === 'interrupted' ? { unified: ending, raw: undefined } : toFinishReasonV3(ending)
}

/** The reason is the service's, not ours. */
function isService(ending: Ending): boolean {
  return ending !== 'failed' && ending !== 'interrupted'
}
