import { expect, test } from 'vitest'
import { isDue } from '../../../host/credentials/expiry.ts'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { createRefresher, type RefreshAnswer } from '../../../host/credentials/refresh-once.ts'
import { temporaryHome } from './temporary-home.ts'

const acme = { extension: 'acme', provider: 'acme' }

function refreshed(value: string, expiresAt?: number): RefreshAnswer {
  return { type: 'refreshed', value, ...(expiresAt !== undefined && { expiresAt }) }
}

test('however many ask, the service is asked once, and all get what it gave', async () => {
  await using at = await temporaryHome()
  const store = at.open()
  await store.set(acme, 'old', { option: 'browser', expiresAt: 1 })
  const since = (await store.describe(acme))?.since
  let asked = 0
  const ask = async () => {
    asked++
    return refreshed('new', 9)
  }
  // Two airlocks in one process share no memory, only the file.
  const [here, there] = [createRefresher({ store }), createRefresher({ store: at.open() })]
  const answers = [here, here, there, there].map(refresher => refresher.refresh(acme, 'old', ask))
  expect(await Promise.all(answers)).toEqual(['new', 'new', 'new', 'new'])
  expect(await here.refresh(acme, 'old', ask)).toBe('new')
  expect(asked).toBe(1)
  expect(await at.open().describe(acme)).toEqual({
    since,
    option: 'browser',
    expiresAt: 9,
    refreshedAt: expect.any(Number),
  })
})

test('a new credential is stored before anybody gets it; its own expiry or none', async () => {
  await using at = await temporaryHome()
  await at.open().set(acme, 'old', { expiresAt: 1 })
  const seen: (string | undefined)[] = []
  const given = await createRefresher({ store: at.open() }).refresh(acme, 'old', async current => {
    seen.push(current.value, await at.open().get(acme))
    return refreshed('new')
  })
  expect(given).toBe('new')
  expect(seen).toEqual(['old', 'old'])
  expect(await at.open().get(acme)).toBe('new')
  expect(await at.open().describe(acme)).not.toHaveProperty('expiresAt')
})

test('refused: the store is read again, and what somebody stored meanwhile is used, not deleted', async () => {
  const store = createMemoryStore([[acme, 'old']])
  const refresher = createRefresher({ store })
  const given = await refresher.refresh(acme, 'old', async () => {
    await store.set(acme, 'signed in anew')
    return { type: 'refused' }
  })
  expect(given).toBe('signed in anew')
  expect(await store.get(acme)).toBe('signed in anew')
  await expect(
    refresher.refresh(acme, 'signed in anew', async () => ({ type: 'refused' })),
  ).rejects.toMatchObject({
    code: 'sign-in-needed',
    message: expect.stringContaining('airlock login acme'),
  })
  expect(await store.get(acme)).toBeUndefined()
  const ask = () => Promise.reject(new Error('must not be asked'))
  await expect(refresher.refresh(acme, 'old', ask)).rejects.toMatchObject({ code: 'sign-in-needed' })
})

test('a sign-in or sign-out during a refresh has the last word', async () => {
  const store = createMemoryStore([[acme, 'old']])
  const refresher = createRefresher({ store })
  const given = await refresher.refresh(acme, 'old', async () => {
    await store.set(acme, 'signed in anew')
    return refreshed('of the old family')
  })
  expect(given).toBe('signed in anew')
  const signedOut = refresher.refresh(acme, 'signed in anew', async () => {
    await store.delete(acme)
    return refreshed('too late')
  })
  await expect(signedOut).rejects.toMatchObject({ code: 'sign-in-needed' })
  expect(await store.get(acme)).toBeUndefined()
})

test('what the asked one stored itself is what is used', async () => {
  const store = createMemoryStore([[acme, 'old']])
  const given = await createRefresher({ store }).refresh(acme, 'old', async () => {
    await store.set(acme, 'new')
    return { type: 'unchanged' }
  })
  expect(given).toBe('new')
})

test('nothing to exchange: no other credential, nothing deleted', async () => {
  const store = createMemoryStore([[acme, 'api-key']])
  expect(
    await createRefresher({ store }).refresh(acme, 'api-key', async () => ({ type: 'unchanged' })),
  ).toBeUndefined()
  expect(await store.get(acme)).toBe('api-key')
})

test('a failure on the way deletes nothing, and the next call asks again', async () => {
  const store = createMemoryStore([[acme, 'old']])
  const refresher = createRefresher({ store })
  const failing = () => Promise.reject(new Error('connection reset'))
  const both = await Promise.allSettled([1, 2].map(() => refresher.refresh(acme, 'old', failing)))
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await store.get(acme)).toBe('old')
  expect(await refresher.refresh(acme, 'old', async () => refreshed('new'))).toBe('new')
})

test('aborting ends the waiting of one, not the exchange of all', async () => {
  const store = createMemoryStore([[acme, 'old']])
  const refresher = createRefresher({ store })
  const { promise: answer, resolve } = Promise.withResolvers<RefreshAnswer>()
  const controller = new AbortController()
  const impatient = refresher.refresh(acme, 'old', () => answer, { signal: controller.signal })
  const patient = refresher.refresh(acme, 'old', () => answer)
  const reason = new Error('the caller left')
  controller.abort(reason)
  await expect(impatient).rejects.toBe(reason)
  let isOver = false
  const settled = refresher.settled().then(() => {
    isOver = true
  })
  expect(isOver).toBe(false)
  resolve(refreshed('new'))
  expect(await patient).toBe('new')
  expect(await store.get(acme)).toBe('new')
  await settled
  await refresher.settled()
  const late = refresher.refresh(acme, 'new', () => answer, { signal: controller.signal })
  await expect(late).rejects.toBe(reason)
})

test('an exchange that takes too long is told to end', async () => {
  const store = createMemoryStore([[acme, 'old']])
  const refresher = createRefresher({ store, refreshMs: 20 })
  const endless = (_: unknown, signal: AbortSignal) =>
    new Promise<RefreshAnswer>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  await expect(refresher.refresh(acme, 'old', endless)).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(await store.get(acme)).toBe('old')
})

test('a rotated credential that could not be stored is stored later, and the dead one is not sent again', async () => {
  const store = createMemoryStore([[acme, 'old']])
  let isFull = false
  const sent: string[] = []
  const refresher = createRefresher({
    store: {
      ...store,
      update: (owner, change) =>
        store.update(owner, current => {
          const next = change(current)
          if (isFull && next !== current) throw new Error('ENOSPC: no space left on device')
          return next
        }),
    },
  })
  const ask = async ({ value }: { value: string }) => {
    sent.push(value)
    isFull = sent.length === 1
    return refreshed(`after ${value}`)
  }
  await expect(refresher.refresh(acme, 'old', ask)).rejects.toThrow('ENOSPC')
  expect(await store.get(acme)).toBe('old')
  isFull = false
  expect(await refresher.refresh(acme, 'old', ask)).toBe('after old')
  expect(sent).toEqual(['old'])
  expect(await store.get(acme)).toBe('after old')
})

test.each([
  [undefined, 1_000, false],
  [1_000_000, 0, false],
  [1_000_000, 939_999, false],
  [1_000_000, 940_000, true],
  [1_000_000, 2_000_000, true],
])('isDue: expires at %s, now %s: %s', (expiresAt, now, due) => {
  expect(isDue(expiresAt === undefined ? {} : { expiresAt }, now)).toBe(due)
})
