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
    const near = nearestNames(name, known)
    const hint = near[0] ? `did you mean "${near[0]}"?` : `there are ${known.join(', ')}`
    throw new InvalidOptionError(`Cannot ${action}: there is no option "${name}": ${hint}`)
  }
}
