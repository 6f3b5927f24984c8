import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseKey } from '../../../host/cli/parse-key.ts'
import { airlock } from '../../support/cli.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

describe('parseKey', () => {
  it.each([
    ['aliases', ['aliases']],
    ['providers.acme.apiUrl', ['providers', 'acme', 'apiUrl']],
    ['aliases."gpt-4.1"', ['aliases', 'gpt-4.1']],
    ['providers."a:b".apiUrl', ['providers', 'a:b', 'apiUrl']],
  ])('reads %s', (key, parts) => {
    expect(parseKey(key)).toEqual(parts)
  })

  it.each(['', '.', 'a.', '.a', 'a..b', 'a."b', '"a"b'])('refuses %j', key => {
    expect(() => parseKey(key)).toThrow('Cannot read the key')
  })
})

describe('airlock settings', () => {
  let home: TestHome
  let file: string
  beforeEach(async () => {
    home = await createTestHome({ extensions: [] })
    file = join(home.folder, 'settings.json')
    onTestFinished(() => home[Symbol.asyncDispose]())
  })
  const run = (...args: string[]) => airlock(['settings', ...args], { env: home.env })

  it('shows the file and what is in it', async () => {
    await run('set', 'aliases.fast', 'acme/quick')
    const { code, stdout } = await run()
    expect(code).toBe(0)
    expect(stdout).toBe(`${file}\n${await readFile(file, 'utf8')}`)
    const { lines } = await run('--json')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ file, settings: { aliases: { fast: 'acme/quick' } } })
  })

  it('sets, gets and unsets one value and keeps the rest', async () => {
    const key = 'providers.openai-compatible.apiUrl'
    await run('set', 'aliases.fast', 'acme/quick')
    expect(await run('set', key, 'http://127.0.0.1:1/v1')).toMatchObject({ code: 0, stdout: '' })
    expect(await run('get', key)).toMatchObject({ code: 0, stdout: 'http://127.0.0.1:1/v1\n' })
    expect(JSON.parse((await run('get', key, '--json')).stdout)).toEqual({
      key,
      value: 'http://127.0.0.1:1/v1',
    })
    expect(await run('unset', key)).toMatchObject({ code: 0 })
    expect(await run('get', key)).toMatchObject({
      code: 1,
      stderr: `airlock: ${key} is not set in ${file}\n`,
    })
    expect(await run('get', 'aliases.fast')).toMatchObject({ stdout: 'acme/quick\n' })
  })

  it('takes JSON for values that are not strings', async () => {
    await run('set', 'allowedEnv.acme', '["ACME_KEY"]')
    await run('set', 'limits.computeMs', '500')
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      allowedEnv: { acme: ['ACME_KEY'] },
      limits: { computeMs: 500 },
    })
  })

  it.each([
    ['providers.acme.apiUrI', 'http://x', 'did you mean "apiUrl"?'],
    ['alias.fast', 'a/b', 'did you mean "aliases"?'],
    ['providers.acme.apiUrl', 'ftp://x', 'must be a URL that begins with http:// or https://'],
    ['aliases.fast', '5', 'aliases.fast must be a string'],
    ['isolation', 'none', 'must be "thread" or "process"'],
  ])('set %s %s exits with 2 and changes nothing', async (key, value, hint) => {
    const before = await readFile(file, 'utf8')
    const { code, stdout, stderr } = await run('set', key, value)
    expect(stderr).toContain(hint)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  it.each(['models', 'complete hi'])(
    'a typo in the file stops %s with exit 1 and the nearest key',
    async command => {
      await writeFile(file, '{ "provders": {} }')
      const { code, stdout, stderr } = await airlock(command.split(' '), { env: home.env })
      expect(stderr).toBe(`airlock: ${file}: unknown key "provders": did you mean "providers"?\n`)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    },
  )
})
