import { beforeAll, describe, expect, test } from 'vitest'
import { BEHAVIOURS } from './behaviours.ts'
import { SUBJECTS } from './extensions.ts'
import { FAILURES } from './failures.ts'
import { type Outcomes, runTable } from './run-table.ts'

describe.each(SUBJECTS)('$provider', subject => {
  let outcomes: Outcomes

  beforeAll(async () => {
    outcomes = await runTable(subject)
  }, 180_000)

  test.each([...BEHAVIOURS, ...FAILURES])('$title', ({ id }) => {
    const outcome = outcomes.get(id)
    if (outcome?.is === 'fail') throw outcome.error
    expect(outcome?.is).toMatch(/^(pass|absent)$/)
  })
})
