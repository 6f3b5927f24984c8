import type { Carried } from '../carried-parts.ts'
import type { LanguageModelToolCallPart } from './parts.ts'

/** What has to go back with a call, and whose it is. */
export interface Keepsake {
  /** As callers write it. */
  provider: string
  carried: Carried
}

// Each may hold what the model thought. A conversation with more open ends than this is not gone on with.
const MAX_KEPT = 1_000

/**
 * What the parts of the interface have no room for: signatures, and thinking that belongs before a call. A part that
 * the caller hands back has it; so has a new one of the same call,
 * unless another answer has such a call too: not all services give ids that are theirs alone.
 */
export function createKeepsakes() {
  const byPart = new WeakMap<object, Keepsake>()
  /** Undefined for a call that two answers have: it may be either's. */
  const byCall = new Map<string, Keepsake | undefined>()

  return {
    keep(part: LanguageModelToolCallPart, keepsake: Keepsake): void {
      const { carried } = keepsake
      if (carried.thoughtSignature === undefined && carried.before.length === 0) return
      byPart.set(part, keepsake)
      const key = keyOf(part)
      byCall.set(key, byCall.has(key) ? undefined : keepsake)
      if (byCall.size > MAX_KEPT) byCall.delete(byCall.keys().next().value!)
    },
    find: (part: LanguageModelToolCallPart): Keepsake | undefined =>
      byPart.get(part) ?? byCall.get(keyOf(part)),
  }
}

export type Keepsakes = ReturnType<typeof createKeepsakes>

/** Ids are unique in their answer only. */
function keyOf({ callId, name, input }: LanguageModelToolCallPart): string {
  return JSON.stringify([callId, name, input])
}
