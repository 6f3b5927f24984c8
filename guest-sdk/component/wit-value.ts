/**
 * What leaves the component must fit the contract to the letter: a string with half a surrogate pair, an
 * undefined field or a wrong number ends the whole instance, with every other completion in it. So authors'
 * values are read through these, whose errors name the value by its path.
 */

/** Text, made well-formed. */
export function text(value: unknown, path: string): string {
  if (typeof value !== 'string') throw wrong(path, 'a string', value)
  return value.isWellFormed() ? value : value.toWellFormed()
}

export function optionalText(value: unknown, path: string): string | undefined {
  return value === undefined || value === null ? undefined : text(value, path)
}

/** A count that fits the contract's unsigned integers. Fractions are cut off. */
export function count(value: unknown, path: string, most: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !(value >= 0) || value > most) {
    throw wrong(
      path,
      most === Number.MAX_SAFE_INTEGER ? 'a number from 0' : `a number from 0 to ${most}`,
      value,
    )
  }
  return Math.trunc(value)
}

export function optionalCount(value: unknown, path: string, most?: number): number | undefined {
  return value === undefined || value === null ? undefined : count(value, path, most)
}

export function oneOf<T extends string>(value: unknown, known: readonly T[], path: string): T {
  const found = known.find(known => known === value)
  if (found === undefined) throw wrong(path, `one of ${known.join(', ')}`, value)
  return found
}

export function list<T>(value: Iterable<T>, path: string): T[] {
  if (Array.isArray(value)) return value
  const iterable: unknown = value
  if (typeof iterable === 'object' && iterable !== null && Symbol.iterator in iterable) return [...value]
  throw wrong(path, 'an array', value)
}

export function object<T>(value: T, path: string): T & object {
  if (typeof value !== 'object' || value === null) throw wrong(path, 'an object', value)
  return value
}

export function wrong(path: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${path} must be ${expected}: it is ${describe(value)}`)
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean') {
    return String(value)
  }
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
