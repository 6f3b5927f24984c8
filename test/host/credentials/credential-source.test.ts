import { expect, test } from 'vitest'
import { findCredentialSource } from '../../../host/credentials/credential-source.ts'

const stored = { from: 'stored' }
const a = { from: 'environment', variable: 'A' }
const b = { from: 'environment', variable: 'B' }

test.each([
  [false, {}, undefined, []],
  [true, {}, stored, []],
  [false, { B: 'key' }, b, []],
  [false, { B: 'key', A: ' \n' }, b, []],
  [false, { B: 'key', A: 'key' }, a, [b]],
  [true, { B: 'key', A: 'key', C: 'not granted' }, stored, [a, b]],
])('stored: %j, environment: %j', (isStored, env, used, shadowed) => {
  expect(findCredentialSource(isStored, ['A', 'B'], env)).toEqual({ used, shadowed })
})
