import type { Attack } from '../attack.ts'
import { networkAttacks } from './network.ts'
import { secretAttacks } from './secrets.ts'

/** Every hostile extension. */
export const attacks: readonly Attack[] = [...networkAttacks, ...secretAttacks]
