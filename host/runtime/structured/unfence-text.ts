import type { TextFilter } from './text-filter.ts'

const OPENING = /^\s*```[A-Za-z]*[ \t]*\r?\n/
const MAYBE_OPENING = /^\s*(?:`{0,2}|```[A-Za-z]*[ \t]*\r?)$/
// A fence and the white space around it are held back until more comes. White space without end is not.
const MOST_HELD = 64

/** Text without the fence (```` ```json ````) that it stands in. Text that does not begin with one stays as it is. */
export function createUnfenceFilter(): TextFilter {
  let state: 'before' | 'inside' | 'other' = 'before'
  let held = ''

  function push(text: string): string {
    if (state === 'other') return text
    held += text
    if (state === 'before') {
      const opening = OPENING.exec(held)
      if (!opening && held.length <= MOST_HELD && MAYBE_OPENING.test(held)) return ''
      state = opening ? 'inside' : 'other'
      if (!opening) return take(held.length)
      held = held.slice(opening[0].length)
    }
    return take(closingAt(held))
  }

  function take(length: number): string {
    const taken = held.slice(0, length)
    held = held.slice(length)
    return taken
  }

  return {
    push,
    end() {
      const rest = take(held.length)
      return state === 'inside' ? rest.replace(/^\s*`{3}\s*$/, '') : rest
    },
  }
}

/** Where what may be the closing fence begins: with a line's end, or with its own characters. */
function closingAt(text: string): number {
  const tail = text.slice(-MOST_HELD)
  const found = /\s*(?:\n[ \t]*`{0,3}|`{1,3})\s*$/.exec(tail)
  return text.length - tail.length + (found?.index ?? tail.length)
}
