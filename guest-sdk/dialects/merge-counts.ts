import type { TokenUsage } from '../events.ts'

/** What one report of a service says; undefined where it does not. */
export type ReportedCounts = { [Field in keyof TokenUsage]?: number | undefined }

/**
 * Counts are running totals: each replaces the one before it, and what a report leaves out stays as it was.
 * Returns whether anything is new.
 */
export function mergeCounts(known: TokenUsage, found: ReportedCounts): boolean {
  let changed = false
  for (const field of Object.keys(found) as (keyof TokenUsage)[]) {
    const count = found[field]
    if (count === undefined || known[field] === count) continue
    known[field] = count
    changed = true
  }
  return changed
}
