import { formatPath } from '../contract/describe-issue.ts'

export interface InputIssue {
  /** e.g. `files[0].name`; empty for the whole. */
  path: string
  /** A whole sentence, the path in it. */
  message: string
}

// Nobody writes arguments deeper than this; what is deeper is a circle, or wants to exhaust the stack.
const MAX_DEPTH = 128

/**
 * A copy of what JSON can say, so that neither side can change what the other checked. What JSON cannot say is named
 * in `issues`. A key `__proto__` is refused: a tool that copies its parameters would set a prototype.
 */
export function copyJson(value: unknown): { value: unknown; issues: InputIssue[] } {
  const issues: InputIssue[] = []

  function refuse(path: readonly PropertyKey[], problem: string): undefined {
    const at = formatPath(path)
    issues.push({ path: at, message: `${at || 'the whole'} ${problem}` })
    return undefined
  }

  function copy(from: unknown, path: readonly PropertyKey[]): unknown {
    if (from === null || typeof from === 'string' || typeof from === 'boolean') return from
    if (typeof from === 'number')
      return Number.isFinite(from) ? from : refuse(path, `must be a number of JSON, not ${from}`)
    if (typeof from !== 'object') return refuse(path, `must be a value of JSON, not a ${typeof from}`)
    if (path.length > MAX_DEPTH)
      return refuse(path.slice(0, 3), `is nested more than ${MAX_DEPTH} levels deep`)
    if (Array.isArray(from)) return Array.from(from, (item, index) => copy(item, [...path, index]))
    const prototype: unknown = Object.getPrototypeOf(from)
    // Another realm's plain objects have another Object.prototype.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      return refuse(path, 'must be a plain object')
    const made: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(from)) {
      if (key === '__proto__') refuse(path, 'must not have a key "__proto__"')
      else if (item !== undefined) made[key] = copy(item, [...path, key])
    }
    return made
  }

  return { value: copy(value, []), issues }
}
