import { expect, test } from 'vitest'
import { sumUsage } from '../../../../host/runtime/run/sum-usage.ts'

const priced = { inputTokens: 10, outputTokens: 2, cost: { input: 1, output: 2, total: 3 } }

test('sumUsage adds what was reported, and leaves absent what nobody reported', () => {
  expect(sumUsage([])).toBeUndefined()
  expect(sumUsage([undefined])).toBeUndefined()
  expect(
    sumUsage([
      { inputTokens: 1, outputTokens: 2 },
      { inputTokens: 3, outputTokens: 4, reasoningTokens: 5 },
    ]),
  ).toEqual({
    inputTokens: 4,
    outputTokens: 6,
    reasoningTokens: 5,
  })
})

test('sumUsage knows a cost only where each step’s is known', () => {
  expect(sumUsage([priced, { ...priced, cost: { ...priced.cost, cacheRead: 1, total: 4 } }])?.cost).toEqual({
    input: 2,
    output: 4,
    cacheRead: 1,
    total: 7,
  })
  expect(sumUsage([priced, { inputTokens: 1, outputTokens: 1 }])).toEqual({
    inputTokens: 11,
    outputTokens: 3,
  })
  expect(sumUsage([priced, undefined])).toEqual({ inputTokens: 10, outputTokens: 2 })
})
