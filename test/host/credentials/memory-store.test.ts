import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'

test('a credential belongs to extension and provider together', async () => {
  const store = createMemoryStore([[{ extension: 'a', provider: 'b:c' }, 'first']])
  await store.set({ extension: 'a:b', provider: 'c' }, 'second')
  expect(await store.get({ extension: 'a', provider: 'b:c' })).toBe('first')
  expect(await store.get({ extension: 'a:b', provider: 'c' })).toBe('second')
  expect(await store.get({ extension: 'a', provider: 'c' })).toBeUndefined()
  await store.set({ extension: 'a', provider: 'b:c' }, 'third')
  await store.delete({ extension: 'a:b', provider: 'c' })
  await store.delete({ extension: 'nobody', provider: 'c' })
  expect(await store.get({ extension: 'a', provider: 'b:c' })).toBe('third')
  expect(await store.get({ extension: 'a:b', provider: 'c' })).toBeUndefined()
})
