import type { TextFilter } from './text-filter.ts'
import { WRAPPER } from './wrap-schema.ts'

const OPENING = `{"${WRAPPER}":`

/** The value inside `{"answer": ...}` as it comes. Text that begins otherwise stays as it is. */
export function createUnwrapFilter(): TextFilter {
  let state: 'before' | 'inside' | 'after' | 'other' = 'before'
  let held = ''
  let depth = 0
  let isText = false
  let isEscaped = false

  function push(text: string): string {
    if (state === 'other') return text
    if (state === 'after') return ''
    if (state === 'inside') return inside(text)
    held += text
    const begun = held.replace(/\s+/g, '')
    if (begun.startsWith(OPENING)) {
      state = 'inside'
      const value = held.slice(held.indexOf(':') + 1)
      held = ''
      return inside(value)
    }
    if (OPENING.startsWith(begun)) return ''
    state = 'other'
    return end()
  }

  function inside(text: string): string {
    for (let at = 0; at < text.length; at++) {
      const char = text[at]
      if (isEscaped) isEscaped = false
      else if (isText) {
        if (char === '\\') isEscaped = true
        else if (char === '"') isText = false
      } else if (char === '"') isText = true
      else if (char === '{' || char === '[') depth++
      else if (depth > 0) {
        if (char === '}' || char === ']') depth--
      } else if (char === '}' || char === ',') {
        state = 'after'
        return text.slice(0, at)
      }
    }
    return text
  }

  function end(): string {
    const rest = held
    held = ''
    return rest
  }

  return { push, end }
}
