import type { LookupFunction } from 'node:net'
import type { OpenChannel } from '../sandbox/channel.ts'

/**
 * The key of an option for the tests of this repository: whoever sets it stands in for a part that guards. It is not
 * exported from the package.
 */
export const dangerouslyReplace = Symbol('airlock.dangerouslyReplace')

export interface DangerousReplacements {
  /** Resolves names in the place of the system's resolver. */
  lookup?: LookupFunction
  /** Wraps the line to every sandbox, e.g. to see all that goes over it. */
  channel?(open: OpenChannel): OpenChannel
}
