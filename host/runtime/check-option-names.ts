import { nearestNames } from '../contract/nearest-names.ts'
import { InvalidOptionError } from '../errors.ts'

/**
 * Refuses options that there are not: a misspelled one would silently be no option.
 * @param action what cannot be done, e.g. `complete`
 * @throws {InvalidOptionError} with the nearest known name
 */
export function checkOptionNames(options: object, known: readonly string[], action: string): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    throw new InvalidOptionError(`Cannot ${action}: there is no option "${name}": ${hintAt(name, known)}`)
  }
}

/** What may have been meant by a name that there is not. */
export function hintAt(name: string, known: readonly string[]): string {
  const [nearest] = nearestNames(name, known)
  return nearest ? `did you mean "${nearest}"?` : `there are ${known.join(', ')}`
}
