import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowserOpener } from '../../../host/oauth/open-browser.ts'

const URL_TEXT = 'https://accounts.example.com/a?x=1&y=$(id)&z=%20'

describe.skipIf(process.platform === 'win32')('createBrowserOpener', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'airlock-browser-'))
    await program('good', 'printf "%s\\n" "$@" > "$0.args"')
    await program('bad', 'exit 3')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function program(name: string, script: string): Promise<void> {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  const argsOf = async (name: string) =>
    (await readFile(join(folder, `${name}.args`), 'utf8')).trimEnd().split('\n')

  test('BROWSER gets the URL as one argument, and no shell reads it', async () => {
    await createBrowserOpener({ env: { BROWSER: join(folder, 'good') } })(URL_TEXT)
    expect(await argsOf('good')).toEqual([URL_TEXT])
  })

  test('BROWSER may have arguments, a place for the URL, and further programs', async () => {
    await createBrowserOpener({ env: { BROWSER: `${folder}/good --new=%s -x:firefox` } })(URL_TEXT)
    expect(await argsOf('good')).toEqual([`--new=${URL_TEXT}`, '-x'])
  })

  const failing: [what: string, env: NodeJS.ProcessEnv, message: RegExp][] = [
    ['a program that is not there', { BROWSER: '/no/such/browser' }, /ENOENT/],
    ['a program that fails', { BROWSER: 'bad' }, /ended with 3/],
    ['none wanted', { BROWSER: 'none', DISPLAY: ':0' }, /none is wanted/],
    ['no program named', { BROWSER: ':' }, /names no program/],
    ['no screen', {}, /no screen/],
  ]
  test.each(failing)('%s: a typed error', async (_, env, message) => {
    const known = env.BROWSER === 'bad' ? { ...env, BROWSER: join(folder, 'bad') } : env
    const open = createBrowserOpener({ env: known, platform: 'linux' })
    await expect(open(URL_TEXT)).rejects.toMatchObject({
      code: 'browser-unavailable',
      message: expect.stringMatching(message),
    })
  })

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    '-x',
    'https://a.example/\n',
    'https://a.example/ b',
  ])('%j is refused before anything starts', async text => {
    const open = createBrowserOpener({ env: { BROWSER: join(folder, 'never') } })
    await expect(open(text)).rejects.toMatchObject({ code: 'sign-in-invalid-url' })
  })
})
