import type { TokenCost, TokenUsage } from '../../contract/events.ts'

const COUNTS = [
  'inputTokens',
  'outputTokens',
  'cacheCreationInputTokens',
  'cacheReadInputTokens',
  'reasoningTokens',
  'totalTokens',
] as const
const COSTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'total'] as const

/**
 * All steps together. What none of them reported stays absent; the cost too where one of them is not known, since the
 * sum of the others would look like the whole.
 */
export function sumUsage(steps: readonly (TokenUsage | undefined)[]): TokenUsage | undefined {
  const reported = steps.filter(usage => usage !== undefined)
  if (reported.length === 0) return undefined
  const costs = steps.map(usage => usage?.cost)
  return {
    inputTokens: 0,
    outputTokens: 0,
    ...sum(COUNTS, reported),
    ...(costs.every(cost => cost !== undefined) && {
      cost: { input: 0, output: 0, total: 0, ...sum(COSTS, costs) } satisfies TokenCost,
    }),
  }
}

function sum<Name extends string>(
  names: readonly Name[],
  all: readonly Partial<Record<Name, number>>[],
): Partial<Record<Name, number>> {
  const sums: Partial<Record<Name, number>> = {}
  for (const each of all)
    for (const name of names) if (each[name] !== undefined) sums[name] = (sums[name] ?? 0) + each[name]
  return sums
}
