import { distance } from 'fastest-levenshtein'

/** More suggestions than this are a list to read, not a hint. */
const MAX_SUGGESTIONS = 3

/**
 * Known names that look like a mistyped one, best first, at most three.
 * A name counts as near when it is one edit in three letters away, has the same letters, or holds the whole of
 * what was typed.
 */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  const typed = name.toLowerCase()
  const near: { candidate: string; edits: number }[] = []
  for (const candidate of new Set(known)) {
    const compared = candidate.toLowerCase()
    // Swapped letters are two edits to the library, but one slip of the fingers, and the likeliest.
    const edits = letters(typed) === letters(compared) ? 0.5 : distance(typed, compared)
    const allowed = Math.max(1, Math.floor(Math.max(typed.length, compared.length) / 3))
    if (edits <= allowed || (typed.length >= 3 && compared.includes(typed))) near.push({ candidate, edits })
  }
  return near
    .sort((a, b) => a.edits - b.edits || a.candidate.localeCompare(b.candidate))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate)
}

function letters(name: string): string {
  return [...name].sort().join('')
}
