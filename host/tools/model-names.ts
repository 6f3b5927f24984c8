import { createHash } from 'node:crypto'

/** What a service takes as a tool's name. */
export interface ToolNameRule {
  /** UTF-16 units. */
  maxLength: number
  /** Whether the character may stand there. */
  allows(character: string, index: number): boolean
}

/** What every service takes: a letter or `_`, then letters, digits, `_` and `-`, 64 in all. */
export const COMMON_NAME_RULE: ToolNameRule = {
  maxLength: 64,
  allows: (character, index) => (index === 0 ? /[A-Za-z_]/ : /[A-Za-z0-9_-]/).test(character),
}

export interface ModelNames {
  /** What the model calls the tool. Throws for an id that was not given. */
  nameOf(id: string): string
  /** The tool that the model means. */
  idOf(name: string): string | undefined
  /** Tools whose name is not their id. */
  readonly renamed: readonly { id: string; name: string }[]
}

/**
 * Names for tools that their service takes. An id that fits stays as it is; others are changed, and numbered where two
 * would be the same. The same ids in the same order give the same names, so that a history can be sent again.
 */
export function toModelNames(ids: Iterable<string>, rule: ToolNameRule = COMMON_NAME_RULE): ModelNames {
  const all = [...new Set(ids)]
  const names = new Map(all.filter(id => fit(id, rule) === id).map(id => [id, id]))
  const owners = new Map(names)
  const renamed: { id: string; name: string }[] = []
  for (const id of all) {
    if (names.has(id)) continue
    const wished = fit(id, rule)
    let name = wished
    for (let count = 2; owners.has(name); count++) name = withEnding(wished, `_${count}`, rule)
    names.set(id, name)
    owners.set(name, id)
    renamed.push({ id, name })
  }
  return {
    nameOf(id) {
      const name = names.get(id)
      if (name === undefined) throw new RangeError(`no name was made for the tool "${id}"`)
      return name
    },
    idOf: name => owners.get(name),
    renamed,
  }
}

function fit(id: string, rule: ToolNameRule): string {
  let name = ''
  for (const character of id) {
    if (rule.allows(character, name.length)) name += character
    else if (name === '' && rule.allows(character, 1) && rule.allows('_', 0)) name = `_${character}`
    else name += '_'
  }
  if (name === '') name = '_'
  if (name.length <= rule.maxLength) return name
  // Long ids are often alike in their beginning.
  return withEnding(name, `_${createHash('sha256').update(id).digest('hex').slice(0, 8)}`, rule)
}

function withEnding(name: string, ending: string, { maxLength }: ToolNameRule): string {
  return name.slice(0, maxLength - ending.length) + ending
}
