import { beforeAll, describe, expect, test } from 'vitest'
import { SUBJECTS } from './extensions.ts'
import { type Outcomes, rowsOf, runTables } from './run-table.ts'

let tables: ReturnType<typeof runTables>

beforeAll(() => {
  tables = runTables(SUBJECTS)
})

describe.each(SUBJECTS)('$provider', subject => {
  let outcomes: Outcomes

  beforeAll(async () => {
    outcomes = await tables.get(subject)!
  }, 300_000)

  test.each(rowsOf(subject))('$title', ({ id }) => {
    const outcome = outcomes.get(id)
    if (outcome?.is === 'fail') throw outcome.error
    expect(outcome?.is).toMatch(/^(pass|absent)$/)
  })
})
