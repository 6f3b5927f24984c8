import { parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import { describe, expect, test } from 'vitest'
import { limitMemory } from '../../../host/sandbox/limit-memory.ts'

const growing = await parse(`(module
  (memory (export "m") 1)
  (table (export "t") 1 funcref)
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func (export "growTable") (param i32) (result i32) (table.grow 0 (ref.null func) (local.get 0))))`)

function memorySection(...limits: number[]): Uint8Array {
  return Uint8Array.from([
    0x00,
    0x61,
    0x73,
    0x6d,
    0x01,
    0x00,
    0x00,
    0x00,
    0x05,
    limits.length + 1,
    0x01,
    ...limits,
  ])
}

async function instantiate(module: Uint8Array) {
  // biome-ignore lint/suspicious/noExplicitAny: the test's own module, whose exports are three lines above.
  return ((await (WebAssembly as any).instantiate(module)) as any).instance.exports
}

describe('limitMemory', () => {
  test('lets memory grow up to the maximum and no further', async () => {
    const { grow } = await instantiate(limitMemory(growing, 2))
    expect(grow(31)).toBe(1)
    expect(grow(1)).toBe(-1)
  })

  test('bounds tables too, since their slots are host memory that no memory limit counts', async () => {
    const { growTable } = await instantiate(limitMemory(growing, 2))
    expect(growTable(999_999)).toBe(1)
    expect(growTable(1)).toBe(-1)
  })

  test('keeps a maximum that is lower than the limit', async () => {
    const limited = limitMemory(memorySection(0x01, 0x01, 0x02), 64)
    expect([...limited.subarray(-3)]).toEqual([0x01, 0x01, 0x02])
  })

  test.each([
    [
      'more memory than granted to begin with',
      memorySection(0x00, 0x80, 0x20),
      'starts with 256 MiB of memory and permissions.memoryMiB is 64',
    ],
    ['shared memory', memorySection(0x03, 0x01, 0x02), 'shared memory'],
    ['limits nobody knows', memorySection(0x10, 0x01), 'flags 16'],
    ['a section that runs past the end', memorySection(0x00, 0x01).subarray(0, -1), 'runs past its end'],
  ])('refuses %s', (_, module, message) => {
    expect(() => limitMemory(module, 64)).toThrow(message)
  })
})
