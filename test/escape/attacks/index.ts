import type { Attack } from '../attack.ts'
import { componentAttacks } from './components.ts'
import { computeAttacks } from './compute.ts'
import { contractAttacks } from './contract.ts'
import { networkAttacks } from './network.ts'
import { packageAttacks } from './packages.ts'
import { secretAttacks } from './secrets.ts'
import { textAttacks } from './text.ts'

/** Every hostile extension. */
export const attacks: readonly Attack[] = [
  ...networkAttacks,
  ...secretAttacks,
  ...computeAttacks,
  ...contractAttacks,
  ...componentAttacks,
  ...textAttacks,
  ...packageAttacks,
]
