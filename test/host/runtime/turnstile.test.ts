import { expect, test, vi } from 'vitest'
import { createTurnstile } from '../../../host/runtime/turnstile.ts'

test('createTurnstile lets so many through at once, in their order', async () => {
  const turnstile = createTurnstile(2)
  const { signal } = new AbortController()
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const entered: number[] = []
  const passing = gates.map(({ promise }, index) =>
    turnstile.pass(async () => {
      entered.push(index)
      await promise
      return index
    }, signal),
  )
  await Promise.resolve()
  expect(entered).toEqual([0, 1])
  gates[1]?.resolve()
  expect(await passing[1]).toBe(1)
  await vi.waitFor(() => expect(entered).toEqual([0, 1, 2]))
  for (const { resolve } of gates) resolve()
  expect(await Promise.all(passing)).toEqual([0, 1, 2, 3])
})

test('createTurnstile: who gives up leaves the line, and one that fails makes room', async () => {
  const turnstile = createTurnstile(1)
  const { signal } = new AbortController()
  const first = Promise.withResolvers<void>()
  const failing = turnstile.pass(() => first.promise, signal)
  const leaving = new AbortController()
  const left = turnstile.pass(async () => 'never', leaving.signal)
  const last = turnstile.pass(async () => 'in', signal)
  leaving.abort(new Error('enough'))
  await expect(left).rejects.toThrow('enough')
  first.reject(new Error('broke'))
  await expect(failing).rejects.toThrow('broke')
  expect(await last).toBe('in')
})
