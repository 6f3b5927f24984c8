import type { CompletionRequest, ReasoningEffort } from '../../request.ts'
import { resolveRules as resolveMessagesRules } from '../anthropic-messages/rules.ts'
import { encodeThinking } from '../anthropic-messages/thinking.ts'
import type { ConverseRules } from './rules.ts'

/** Where the longest answer is not known: what a budget for thinking is taken from. */
const ASSUMED_MAX_OUTPUT = 32_000

const EFFORTS: Readonly<Record<Exclude<ReasoningEffort, 'none'>, 'low' | 'medium' | 'high'>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  max: 'high',
}

/** What decides on thinking besides the request. */
export interface ModelCircumstances {
  /** A tool is forced. */
  isForced: boolean
  /** The calls that are answered now were made without thinking, for example by another service. */
  continuesWithoutThinking: boolean
  warn: (message: string) => void
}

/** `additionalModelRequestFields`: how the model is asked to think, or not to, in the words of its maker. */
export function encodeModelFields(
  request: CompletionRequest,
  rules: ConverseRules,
  circumstances: ModelCircumstances,
): Record<string, unknown> {
  const { warn } = circumstances
  const { reasoningEffort: effort, thinkingAllowed } = request
  if (rules.thinking?.type === 'anthropic') {
    const own = resolveMessagesRules(rules.thinking.rules)
    const maxTokens = request.maxTokens ?? rules.maxOutputTokens ?? ASSUMED_MAX_OUTPUT
    const { thinking, effort: level } = encodeThinking(request, own, { ...circumstances, maxTokens })
    return { ...(thinking && { thinking }), ...(level && { output_config: { effort: level } }) }
  }
  const isOff = !thinkingAllowed || effort === 'none'
  if (rules.thinking === undefined) {
    if (!isOff && effort !== undefined) warn(`reasoningEffort "${effort}" is left out: the model takes none`)
    return {}
  }
  if (isOff) {
    if (rules.thinking.type === 'nova') return { reasoningConfig: { type: 'disabled' } }
    warn('The model always thinks: it is asked for the least effort instead')
    return { reasoning_effort: 'low' }
  }
  if (effort === undefined) return {}
  const level = EFFORTS[effort]
  if (level !== effort)
    warn(`reasoningEffort "${effort}" is sent as "${level}", the nearest that the model has`)
  return rules.thinking.type === 'nova'
    ? { reasoningConfig: { type: 'enabled', maxReasoningEffort: level } }
    : { reasoning_effort: level }
}
