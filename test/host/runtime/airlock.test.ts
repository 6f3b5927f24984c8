import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AirlockOptions, createAirlock } from '../../../host/index.ts'
import { repoRoot } from '../../support/repo-root.ts'

const extension = join(repoRoot, 'extensions/openai-compatible')
let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-runtime-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe('createAirlock refuses settings that do not fit, as it does those of the file', () => {
  test.each([
    [{ provders: {} }, 'unknown key "provders": did you mean "providers"?'],
    [{ providers: 5 }, 'providers must be an object, not 5'],
    [{ providers: { acme: { apiUrl: 'nonsense' } } }, 'providers.acme.apiUrl'],
    [{ aliases: { fast: 'no-slash' } }, 'aliases.fast'],
    [{ limits: { computMs: 1 } }, 'unknown key "limits.computMs": did you mean "computeMs"?'],
  ])('%j', async (settings, said) => {
    const made = createAirlock({
      home,
      env: {},
      settings: settings as unknown as AirlockOptions['settings'] & {},
    })
    await expect(made).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining(said),
    })
  })
})

test('createAirlock refuses a limit that there is not, and takes those of the network', async () => {
  const limits = { firstByteMs: 500, idelMs: 500 } as AirlockOptions['limits'] & {}
  await expect(createAirlock({ home, env: {}, limits })).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining('unknown key "limits.idelMs": did you mean "idleMs"?'),
  })
  await using airlock = await createAirlock({ home, env: {}, limits: { firstByteMs: 500 } })
  expect(airlock.stats().extensions).toEqual([])
})

test('load and install after close are refused, like everything else', async () => {
  const airlock = await createAirlock({ home, env: {} })
  await airlock.close()
  await expect(airlock.load(extension)).rejects.toMatchObject({ code: 'extension-closed' })
  await expect(airlock.install(extension, { agree: async () => true })).rejects.toMatchObject({
    code: 'extension-closed',
  })
  expect(airlock.stats().extensions).toEqual([])
})

test('a cache that cannot be written is not blamed on the extension', async () => {
  const folder = join(home, 'full')
  await mkdir(folder)
  await writeFile(join(folder, 'cache'), 'a file where a folder should be')
  await using airlock = await createAirlock({
    home: folder,
    env: {},
    settings: { providers: { 'openai-compatible': { apiUrl: 'http://127.0.0.1:9/v1' } } },
  })
  await airlock.load(extension)
  const messages = [{ role: 'user' as const, content: 'hi' }]
  await expect(airlock.complete({ model: 'openai-compatible/m', messages }).result()).rejects.toMatchObject({
    code: 'not-writable',
    message: expect.stringContaining(join(folder, 'cache')),
  })
})
