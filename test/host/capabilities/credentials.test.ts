import { expect, test } from 'vitest'
import { createGuestCredentials } from '../../../host/capabilities/credentials.ts'
import { beginSession } from '../../../host/capabilities/sign-in-session.ts'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import { createPlaceholders } from '../../../host/credentials/placeholders.ts'
import { userNetworkRules } from '../../../host/policy/network.ts'

const SECRET = 'sk-acme-0123456789'
const WORD = /^airlock_[0-9A-Za-z]{40}$/
const reach = userNetworkRules(['https://api.example.com'])

function setUp({ readable = false } = {}) {
  const store = createMemoryStore()
  const placeholders = createPlaceholders()
  const credentials = createGuestCredentials({
    extension: 'acme',
    store,
    placeholders,
    readable,
    reachOf: () => reach,
  })
  const stored = (provider = 'a') => store.get({ extension: 'acme', provider })
  return { store, placeholders, credentials, stored }
}

const typed = [{ key: 'k', value: SECRET, secret: true }]
const signIn = () => beginSession({ provider: 'a', purpose: 'sign-in', option: 'form' })

test('a word for a field is the secret again in the store: alone, and as a field', async () => {
  const { credentials, store, stored } = setUp()
  const { form } = credentials.handOutForm('a', [...typed, { key: 'team', value: 'blue', secret: false }])
  expect(form).toEqual({ k: expect.stringMatching(WORD), team: 'blue' })
  await credentials.store('a', form.k, signIn())
  expect(await stored()).toBe(SECRET)
  await credentials.store('a', JSON.stringify({ token: form.k, expiresAt: 5 }), signIn())
  expect(await stored()).toBe(`{"token":"${SECRET}","expiresAt":5}`)
  expect(await store.describe({ extension: 'acme', provider: 'a' })).toMatchObject({
    option: 'form',
    expiresAt: 5,
  })
})

test('a word stays a word where a guest could read it later, or where it is not of this provider', async () => {
  const { credentials, placeholders, stored } = setUp()
  const { form } = credentials.handOutForm('a', typed)
  const word = form.k ?? ''
  const variable = placeholders.placeholderFor('env:acme:KEY', 'the-key-of-the-environment', reach)
  for (const value of [
    JSON.stringify({ list: [word] }),
    JSON.stringify({ public: { word } }),
    JSON.stringify({ [word]: 1 }),
    JSON.stringify({ inside: `x${word}` }),
    `x${word}`,
    `{"n":${word}}`,
    JSON.stringify({ token: variable }),
    variable,
  ]) {
    await credentials.store('a', value, signIn())
    expect(await stored()).toBe(value)
  }
  await credentials.store('b', word, undefined)
  expect(await stored('b')).toBe(word)
})

test('each field has a word of its own; one that is gone stands for nothing', async () => {
  const { credentials, placeholders } = setUp()
  await credentials.store(
    'a',
    JSON.stringify({ access: 'access-1', refresh: 'refresh-1', scopes: ['x'] }),
    signIn(),
  )
  const first = JSON.parse((await credentials.handOut('a')) ?? '')
  expect(first).toEqual({
    access: expect.stringMatching(WORD),
    refresh: expect.stringMatching(WORD),
    scopes: ['x'],
  })
  expect(first.access).not.toBe(first.refresh)
  expect(placeholders.reveal(first.refresh)?.secret).toBe('refresh-1')
  await credentials.store('a', JSON.stringify({ access: 'access-2' }), undefined)
  // The same word for the next token: who holds it goes on.
  expect(JSON.parse((await credentials.handOut('a')) ?? '')).toEqual({ access: first.access })
  expect(placeholders.reveal(first.access)?.secret).toBe('access-2')
  expect(placeholders.reveal(first.refresh)).toBeUndefined()
  await credentials.delete('a')
  expect(await credentials.handOut('a')).toBeUndefined()
  expect(placeholders.reveal(first.access)).toBeUndefined()
  expect(placeholders.redactor().text('access-1 access-2')).toBe('[redacted] [redacted]')
})

test('outside of a sign-in the sign-in stays what it was; a refresh brings nobody back who signed out', async () => {
  const { credentials, store, stored } = setUp()
  const owner = { extension: 'acme', provider: 'a' }
  await credentials.store('a', JSON.stringify({ t: 'token-1', expiresAt: 5 }), signIn())
  const { since } = (await store.describe(owner)) ?? {}
  await credentials.store('a', 'token-without-an-end', undefined)
  expect(await store.describe(owner)).toEqual({ since, option: 'form', refreshedAt: expect.any(Number) })
  await store.delete(owner)
  await credentials.store('a', 'too late', beginSession({ provider: 'a', purpose: 'refresh' }))
  expect(await stored()).toBeUndefined()
})

test('where the user granted it the guest reads what it uses, and logs still do not', async () => {
  const { credentials, placeholders } = setUp({ readable: true })
  expect(credentials.handOutForm('a', typed).form).toEqual({ k: SECRET })
  await credentials.store('a', JSON.stringify({ t: 'token-of-acme' }), signIn())
  expect(await credentials.handOut('a')).toBe('{"t":"token-of-acme"}')
  expect(placeholders.redactor().text(`${SECRET} token-of-acme`)).toBe('[redacted] [redacted]')
})

test.each([undefined, 1, '', 'x'.repeat(65_537)])('a value that is none is refused', async value => {
  const { credentials } = setUp()
  await expect(credentials.store('a', value, undefined)).rejects.toThrow('1 to 65536 characters')
})
