import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'
import { repoRoot } from '../../support/repo-root.ts'

let home: TestHome
let airlock: Airlock
beforeAll(async () => {
  home = await createTestHome({ extensions: [join(repoRoot, 'extensions/calculator')] })
  airlock = await createAirlock({ home: home.folder, env: {}, toolPolicy: () => 'allow' })
})
afterAll(async () => {
  await airlock.close()
  await home[Symbol.asyncDispose]()
})

async function call(tool: string, parameters: unknown): Promise<string> {
  const result = await airlock.tools.invoke(tool, { parameters })
  return result.isError ? `error: ${result}` : String(result)
}

test('brings what its manifest names', async () => {
  const { tools, failures } = await airlock.tools.list()
  expect(failures).toEqual([])
  expect(tools.map(({ id }) => id)).toEqual(['calculate', 'date_add', 'date_difference', 'count_text'])
})

describe('calculate', () => {
  test.each([
    ['2 + 3 * 4', '14'],
    ['(2 + 3) * 4', '20'],
    ['0.1 + 0.2', '0.3'],
    ['1299.90 * 0.85 * 3', '3314.745'],
    ['2 ^ 3 ^ 2', '512'],
    ['-2 ** 2', '-4'],
    ['2 ^ -2', '0.25'],
    ['17 % 5', '2'],
    ['--3', '3'],
    ["1'000_000 ÷ 4 × 2 − 1", '499999'],
    ['sqrt(2)', '1.4142135623731'],
    ['max(1, 2, min(9, 3)) + round(2.345, 2)', '5.35'],
    ['2 * PI', '6.28318530717959'],
    ['1e3 + .5', '1000.5'],
    ['-0', '0'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993 * 2', 'about 1.8014398509482e+16'],
  ])('%s is %s', async (expression, result) => {
    expect(await call('calculate', { expression })).toBe(result)
  })

  test.each([
    ['', 'the expression ends too early: expected a number'],
    ['2 +', 'ends too early'],
    ['2 $ 3', 'cannot read "$" at character 3'],
    ['2 3', 'cannot read "3" at character 3: expected an operator, or the end'],
    ['(2', 'ends too early: expected ")"'],
    ['process(1)', 'cannot read "process" at character 1'],
    ['constructor', 'cannot read "constructor"'],
    ['1 / 0', 'a division by zero has no result'],
    ['sqrt(-1)', 'no result among the real numbers'],
    ['9 ^ 999', 'the result is too large'],
    ['('.repeat(500), 'nested more than 64 levels deep'],
    ['2^'.repeat(500), 'nested more than 64 levels deep'],
  ])('%s is refused in words', async (expression, message) => {
    const got = await call('calculate', { expression })
    expect(got).toMatch(/^error: /)
    expect(got).toContain(message)
  })
})

describe('date_add', () => {
  test.each([
    [{ date: '2024-01-31', months: 1 }, '2024-02-29, a Thursday'],
    [{ date: '2024-02-29', years: 1 }, '2025-02-28, a Friday'],
    [{ date: '2026-11-30', days: 45 }, '2027-01-14, a Thursday'],
    [{ date: '1970-01-01', weeks: -1 }, '1969-12-25, a Thursday'],
    [{ date: '0099-12-31', days: 1 }, '0100-01-01, a Friday'],
    [{ date: '2000-03-01', days: -1 }, '2000-02-29, a Tuesday'],
  ])('%j is %s', async (parameters, result) => {
    expect(await call('date_add', parameters)).toBe(result)
  })

  test('begins today where no date is given', async () => {
    expect(await call('date_add', {})).toMatch(/^\d{4}-\d\d-\d\d, a \w+day$/)
  })

  test.each([
    [{ date: '2023-02-29' }, 'that month has 28 days'],
    [{ date: '2023-13-01' }, 'months go from 1 to 12'],
    [{ date: 'tomorrow' }, '"tomorrow" is no date: write YYYY-MM-DD'],
    [{ date: '2023-01-01', years: 99_999 }, 'beyond the years 0 to 9999'],
  ])('%j is refused', async (parameters, message) => {
    expect(await call('date_add', parameters)).toContain(message)
  })
})

test.each([
  [
    { from: '2024-01-31', to: '2024-03-01' },
    ['from 2024-01-31, a Wednesday, to 2024-03-01, a Friday: 30 days', '4 weeks, 2 days', '1 month, 1 day'],
  ],
  [
    { from: '2025-12-25', to: '2024-12-24' },
    ['from 2025-12-25, a Thursday, to 2024-12-24, a Tuesday: -366 days', '52 weeks, 2 days', '1 year, 1 day'],
  ],
  [
    { from: '2024-05-05', to: '2024-05-05' },
    ['from 2024-05-05, a Sunday, to 2024-05-05, a Sunday: 0 days', 'no time', 'no time'],
  ],
])('date_difference %j', async (parameters, lines) => {
  expect((await call('date_difference', parameters)).split('\n')).toEqual(lines)
})

test.each([
  [{ text: 'strawberry', find: 'R' }, 'characters: 10\nwords: 1\nlines: 1\n"R": 3 times'],
  [{ text: 'Don’t 😀 stop\nnow\n' }, 'characters: 17\nwords: 3\nlines: 2'],
  [{ text: '' }, 'characters: 0\nwords: 0\nlines: 0'],
])('count_text %j', async (parameters, result) => {
  expect(await call('count_text', parameters)).toBe(result)
})
