import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import type { CredentialStore } from '../../../host/credentials/store.ts'
import { temporaryHome } from './temporary-home.ts'

const acme = { extension: 'acme', provider: 'acme' }

interface OpenStore extends AsyncDisposable {
  store: CredentialStore
}

const kinds: [name: string, open: () => Promise<OpenStore>][] = [
  ['memory', async () => ({ store: createMemoryStore(), [Symbol.asyncDispose]: async () => {} })],
  [
    'file',
    async () => {
      const at = await temporaryHome()
      return { store: at.open(), [Symbol.asyncDispose]: at[Symbol.asyncDispose] }
    },
  ],
]

describe.each(kinds)('every store: %s', (_, open) => {
  test('a credential belongs to extension and provider together', async () => {
    await using at = await open()
    const { store } = at
    await store.set({ extension: 'a', provider: 'b:c' }, 'first')
    await store.set({ extension: 'a:b', provider: 'c' }, 'second')
    expect(await store.get({ extension: 'a', provider: 'b:c' })).toBe('first')
    expect(await store.get({ extension: 'a:b', provider: 'c' })).toBe('second')
    expect(await store.get({ extension: 'a', provider: 'c' })).toBeUndefined()
    await store.delete({ extension: 'a:b', provider: 'c' })
    await store.delete({ extension: 'nobody', provider: '__proto__' })
    expect(await store.get({ extension: 'a', provider: 'b:c' })).toBe('first')
    expect(await store.get({ extension: 'a:b', provider: 'c' })).toBeUndefined()
  })

  test('describe tells since when, how and until when, and no secret', async () => {
    await using at = await open()
    const { store } = at
    expect(await store.describe(acme)).toBeUndefined()
    const before = Date.now()
    await store.set(acme, 'sk-secret', { option: 'browser', expiresAt: 5_000 })
    const facts = await store.describe(acme)
    expect(facts).toEqual({ since: expect.any(Number), option: 'browser', expiresAt: 5_000 })
    expect(facts?.since).toBeGreaterThanOrEqual(before)
    expect(facts?.since).toBeLessThanOrEqual(Date.now())
    await store.set(acme, 'sk-other')
    expect(await store.describe(acme)).toEqual({ since: expect.any(Number) })
  })

  test('update sees what is stored, and what it returns is stored', async () => {
    await using at = await open()
    const { store } = at
    expect(await store.update(acme, current => current)).toBeUndefined()
    expect(await store.update(acme, () => ({ value: 'one', since: 1 }))).toEqual({ value: 'one', since: 1 })
    await store.update(
      acme,
      current => current && { ...current, value: `${current.value} two`, refreshedAt: 2 },
    )
    expect(await store.get(acme)).toBe('one two')
    expect(await store.describe(acme)).toEqual({ since: 1, refreshedAt: 2 })
    expect(await store.update(acme, () => undefined)).toBeUndefined()
    expect(await store.get(acme)).toBeUndefined()
  })

  test('updates at once lose nothing', async () => {
    await using at = await open()
    const { store } = at
    const marks = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(
      marks.map(mark =>
        store.update(acme, current => ({ value: `${current?.value ?? ''}${mark}`, since: 0 })),
      ),
    )
    expect([...((await store.get(acme)) ?? '')].sort()).toEqual(marks)
  })

  test('withOwnerLock lets one in at a time for one owner, and others pass', async () => {
    await using at = await open()
    const { store } = at
    let inside = 0
    let most = 0
    const work = async () => {
      inside++
      most = Math.max(most, inside)
      await store.set(acme, 'from inside')
      inside--
    }
    const failing = () => Promise.reject(new Error('mine'))
    const results = await Promise.allSettled([
      store.withOwnerLock(acme, work),
      store.withOwnerLock(acme, failing),
      store.withOwnerLock(acme, work),
      store.withOwnerLock(acme, work),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(most).toBe(1)
    const other = { ...acme, provider: 'other' }
    expect(await store.withOwnerLock(acme, () => store.withOwnerLock(other, async () => 'in'))).toBe('in')
  })
})
