import type { CompletionRequest } from '../../request.ts'
import { EFFORTS, type Effort, type ResponsesRules } from './rules.ts'

export interface ReasoningFields {
  /** `reasoning` of the request; absent where it says nothing. */
  reasoning?: { effort: Effort; summary?: 'auto' }
  /** Ask for the reasoning itself, encrypted. */
  encrypted: boolean
  /** The model thinks before it answers. Undefined where that is not known. */
  thinks: boolean | undefined
}

/** How the request asks the model to think, or not to. */
export function encodeReasoning(
  request: CompletionRequest,
  rules: ResponsesRules,
  warn: (message: string) => void,
): ReasoningFields {
  if (rules.thinkingBudget !== undefined) {
    warn('thinkingBudget has no effect: the service takes an effort instead, see reasoningEffort')
  }
  const { reasoningEffort } = request
  if (rules.thinking === false) {
    if (reasoningEffort && reasoningEffort !== 'none') {
      warn(`reasoningEffort "${reasoningEffort}" has no effect: the model does not think`)
    }
    return { encrypted: false, thinks: false }
  }
  const effort = findEffort(request, rules, warn)
  const thinks = effort === undefined ? rules.thinking && rules.defaultEffort !== 'none' : effort !== 'none'
  return {
    ...(effort !== undefined && {
      // Some organisations may not have summaries, so only who asks for thinking gets them.
      reasoning: effort !== 'none' && rules.summaries ? { effort, summary: 'auto' as const } : { effort },
    }),
    // Models that do not think refuse the question.
    encrypted: rules.encryptedReasoning && (rules.thinking === true || thinks === true),
    thinks,
  }
}

function findEffort(
  { thinkingAllowed, reasoningEffort }: CompletionRequest,
  { thinking, efforts }: ResponsesRules,
  warn: (message: string) => void,
): Effort | undefined {
  if (!thinkingAllowed && thinking === undefined && reasoningEffort === undefined) {
    warn('Whether this model thinks is not known, so thinking is not turned off: reasoningEffort "none" does')
    return undefined
  }
  const wanted = thinkingAllowed ? reasoningEffort : 'none'
  if (wanted === undefined || efforts.includes(wanted)) return wanted
  const least = EFFORTS.indexOf(wanted)
  const fitting = efforts.find(effort => EFFORTS.indexOf(effort) >= least) ?? efforts.at(-1)
  if (fitting === undefined) {
    warn(`reasoningEffort "${wanted}" has no effect: the model takes no effort`)
    return undefined
  }
  warn(
    wanted === 'none'
      ? `The model always thinks: it is asked for its least effort, "${fitting}", instead`
      : `The model has no effort "${wanted}": "${fitting}" is sent instead`,
  )
  return fitting
}
