/** The names of a request's tools as a service takes them, and back. */
export interface ToolNames {
  toWire(name: string): string
  /** A name that is no tool of the request comes back as it is. */
  fromWire(name: string): string
}

export interface ToolNameRule {
  /** One letter that may stand in a name. */
  allowed: RegExp
  /** One letter that may stand first. Default: as `allowed`. */
  first?: RegExp
  maxLength: number
}

/**
 * Names that fit stay. In others each letter that does not fit becomes `_`; two that come to the same are told apart
 * by number. The same tools give the same names every time.
 */
export function createToolNames(names: readonly string[], rule: ToolNameRule): ToolNames {
  const toWire = new Map<string, string>()
  const fromWire = new Map<string, string>()
  const keep = (name: string, wire: string) => {
    toWire.set(name, wire)
    fromWire.set(wire, name)
  }
  // Those that fit come first: they may not lose their name to one that was mended.
  for (const name of names) if (fits(name, rule)) keep(name, name)
  for (const name of names) {
    if (toWire.has(name)) continue
    const mended = mend(name, rule)
    let wire = mended
    for (let at = 2; fromWire.has(wire); at++) wire = `${mended.slice(0, rule.maxLength - 5)}_${at}`
    keep(name, wire)
  }
  return {
    // A history may name tools that are gone.
    toWire: name => toWire.get(name) ?? (fits(name, rule) ? name : mend(name, rule)),
    fromWire: name => fromWire.get(name) ?? name,
  }
}

function fits(name: string, { allowed, first = allowed, maxLength }: ToolNameRule): boolean {
  if (name === '' || name.length > maxLength || !first.test(name[0]!)) return false
  return [...name].every(letter => allowed.test(letter))
}

function mend(name: string, { allowed, first = allowed, maxLength }: ToolNameRule): string {
  const letters = [...name].map(letter => (allowed.test(letter) ? letter : '_')).join('')
  return (first.test(letters[0] ?? '') ? letters : `_${letters}`).slice(0, maxLength)
}
