import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { SignInEvent } from '../../../host/capabilities/sign-in-session.ts'
import { CredentialError } from '../../../host/credentials/credential-error.ts'
import { createMemoryStore } from '../../../host/credentials/memory-store.ts'
import type { CredentialStore } from '../../../host/credentials/store.ts'
import { type Airlock, createAirlock } from '../../../host/runtime/airlock.ts'
import type { LogEntry } from '../../../host/runtime/log.ts'
import type { SignInUi } from '../../../host/runtime/sign-in.ts'
import { startOAuthServer } from '../../servers/oauth-server.ts'
import { createOAuthUser } from '../../servers/oauth-user.ts'
import { type RecordedRequest, type Script, startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { signInExtension } from './sign-in-extension.ts'

vi.setConfig({ testTimeout: 60_000 })

const KEY = 'sk-acme-0123456789abcdef'
const owner = { extension: 'acme', provider: 'acme' }
const ask = { model: 'acme/m', messages: [{ role: 'user' as const, content: 'hi' }] }

interface Stage {
  airlock: Airlock
  store: CredentialStore
  log: LogEntry[]
}

async function setUp(
  apiUrl: string,
  { store = createMemoryStore(), env = {} }: { store?: CredentialStore; env?: NodeJS.ProcessEnv } = {},
): Promise<Stage> {
  const home = await createTestHome({ extensions: [] })
  const log: LogEntry[] = []
  const airlock = await createAirlock({
    home: home.folder,
    env,
    credentials: store,
    settings: {
      providers: { acme: { apiUrl }, nosy: { apiUrl } },
      allowedEnv: { acme: ['ACME_API_KEY'] },
    },
    limits: { computeMs: 30_000 },
    log: entry => log.push(entry),
  })
  onTestFinished(async () => {
    await airlock.close()
    await home[Symbol.asyncDispose]()
  })
  await airlock.load(await signInExtension())
  return { airlock, store, log }
}

const json = (value: unknown, status = 200): Script => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: [JSON.stringify(value)],
})
const said: Script = { body: ['data: hello\n\n'] }
const refused = json({ error: { message: 'The key is not right.' } }, 401)
const bearerOf = ({ headers }: RecordedRequest) => headers.authorization?.replace('Bearer ', '')

/** A service that takes one access token at a time, and exchanges refresh tokens as `token` says. */
async function startService(good: { token: string }, token: (form: URLSearchParams) => Script) {
  const server = await startScriptedServer(request => {
    if (request.path === '/token') return token(new URLSearchParams(request.body.toString()))
    if (bearerOf(request) !== good.token) return refused
    return request.path === '/v1/models' ? json({ data: [{ id: 'm' }] }) : said
  })
  onTestFinished(() => server.close())
  const paths = () => server.requests.map(({ path }) => path)
  return { server, paths }
}

const tokensIn = async (store: CredentialStore) => JSON.parse((await store.get(owner)) ?? 'null')

async function signedIn(expiresInMs = 3_600_000): Promise<CredentialStore> {
  const store = createMemoryStore()
  const expiresAt = Date.now() + expiresInMs
  const value = JSON.stringify({ accessToken: 'access-token-1', refreshToken: 'refresh-token-1', expiresAt })
  await store.set(owner, value, { option: 'browser', expiresAt })
  return store
}

test('a form: the extension stores what it never sees, the service gets it, the models follow', async () => {
  const { server } = await startService({ token: KEY }, () => refused)
  const { airlock, store, log } = await setUp(server.url)
  const events: SignInEvent[] = []
  const result = await airlock.signIn('acme', {
    option: 'form',
    ui: { form: async () => ({ apiKey: ` ${KEY}\n` }), progress: event => events.push(event) },
  })
  expect(result).toMatchObject({ provider: 'acme', option: 'form', models: [{ reference: 'acme/m' }] })
  expect(result.failure).toBeUndefined()
  expect(events).toEqual([{ type: 'signed-in' }])
  expect(await store.get(owner)).toBe(KEY)
  expect(log.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^form \{"apiKey":"airlock_\w+","team":""\}$/),
  )
  expect(await airlock.complete(ask).result()).toMatchObject({ text: 'hello' })
  expect(JSON.stringify(log)).not.toContain(KEY)
  const { providers } = await airlock.status()
  expect(providers[0]).toMatchObject({
    provider: 'acme',
    source: { from: 'stored' },
    credential: { option: 'form', since: expect.any(Number) },
  })
})

test('a form of several fields: the secret ones are stand-ins, what stands under `public` is plain', async () => {
  const { server } = await startService({ token: KEY }, () => refused)
  const { airlock, store, log } = await setUp(server.url)
  await airlock.signIn('acme', { option: 'form', ui: { form: async () => ({ apiKey: KEY, team: 'blue' }) } })
  expect(await tokensIn(store)).toEqual({ accessToken: KEY, public: { team: 'blue' } })
  expect(await airlock.complete(ask).result()).toMatchObject({ text: 'hello' })
  expect(log.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^credential \{"accessToken":"airlock_\w+","public":\{"team":"blue"\}\}$/),
  )
})

test.each<[string, Record<string, string>, RegExp]>([
  ['nothing', {}, /"apiKey" \(API key\) must not be empty/],
  ['blanks', { apiKey: '  ' }, /must not be empty/],
  [
    'two lines',
    { apiKey: `${KEY}\n${KEY}` },
    /Cannot use the key from the field "apiKey": it has a line break/,
  ],
  ['an unknown field', { apiKey: KEY, tem: 'x' }, /there is no field "tem": the form has apiKey, team/],
])(
  'a form with %s is refused by name, without the key, and nothing is stored',
  async (_, entered, message) => {
    const { airlock, store } = await setUp('http://127.0.0.1:1')
    const failed = await airlock
      .signIn('acme', { option: 'form', ui: { form: async () => entered } })
      .catch((error: Error) => error)
    expect(failed).toMatchObject({ message: expect.stringMatching(message) })
    expect(String(failed)).not.toContain(KEY)
    expect(await store.get(owner)).toBeUndefined()
  },
)

test('options: listed in plain text; none, or one that is not there, names them', async () => {
  const { airlock } = await setUp('http://127.0.0.1:1')
  expect(await airlock.signInOptions('acme')).toMatchObject([
    { id: 'form', label: 'API key', method: { type: 'form' } },
    { id: 'browser', method: { type: 'browser' } },
    { id: 'nothing' },
  ])
  await expect(airlock.signIn('acme', { ui: {} })).rejects.toThrow('it offers form, browser, nothing')
  await expect(airlock.signIn('acme', { option: 'x', ui: {} })).rejects.toThrow('it offers form, browser')
  await expect(airlock.signIn('nosy', { ui: {} })).rejects.toThrow('it needs no signing in')
  await expect(airlock.signIn('acm', { ui: {} })).rejects.toThrow('did you mean "acme"?')
  await expect(airlock.signIn('acme', { option: 'nothing', ui: {} })).rejects.toMatchObject({
    code: 'extension-broke-contract',
  })
})

test('the browser: a real service, its tokens stored with their end, and renewed from the refresh token', async () => {
  await using service = await startOAuthServer({ accessTokenSeconds: 3600 })
  const { airlock, store } = await setUp(service.url)
  const user = createOAuthUser()
  const events: SignInEvent[] = []
  let page: Promise<unknown> | undefined
  const result = await airlock.signIn('acme', {
    option: 'browser',
    ui: {
      openBrowser: async url => {
        page = user.visit(url, 'allow')
      },
      progress: event => events.push(event),
    },
  })
  await expect(page).resolves.toMatchObject({ status: 200 })
  expect(events.map(({ type }) => type)).toEqual([
    'listening',
    'visit',
    'browser-opened',
    'received',
    'signed-in',
  ])
  // It lists no models: the sign-in stands all the same.
  expect(result).toMatchObject({ models: [], failure: { name: 'ProviderError' } })
  const facts = await store.describe(owner)
  expect(facts).toMatchObject({ option: 'browser', expiresAt: expect.any(Number) })

  const before = await tokensIn(store)
  await store.update(owner, now => now && { ...now, expiresAt: Date.now() })
  await airlock
    .complete(ask)
    .result()
    .catch(() => {})
  const after = await tokensIn(store)
  expect(service.counts).toEqual({ exchanged: 1, refreshed: 1, revoked: 0 })
  expect(after.accessToken).not.toBe(before.accessToken)
  expect(after.refreshToken).not.toBe(before.refreshToken)
  expect(await store.describe(owner)).toMatchObject({
    since: facts?.since,
    option: 'browser',
    refreshedAt: expect.any(Number),
  })
})

test('the browser: who says no ends it with that, and nothing is stored', async () => {
  await using service = await startOAuthServer()
  const { airlock, store } = await setUp(service.url)
  const failed = airlock.signIn('acme', {
    option: 'browser',
    ui: { openBrowser: url => createOAuthUser().visit(url, 'deny') },
  })
  await expect(failed).rejects.toMatchObject({ name: 'SignInError', code: 'sign-in-denied' })
  expect(await store.get(owner)).toBeUndefined()
})

test('the browser: aborting ends it with the reason and frees the port; another works at once, by paste', async () => {
  await using service = await startOAuthServer()
  const { airlock, store } = await setUp(service.url)
  const stop = new AbortController()
  const reason = new Error('enough')
  let port = 0
  const failed = airlock.signIn('acme', {
    option: 'browser',
    signal: stop.signal,
    ui: {
      progress(event) {
        if (event.type === 'listening') port = event.port
        if (event.type === 'visit') stop.abort(reason)
      },
    },
  })
  await expect(failed).rejects.toBe(reason)
  await expect(reaches(port)).resolves.toBe(false)

  const pasted = Promise.withResolvers<string>()
  const ui: SignInUi = {
    openBrowser: async url => {
      // This browser is on another machine: it ends on an address that it cannot reach.
      const visit = await createOAuthUser().visit(url, 'allow')
      pasted.resolve(visit.url)
    },
    readPasted: () => pasted.promise,
  }
  await airlock.signIn('acme', { option: 'browser', ui })
  expect(await store.get(owner)).toContain('accessToken')
})

test('oauth imports are there while a user signs in, and at no other time', async () => {
  const { airlock } = await setUp('http://127.0.0.1:1')
  const { failures } = await airlock.models({ provider: 'nosy' })
  expect(failures[0]?.error.message).toContain('it is there while a user signs in, and at no other time')
})

test('two completions that are refused at once exchange the token once, and both go on', async () => {
  const good = { token: 'access-token-1' }
  const sent: (string | null)[] = []
  const { server, paths } = await startService(good, form => {
    sent.push(form.get('refresh_token'))
    good.token = 'access-token-2'
    // As services do that do not rotate: the same refresh token comes back.
    return json({ access_token: 'access-token-2', refresh_token: 'refresh-token-1', expires_in: 3600 })
  })
  const store = await signedIn()
  const { airlock, log } = await setUp(server.url, { store })
  good.token = 'revoked'
  const answers = await Promise.all([airlock.complete(ask).result(), airlock.complete(ask).result()])
  expect(answers.map(({ text }) => text)).toEqual(['hello', 'hello'])
  expect(sent).toEqual(['refresh-token-1'])
  expect(paths().filter(path => path === '/v1/chat')).toHaveLength(4)
  expect(await tokensIn(store)).toMatchObject({
    accessToken: 'access-token-2',
    refreshToken: 'refresh-token-1',
  })
  expect(await store.describe(owner)).toMatchObject({ option: 'browser', refreshedAt: expect.any(Number) })
  const told = JSON.stringify(log)
  // It logged the whole answer, before it stored anything.
  expect(told).toContain('answer {')
  for (const secret of ['access-token-1', 'access-token-2', 'refresh-token-1'])
    expect(told).not.toContain(secret)
})

test('a token that is about to end is exchanged before anything is sent with it; models too', async () => {
  const good = { token: 'access-token-2' }
  const { server, paths } = await startService(good, () =>
    json({ access_token: good.token, expires_in: 3600 }),
  )
  const store = await signedIn(0)
  const { airlock } = await setUp(server.url, { store })
  expect((await airlock.models()).models).toHaveLength(1)
  expect(paths()).toEqual(['/token', '/v1/models'])
  // The answer had no refresh token: the old one stays.
  expect(await tokensIn(store)).toMatchObject({
    accessToken: 'access-token-2',
    refreshToken: 'refresh-token-1',
  })
})

test('a refusal that a new token does not mend is the error, after one repeat', async () => {
  const { server, paths } = await startService({ token: 'another' }, () =>
    json({ access_token: 'access-token-2', expires_in: 3600 }),
  )
  const { airlock } = await setUp(server.url, { store: await signedIn() })
  await expect(airlock.complete(ask).result()).rejects.toMatchObject({ kind: 'authentication', status: 401 })
  expect(paths()).toEqual(['/v1/chat', '/token', '/v1/chat'])
})

test('a refresh token that is dead signs the user out, and says what to do', async () => {
  const { server } = await startService({ token: 'another' }, () => json({ error: 'invalid_grant' }, 400))
  const store = await signedIn()
  const { airlock } = await setUp(server.url, { store })
  const failed = await airlock
    .complete(ask)
    .result()
    .catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(CredentialError)
  expect(failed).toMatchObject({
    code: 'sign-in-needed',
    message: expect.stringContaining('airlock login acme'),
  })
  expect(await store.get(owner)).toBeUndefined()
})

test('a key that is refused has nothing to exchange: one request, one error', async () => {
  const { server, paths } = await startService({ token: 'another' }, () => refused)
  const { airlock } = await setUp(server.url, { store: createMemoryStore([[owner, KEY]]) })
  await expect(airlock.complete(ask).result()).rejects.toMatchObject({ kind: 'authentication' })
  expect(paths()).toEqual(['/v1/chat'])
})

test('signing out forgets the key even where the extension fails', async () => {
  const { airlock, store } = await setUp('http://127.0.0.1:1', { store: createMemoryStore([[owner, KEY]]) })
  expect(await airlock.signOut('acme')).toMatchObject({
    wasSignedIn: true,
    failure: { message: 'the service does not answer' },
  })
  expect(await store.get(owner)).toBeUndefined()
  expect(await airlock.signOut('acme')).toEqual({ provider: 'acme', wasSignedIn: false })
})

test('status: a key of the environment, and one that is not used', async () => {
  const env = { ACME_API_KEY: KEY }
  const { airlock, store } = await setUp('http://127.0.0.1:1', { env })
  const variable = { from: 'environment', variable: 'ACME_API_KEY' }
  expect((await airlock.status()).providers[0]).toMatchObject({ source: variable, shadowed: [] })
  await store.set(owner, 'another-key-of-mine')
  const status = await airlock.status()
  expect(status.providers[0]).toMatchObject({ source: { from: 'stored' }, shadowed: [variable] })
  expect(JSON.stringify(status)).not.toMatch(/sk-acme|another-key/)
})

test('a variable that holds no key is named, and its text is not', async () => {
  const { airlock } = await setUp('http://127.0.0.1:1', { env: { ACME_API_KEY: `${KEY}\n${KEY}` } })
  const failed = await airlock
    .complete(ask)
    .result()
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({
    code: 'invalid-credential',
    message: expect.stringContaining('ACME_API_KEY'),
  })
  expect(String(failed)).not.toContain(KEY)
})

function reaches(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
