import type { CompletionRequest, ReasoningEffort } from '../../request.ts'
import type { Effort, MessagesRules } from './rules.ts'

export interface ThinkingFields {
  thinking?: Record<string, unknown>
  effort?: Effort
}

/** What a request wants beside thinking that decides on it. */
export interface ThinkingCircumstances {
  maxTokens: number
  /** A tool is forced. */
  isForced: boolean
  /** The calls that are answered now were made without thinking, for example by another service. */
  continuesWithoutThinking: boolean
  warn: (message: string) => void
}

/** The least that the API takes. */
const MIN_BUDGET = 1024
/** Of `max_tokens`, so that something is left for the answer. */
const BUDGET_SHARE = 0.8

const BUDGETS: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: MIN_BUDGET,
  low: 4_096,
  medium: 10_000,
  high: 24_000,
  max: 60_000,
}

const WANTED: Readonly<Record<Exclude<ReasoningEffort, 'none'>, Effort>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  max: 'max',
}

/** How the request asks the model to think, or not to. */
export function encodeThinking(
  request: CompletionRequest,
  rules: MessagesRules,
  circumstances: ThinkingCircumstances,
): ThinkingFields {
  const { reasoningEffort } = request
  const { warn } = circumstances
  if (rules.thinking === 'none') {
    if (reasoningEffort && reasoningEffort !== 'none') {
      warn(`reasoningEffort "${reasoningEffort}" has no effect: the model does not think`)
    }
    return {}
  }
  if (!request.thinkingAllowed || reasoningEffort === 'none') return withoutThinking(rules, warn)
  const effort = reasoningEffort && fitEffort(WANTED[reasoningEffort], rules.efforts, warn)
  const withEffort = effort ? { effort } : {}
  const wanted = wantedThinking(request, rules, circumstances)
  if (!wanted) return rules.thinking === undefined ? withEffort : {}
  const obstacle = findObstacle(request, rules, wanted, circumstances)
  if (obstacle === undefined) return { thinking: wanted, ...withEffort }
  if (reasoningEffort) warn(`Thinking is turned off for this request: ${obstacle}`)
  return withoutThinking(rules, warn)
}

function wantedThinking(
  request: CompletionRequest,
  rules: MessagesRules,
  { maxTokens, warn }: ThinkingCircumstances,
): Record<string, unknown> | undefined {
  const effort = request.reasoningEffort
  const budget = rules.thinkingBudget
  const takesBudget = rules.thinking === 'budget' || (rules.thinking === undefined && budget !== undefined)
  if (!takesBudget) {
    if (budget !== undefined) warn('thinkingBudget has no effect: the model decides how much it thinks')
    // Of a model that is not known only what was asked for is sent.
    if (rules.thinking === undefined && effort === undefined) return undefined
    // Newer models leave the words out unless they are asked for.
    return { type: 'adaptive', display: 'summarized' }
  }
  const tokens = budget ?? (effort === undefined || effort === 'none' ? undefined : BUDGETS[effort])
  if (tokens === undefined) return undefined
  const most = Math.floor(maxTokens * BUDGET_SHARE)
  if (most < MIN_BUDGET) {
    warn(`Thinking is turned off for this request: maxTokens ${maxTokens} leaves no room for it`)
    return undefined
  }
  return { type: 'enabled', budget_tokens: Math.max(MIN_BUDGET, Math.min(tokens, most)) }
}

/** Why the API would refuse the request with thinking. */
function findObstacle(
  { temperature, topP }: CompletionRequest,
  rules: MessagesRules,
  wanted: Record<string, unknown>,
  { isForced, continuesWithoutThinking }: ThinkingCircumstances,
): string | undefined {
  if (isForced) return 'a tool cannot be forced while the model thinks'
  if (rules.sampling && temperature !== undefined && temperature !== 1) {
    return 'temperature cannot be set while the model thinks'
  }
  if (rules.sampling && topP !== undefined && topP < 0.95)
    return 'topP must be 0.95 or more while the model thinks'
  if (continuesWithoutThinking && wanted.type === 'enabled') {
    return 'the calls that are answered were made without thinking'
  }
  return undefined
}

function withoutThinking(rules: MessagesRules, warn: (message: string) => void): ThinkingFields {
  switch (rules.thinkingOff) {
    case 'omit':
      return {}
    case 'disabled':
    case 'between_tools':
      return { thinking: { type: rules.thinkingOff } }
    case 'never': {
      warn('The model always thinks: it is asked for the least effort instead')
      const [effort] = rules.efforts
      return effort ? { effort } : {}
    }
    default:
      return rules.thinkingOff satisfies never
  }
}

function fitEffort(
  wanted: Effort,
  efforts: readonly Effort[],
  warn: (message: string) => void,
): Effort | undefined {
  if (efforts.length === 0 || efforts.includes(wanted)) return efforts.length === 0 ? undefined : wanted
  const fitting = wanted === 'max' ? efforts.at(-1)! : efforts[0]!
  warn(`The model has no effort "${wanted}": "${fitting}" is sent instead`)
  return fitting
}
