import { ProviderError } from '../errors.ts'
import type { CompletionTarget } from './completion-target.ts'

// A service that has just refused a model lists the others at once, or the error goes without them.
const NEAREST_MODELS_MS = 2_000

/** The service knows no such model: which may have been meant. */
export async function nameNearest(
  failure: unknown,
  target: CompletionTarget | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(failure instanceof ProviderError) || failure.kind !== 'model-not-found' || !target) return failure
  const limited = AbortSignal.any([signal, AbortSignal.timeout(NEAREST_MODELS_MS)])
  const near = (await target.nearestModels(limited)).filter(name => !failure.message.includes(`"${name}"`))
  if (near.length > 0)
    failure.message = `${failure.message.replace(/[.?!]?\s*$/, '.')} Did you mean ${near.map(name => `"${name}"`).join(' or ')}?`
  return failure
}
