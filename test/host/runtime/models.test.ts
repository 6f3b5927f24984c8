import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type AirlockOptions,
  createAirlock,
  createMemoryStore,
  type ModelsChange,
} from '../../../host/index.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { mirrorExtension } from '../../systems/mirror-extension.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-models-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** One provider that answers, and one whose service is not there. */
async function open(options: AirlockOptions = {}) {
  const airlock = await createAirlock({
    home,
    env: {},
    credentials: createMemoryStore(),
    retry: false,
    ...options,
    settings: {
      providers: { 'openai-compatible': { apiUrl: 'http://127.0.0.1:9/v1' } },
      ...options.settings,
    },
  })
  onTestFinished(() => airlock.close())
  await airlock.load(await mirrorExtension())
  await airlock.load(join(repoRoot, 'extensions/openai-compatible'))
  return airlock
}

const messages = [{ role: 'user' as const, content: 'hi' }]

describe('airlock.models', () => {
  test('a provider that cannot be reached hides nothing of the others', async () => {
    const { models, failures } = await (await open()).models()
    expect(models.map(({ reference }) => reference)).toEqual([
      'mirror/large',
      'mirror/small',
      'mirror/google',
    ])
    expect(failures).toMatchObject([{ provider: 'openai-compatible', error: { kind: 'network' } }])
  })

  test.each([
    [{ family: 'mirror' }, ['large', 'small']],
    [{ id: 'small' }, ['small']],
    [{ capability: 'supportsImages' as const }, ['large', 'google']],
    [{ capability: ['supportsTools', 'supportsFiles'] as const }, []],
    [{ minTokenCount: 5_000 }, ['large']],
    [{ isDefaultFast: true }, ['small']],
    [{ provider: 'mirror', family: 'other', isDefault: false }, ['google']],
  ])('%j', async (filter, ids) => {
    const { models } = await (await open()).models(filter)
    expect(models.map(({ id }) => id)).toEqual(ids)
  })

  test.each([
    [{ famly: 'x' }, 'models cannot be chosen by "famly": did you mean "family"?'],
    [{ capability: 'supportsTool' }, 'there is no capability "supportsTool": did you mean "supportsTools"?'],
  ])('refuses %j', async (filter, said) => {
    await expect((await open()).models(filter as never)).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining(said),
    })
  })

  test('who leaves while a list is asked for gets the reason, and the others their list', async () => {
    const airlock = await open()
    const leaving = new AbortController()
    const left = airlock.models({ provider: 'mirror' }, { signal: leaving.signal })
    const stayed = airlock.models({ provider: 'mirror' })
    leaving.abort(new Error('changed my mind'))
    await expect(left).rejects.toThrow('changed my mind')
    expect((await stayed).models).toHaveLength(3)
  })
})

describe('the model that is meant where none is named', () => {
  const answering = async (airlock: Awaited<ReturnType<typeof open>>, model?: string) =>
    (await airlock.complete({ ...(model !== undefined && { model }), messages }).result()).reference

  test('no model, `default`, `fast` and a provider alone', async () => {
    const airlock = await open()
    expect(await answering(airlock)).toBe('mirror/large')
    expect(await answering(airlock, 'default')).toBe('mirror/large')
    expect(await answering(airlock, 'fast')).toBe('mirror/small')
    expect(await answering(airlock, 'mirror')).toBe('mirror/large')
  })

  test('the user’s own choice goes first, and an alias of that name before everything', async () => {
    const defaults = { model: 'mirror/google', fast: 'mirror/large' }
    const airlock = await open({ settings: { defaults, aliases: { fast: 'mirror/small' } } })
    expect(await answering(airlock)).toBe('mirror/google')
    expect(await answering(airlock, 'fast')).toBe('mirror/small')
    expect((await airlock.selectModel()).id).toBe('google')
    expect((await airlock.selectModel({ fast: true })).id).toBe('large')
  })

  test('selectModel: of those that fit, and a clear error where none does', async () => {
    const airlock = await open()
    expect((await airlock.selectModel({ fast: true })).id).toBe('small')
    expect((await airlock.selectModel({ family: 'other' })).id).toBe('google')
    await expect(airlock.selectModel({ minTokenCount: 10_000_000 })).rejects.toMatchObject({
      code: 'unknown-model',
      message: expect.stringContaining('sign in to a provider'),
    })
  })

  test('a provider alone that cannot be reached says why', async () => {
    const completion = (await open()).complete({ model: 'openai-compatible', messages })
    await expect(completion.result()).rejects.toThrow(/openai-compatible: .*127\.0\.0\.1:9/)
  })
})

describe('airlock.onModelsChange', () => {
  test('tells of extensions, of signing in and out, and of nothing else; a listener that throws stops no other', async () => {
    const log = vi.fn()
    const airlock = await open({ log })
    const changes: ModelsChange[] = []
    airlock.onModelsChange(() => {
      throw new Error('broken listener')
    })
    const listening = airlock.onModelsChange(change => changes.push(change))
    await airlock.models()
    await airlock.models()
    expect(changes).toEqual([])
    await airlock.signIn('mirror', { option: 'key', ui: { form: async () => ({ key: 'mk-1' }) } })
    await airlock.signOut('mirror')
    await airlock.signOut('mirror')
    await airlock.load(await mirrorExtension())
    await airlock.providers()
    expect(changes).toEqual([{ providers: ['mirror'] }, { providers: ['mirror'] }, { providers: ['mirror'] }])
    expect(log).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining('broken listener') }),
    )
    listening[Symbol.dispose]()
    await airlock.load(await mirrorExtension())
    await airlock.providers()
    expect(changes).toHaveLength(3)
  })
})

test('a change of settings.json counts at once: what runs ends as it began, and listeners are told', async () => {
  const own = await mkdtemp(join(tmpdir(), 'airlock-settings-'))
  onTestFinished(() => rm(own, { recursive: true, force: true }))
  const log = vi.fn()
  const file = join(own, 'settings.json')
  await writeFile(file, '{}')
  const airlock = await createAirlock({ home: own, env: {}, credentials: createMemoryStore(), log })
  onTestFinished(() => airlock.close())
  await airlock.load(await mirrorExtension())
  await airlock.models()
  const changes: ModelsChange[] = []
  const change = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const listening = airlock.onModelsChange(told => {
      changes.push(told)
      listening[Symbol.dispose]()
      resolve()
    })
    return promise
  }
  const running = airlock.complete({ model: 'mirror/large', messages })
  const changed = change()
  const availableModels = [{ name: 'mine', maxTokens: 4_096 }]
  await writeFile(
    file,
    JSON.stringify({ providers: { mirror: { availableModels } }, aliases: { quick: 'mirror/mine' } }),
  )
  await changed
  expect(changes).toEqual([{ providers: ['mirror'] }])
  expect((await running.result()).stopReason).toBe('end-turn')
  expect((await airlock.models()).models.map(({ id }) => id)).toContain('mine')
  expect((await airlock.complete({ model: 'quick', messages }).result()).reference).toBe('mirror/mine')

  const warned = Promise.withResolvers<string>()
  log.mockImplementation(({ level, message }) => level === 'warn' && warned.resolve(message))
  await writeFile(file, '{ "provders": {} }')
  expect(await warned.promise).toMatch(/settings stay as they were: .*provders.*providers/s)
  expect((await airlock.models()).models.map(({ id }) => id)).toContain('mine')
})
