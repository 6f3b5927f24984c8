import type { Attack } from '../attack.ts'
import { componentAttacks } from './components.ts'
import { computeAttacks } from './compute.ts'
import { contractAttacks } from './contract.ts'
import { networkAttacks } from './network.ts'
import { secretAttacks } from './secrets.ts'

/** Every hostile extension. */
export const attacks: readonly Attack[] = [
  ...networkAttacks,
  ...secretAttacks,
  ...computeAttacks,
  ...contractAttacks,
  ...componentAttacks,
]
