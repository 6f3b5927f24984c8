import { expect, test } from 'vitest'
import { nearestNames } from '../../../host/contract/nearest-names.ts'

test.each([
  ['provders', ['providers', 'aliases'], ['providers']],
  ['PROVIDERS', ['providers'], ['providers']],
  ['claude', ['anthropic/claude-a', 'anthropic/claude-b', 'x'], ['anthropic/claude-a', 'anthropic/claude-b']],
  ['ab', ['abc', 'xy', 'abcdef'], ['abc']],
  ['zzz', ['providers', 'aliases'], []],
  ['', ['a', 'providers'], ['a']],
  ['modle', ['mode', 'module', 'models', 'model'], ['model', 'mode', 'module']],
])('nearestNames(%j): what looks like it, best first, three at most', (typed, known, expected) => {
  const near = nearestNames(typed, known)
  expect(near).toEqual(expected)
})
