import { mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveHome } from '../../../host/home/home.ts'
import { readSettings, writeSetting } from '../../../host/home/settings.ts'

const full = {
  providers: {
    'openai-compatible': {
      apiUrl: 'http://127.0.0.1:8080/v1',
      availableModels: [
        { name: 'm', displayName: 'M', maxTokens: 32_768, maxOutputTokens: 10, thinkingBudget: 5 },
      ],
    },
  },
  allowedEnv: { anthropic: ['ANTHROPIC_API_KEY'] },
  aliases: { fast: 'anthropic/some-model' },
  isolation: 'process',
  limits: { computeMs: 100 },
}

async function settingsFile(text?: string) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'airlock-settings-'))
  const file = join(folder.path, 'deep', 'settings.json')
  if (text !== undefined) {
    await mkdir(join(folder.path, 'deep'))
    await writeFile(file, text)
  }
  return { file, folder: join(folder.path, 'deep'), [Symbol.asyncDispose]: () => folder.remove() }
}

describe('readSettings', () => {
  test('a file that is not there means the defaults', async () => {
    await using at = await settingsFile()
    expect(await readSettings(at.file)).toEqual({ providers: {}, allowedEnv: {}, aliases: {} })
  })

  test.each([JSON.stringify(full), `\uFEFF${JSON.stringify(full, null, 4)}`])(
    'reads everything',
    async text => {
      await using at = await settingsFile(text)
      expect(await readSettings(at.file)).toEqual(full)
    },
  )

  test('a name that every object inherits is not a setting', async () => {
    await using at = await settingsFile('{"aliases":{},"providers":{"__proto__":{"apiUrl":"http://evil"}}}')
    const settings = await readSettings(at.file)
    expect(settings.aliases.constructor).toBeUndefined()
    expect(Object.keys(settings.providers)).toEqual([])
    expect(({} as Record<string, unknown>).apiUrl).toBeUndefined()
  })

  test.each([
    ['{"provders":{}}', 'unknown key "provders": did you mean "providers"?'],
    ['{"__proto__":{}}', 'unknown key "__proto__": known are providers, allowedEnv, aliases'],
    ['{"providers":{"a":{"apiURL":"x"}}}', 'unknown key "providers.a.apiURL": did you mean "apiUrl"?'],
    [
      '{"providers":{"a:b":{"availableModels":[{"name":"m","maxTokens":1},{"name":"m","maxToken":1}]}}}',
      'providers["a:b"].availableModels[1].maxTokens is missing: expected a number',
    ],
    [
      '{"providers":{"a":{"availableModels":[{"name":"m","maxTokens":"32768"}]}}}',
      'providers.a.availableModels[0].maxTokens must be a number, not "32768"',
    ],
    [
      '{"providers":{"a":{"availableModels":[{"name":"m","maxTokens":1.5}]}}}',
      'providers.a.availableModels[0].maxTokens must be a whole number, not 1.5',
    ],
    [
      '{"providers":{"a":{"availableModels":[{"name":"m","maxTokens":0}]}}}',
      'providers.a.availableModels[0].maxTokens: 0 must be more than 0',
    ],
    ['{"providers":[]}', 'providers must be an object, not an array'],
    ['[]', 'the file must be an object, not an array'],
    ['{"providers":{"a":{"apiUrl":"localhost:8080"}}}', 'must be a URL that begins with http:// or https://'],
    ['{"providers":{"a":{"apiUrl":"http://me:secret@x"}}}', 'must hold no user name and no password'],
    ['{"allowedEnv":{"a":["A B"]}}', 'allowedEnv.a[0]: "A B" is not the name of an environment variable'],
    ['{"aliases":{"fast":"model"}}', 'aliases.fast: "model" must be a model, as "<provider>/<model id>"'],
    ['{"isolation":"proces"}', 'isolation must be "thread" or "process", not "proces"'],
    ['{"limits":{"computeMS":1}}', 'unknown key "limits.computeMS": did you mean "computeMs"?'],
    ['{\n  "aliases": {},\n}', 'is not JSON: Expected double-quoted property name at line 3, column 1'],
    ['{"aliases": {', 'at line 1, column 14'],
    ['', 'is not JSON: Unexpected end of JSON input at line 1, column 1'],
    ['// mine\n{}', "is not JSON: Unexpected token '/' at line 1, column 1"],
    ['{\n"aliases": tru }', 'at line 2, column'],
  ])('%s: %s', async (text, message) => {
    await using at = await settingsFile(text)
    const error = await readSettings(at.file).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'InvalidFileError', code: 'invalid-settings', file: at.file })
    expect(error).toHaveProperty('message', expect.stringContaining(message))
    expect(error).toHaveProperty('message', expect.stringContaining(at.file))
    expect(error).not.toHaveProperty('message', expect.stringContaining('secret'))
  })

  test('a folder in its place', async () => {
    await using at = await settingsFile('')
    await expect(readSettings(at.folder)).rejects.toMatchObject({ code: 'invalid-settings' })
  })
})

describe('writeSetting', () => {
  test('keeps the rest, is private, leaves nothing beside it', async () => {
    await using at = await settingsFile()
    await writeSetting(at.file, ['aliases', 'fast'], 'a/b')
    await writeSetting(at.file, ['providers', 'a', 'availableModels'], [{ name: 'm', maxTokens: 1 }])
    await writeSetting(at.file, ['providers', 'a', 'availableModels', '0', 'maxTokens'], 2)
    await writeSetting(at.file, ['isolation'], 'process')
    await writeSetting(at.file, ['isolation'], undefined)
    expect(JSON.parse(await readFile(at.file, 'utf8'))).toEqual({
      aliases: { fast: 'a/b' },
      providers: { a: { availableModels: [{ name: 'm', maxTokens: 2 }] } },
    })
    expect(await readdir(at.folder)).toEqual(['settings.json'])
    if (process.platform !== 'win32') {
      expect((await stat(at.file)).mode & 0o777).toBe(0o600)
      expect((await stat(at.folder)).mode & 0o777).toBe(0o700)
    }
  })

  test('writers at once lose nothing', async () => {
    await using at = await settingsFile()
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map(name => writeSetting(at.file, ['aliases', name], `p/${name}`)))
    expect(Object.keys((await readSettings(at.file)).aliases).sort()).toEqual(names)
  })

  test.each([
    [['alises', 'x'], 'a/b', 'unknown-setting', 'There is no setting "alises": did you mean "aliases"?'],
    [['limits', 'computems'], 1, 'unknown-setting', 'did you mean "computeMs"?'],
    [[], {}, 'unknown-setting', 'Name a setting'],
    [['aliases', '__proto__'], 'a/b', 'unknown-setting', 'aliases.__proto__'],
    [['isolation'], 'none', 'invalid-settings', 'isolation must be "thread" or "process", not "none"'],
    [['isolation', 'x'], 'none', 'invalid-settings', 'isolation must be'],
  ])('%j = %j is refused and changes nothing', async (path, value, code, message) => {
    const text = '{"aliases":{"slow":"p/m"}}'
    await using at = await settingsFile(text)
    const error = await writeSetting(at.file, path, value).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(await readFile(at.file, 'utf8')).toBe(text)
  })

  test('a broken file is not written over', async () => {
    await using at = await settingsFile('{"aliases":')
    await expect(writeSetting(at.file, ['aliases', 'a'], 'p/m')).rejects.toMatchObject({
      code: 'invalid-settings',
    })
    expect(await readFile(at.file, 'utf8')).toBe('{"aliases":')
  })
})

describe('resolveHome', () => {
  test('the option wins over AIRLOCK_HOME, and both put everything under one folder', () => {
    const byVariable = resolveHome({ env: { AIRLOCK_HOME: '/somewhere' } })
    expect(byVariable).toEqual({
      config: '/somewhere',
      data: '/somewhere/data',
      cache: '/somewhere/cache',
      settingsFile: '/somewhere/settings.json',
    })
    expect(resolveHome({ home: '/else', env: { AIRLOCK_HOME: '/somewhere' } }).config).toBe('/else')
  })

  test.each([{}, { AIRLOCK_HOME: '' }])('without either, three folders of the platform', env => {
    const { config, data, cache } = resolveHome({ env })
    expect(new Set([config, data, cache]).size).toBe(3)
    for (const folder of [config, data, cache]) expect(folder).toContain('airlock')
  })
})
