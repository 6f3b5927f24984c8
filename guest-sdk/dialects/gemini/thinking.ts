import type { CompletionRequest, ReasoningEffort } from '../../request.ts'
import type { GeminiRules, ThinkingLevel } from './rules.ts'

type Thinking = Exclude<ReasoningEffort, 'none'>

const LEVELS: Readonly<Record<Thinking, ThinkingLevel>> = {
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  max: 'high',
}

const BUDGETS: Readonly<Record<Thinking, number>> = {
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  max: 32_768,
}

/** `generationConfig.thinkingConfig`; undefined where the model does by itself what the request wants. */
export function encodeThinking(
  request: CompletionRequest,
  rules: GeminiRules,
  warn: (message: string) => void,
): Record<string, unknown> | undefined {
  const { reasoningEffort } = request
  if (rules.thinking === 'none') {
    if (reasoningEffort && reasoningEffort !== 'none') {
      warn(`reasoningEffort "${reasoningEffort}" has no effect: the model does not think`)
    }
    return undefined
  }
  if (!request.thinkingAllowed || reasoningEffort === 'none') return withoutThinking(rules, warn)
  // Without it the thoughts are made and paid for, and not told.
  const told = { includeThoughts: true }
  if (rules.thinkingBudget !== undefined) return { ...told, thinkingBudget: rules.thinkingBudget }
  if (reasoningEffort === undefined) return rules.thinking === undefined ? undefined : told
  if (rules.thinking === 'budget') {
    const { least, most } = rules.budget
    return { ...told, thinkingBudget: Math.min(most, Math.max(least, BUDGETS[reasoningEffort])) }
  }
  return { ...told, thinkingLevel: fitLevel(LEVELS[reasoningEffort], rules, warn) }
}

function withoutThinking(
  rules: GeminiRules,
  warn: (message: string) => void,
): Record<string, unknown> | undefined {
  if (rules.thinking === undefined) return undefined
  if (rules.thinking === 'budget') {
    if (rules.budget.least > 0) warn('The model always thinks: it is given the smallest budget instead')
    return { thinkingBudget: rules.budget.least }
  }
  warn('The model always thinks: it is asked for the lowest level instead')
  return { thinkingLevel: rules.levels[0] ?? 'low' }
}

function fitLevel(
  wanted: ThinkingLevel,
  { levels }: GeminiRules,
  warn: (message: string) => void,
): ThinkingLevel {
  if (levels.length === 0 || levels.includes(wanted)) return wanted
  const fitting = wanted === 'high' || wanted === 'medium' ? levels.at(-1)! : levels[0]!
  warn(`The model has no thinking level "${wanted}": "${fitting}" is sent instead`)
  return fitting
}
