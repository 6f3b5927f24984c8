import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type TemporaryHome, temporaryHome } from './temporary-home.ts'

const acme = { extension: 'acme-extension', provider: 'acme-provider' }
const other = { extension: 'other', provider: 'other' }
const SECRET = 'sk-this-must-never-be-seen'
const withPassphrase = (AIRLOCK_PASSPHRASE: string) => ({ AIRLOCK_KEYCHAIN: 'off', AIRLOCK_PASSPHRASE })

/** What it failed with. Nothing in it, causes included, shows what is stored. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    value => ({ message: `resolved to ${String(value)}` }),
    caught => caught,
  )
  expect(inspect(error, { depth: null, showHidden: true })).not.toContain(SECRET)
  return error
}

/** A home with one credential in it. */
async function signedIn(env?: NodeJS.ProcessEnv): Promise<TemporaryHome> {
  const at = await temporaryHome()
  await at.open(env).set(acme, SECRET, { option: 'key' })
  return at
}

function corruptFiles(names: readonly string[]): string[] {
  return names.filter(name => name.includes('.corrupt-'))
}

describe('the file', () => {
  test('asking where nothing was stored makes nothing and asks no keychain', async () => {
    await using at = await temporaryHome()
    const store = at.open({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })
    expect(await store.get(acme)).toBeUndefined()
    expect(await store.describe(acme)).toBeUndefined()
    expect(await store.state()).toEqual({ file: at.file, movedAside: [] })
    await expect(readdir(at.folder)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(at.notices).toEqual([])
  })

  test('is read by another process, and by this one after another wrote', async () => {
    await using at = await signedIn()
    const reader = at.open()
    expect(await reader.get(acme)).toBe(SECRET)
    await at.open().set(acme, 'newer')
    expect(await reader.get(acme)).toBe('newer')
    await at.open().delete(acme)
    expect(await reader.get(acme)).toBeUndefined()
  })

  test('shows neither secrets nor whose they are', async () => {
    await using at = await signedIn()
    await at.open().withOwnerLock(acme, async () => {
      const names = await readdir(at.folder)
      expect(names.join()).not.toMatch(/acme/)
    })
    const text = await readFile(at.file, 'utf8')
    for (const hidden of [SECRET, acme.extension, acme.provider, 'option'])
      for (const spelling of [hidden, Buffer.from(hidden).toString('base64').slice(2, -4)])
        expect(text).not.toContain(spelling)
    expect(JSON.parse(text)).toMatchObject({ format: 'airlock-credentials', version: 1 })
  })

  test('has another nonce each time, and the same key', async () => {
    await using at = await signedIn()
    const first = JSON.parse(await readFile(at.file, 'utf8'))
    await at.open().set(acme, SECRET)
    const second = JSON.parse(await readFile(at.file, 'utf8'))
    expect(second.nonce).not.toBe(first.nonce)
    expect(second.sealed).not.toBe(first.sealed)
    expect(second.key).toEqual(first.key)
  })

  test('a change that changes nothing does not write', async () => {
    await using at = await signedIn()
    const text = await readFile(at.file, 'utf8')
    await at.open().update(acme, current => current)
    await at.open().delete(other)
    expect(await readFile(at.file, 'utf8')).toBe(text)
  })

  test('what a killed writer left beside it is gone after the next write', async () => {
    await using at = await signedIn()
    await writeFile(`${at.file}.0123456789ab.tmp`, 'half a fi')
    await at.open().set(acme, 'next')
    expect((await readdir(at.folder)).filter(name => !name.startsWith('key-'))).toEqual(['credentials'])
  })

  test('a value that no service has is refused, and not shown', async () => {
    await using at = await signedIn()
    const error = await failure(at.open().set(acme, SECRET.repeat(10_000)))
    expect(error).toMatchObject({
      code: 'invalid-credential',
      message: expect.stringContaining('at most 65536'),
    })
    expect(String(error)).not.toContain(SECRET)
    expect(await at.open().get(acme)).toBe(SECRET)
  })

  test('what a guest stores comes back as it was', async () => {
    await using at = await temporaryHome()
    const odd = ' {"a":"\u2028\\ud800 \u0000 é 😀","__proto__":1}\n'
    await at.open().set({ extension: '__proto__', provider: 'constructor' }, odd)
    expect(await at.open().get({ extension: '__proto__', provider: 'constructor' })).toBe(odd)
  })

  test.skipIf(process.platform === 'win32')('0600 in 0700, whatever was there before', async () => {
    await using at = await temporaryHome()
    await mkdir(at.folder, { recursive: true, mode: 0o755 })
    await chmod(at.folder, 0o777)
    const mode = async (path: string) => (await stat(path)).mode & 0o777
    await at.open().set(acme, SECRET)
    const key = (await readdir(at.folder)).find(name => name.startsWith('key-')) ?? ''
    expect(await mode(at.folder)).toBe(0o700)
    for (const name of ['credentials', key]) expect(await mode(join(at.folder, name))).toBe(0o600)

    // A backup was restored, or a careless `chmod -R`.
    for (const path of [at.folder, at.file, join(at.folder, key)]) await chmod(path, 0o777)
    expect(await at.open().get(acme)).toBe(SECRET)
    expect(await mode(at.folder)).toBe(0o700)
    for (const name of ['credentials', key]) expect(await mode(join(at.folder, name))).toBe(0o600)

    await chmod(at.file, 0o666)
    await chmod(at.folder, 0o755)
    await at.open().set(acme, 'next')
    expect(await mode(at.folder)).toBe(0o700)
    expect(await mode(at.file)).toBe(0o600)
  })

  test.skipIf(process.platform === 'win32')('does not write through a link', async () => {
    await using at = await signedIn()
    const elsewhere = join(at.home.config, 'elsewhere')
    await rename(at.file, elsewhere)
    await symlink(elsewhere, at.file)
    const before = await readFile(elsewhere, 'utf8')
    await at.open().set(acme, 'next')
    expect(await readFile(elsewhere, 'utf8')).toBe(before)
    expect((await at.open().get(acme)) === 'next').toBe(true)
  })
})

describe('a file that cannot be used', () => {
  const damages: [what: string, damage: (text: string) => string][] = [
    ['empty', () => ''],
    ['torn', text => text.slice(0, text.length / 2)],
    ['torn at its last byte but one', text => text.slice(0, -2)],
    ['zeros, as some file systems leave after a power cut', text => '\0'.repeat(text.length)],
    ['something else', () => '{"tokens":[]}'],
    ['a changed byte of the ciphertext', text => edit(text, 'sealed', flipFirst)],
    ['a changed nonce', text => edit(text, 'nonce', flipFirst)],
    ['a shorter ciphertext', text => edit(text, 'sealed', value => value.slice(0, 8))],
    ['an unknown field', text => text.replace('{', '{"more":1,')],
    [
      'scrypt parameters that would use up the machine',
      text =>
        JSON.stringify({
          ...JSON.parse(text),
          key: { kind: 'passphrase', salt: 'AAAA', n: 2 ** 30, r: 8, p: 1 },
        }),
    ],
  ]

  test.each(damages)('%s: moved aside with a clear error, never written over', async (_, damage) => {
    await using at = await signedIn()
    const damaged = damage(await readFile(at.file, 'utf8'))
    await writeFile(at.file, damaged)
    const store = at.open()
    const error = await failure(store.get(acme))
    expect(error).toMatchObject({ name: 'CredentialError', code: 'store-damaged' })
    const [aside = ''] = corruptFiles(await readdir(at.folder))
    expect(error).toHaveProperty('message', expect.stringContaining(join(at.folder, aside)))
    expect(error).toHaveProperty('message', expect.stringContaining('airlock login'))
    expect(await readFile(join(at.folder, aside), 'utf8')).toBe(damaged)
    // Signed out now, and able to sign in again; what was moved aside stays.
    expect(await store.get(acme)).toBeUndefined()
    await store.set(acme, 'again')
    expect(await at.open().get(acme)).toBe('again')
    expect(await store.state()).toMatchObject({ movedAside: [join(at.folder, aside)] })
  })

  test('a write finds it: the same, and nothing is written', async () => {
    await using at = await signedIn()
    await writeFile(at.file, 'torn')
    await expect(at.open().set(other, 'value')).rejects.toMatchObject({ code: 'store-damaged' })
    expect(corruptFiles(await readdir(at.folder))).toHaveLength(1)
    expect(await at.open().get(other)).toBeUndefined()
  })

  test('all who ask at once are told, and it is moved once', async () => {
    await using at = await signedIn()
    await writeFile(at.file, 'torn')
    const [one, two] = [at.open(), at.open()]
    const errors = await Promise.all(
      [one.get(acme), one.get(other), two.get(acme), two.describe(acme)].map(failure),
    )
    for (const error of errors) expect(error).toMatchObject({ code: 'store-damaged' })
    expect(corruptFiles(await readdir(at.folder))).toHaveLength(1)
  })

  test('a key file that is gone or changed: the key is lost, the credentials are kept aside', async () => {
    for (const lose of [
      (file: string) => rm(file),
      (file: string) => writeFile(file, `${'0'.repeat(64)}\n`),
    ]) {
      await using at = await signedIn()
      const [key = ''] = (await readdir(at.folder)).filter(name => name.startsWith('key-'))
      const text = await readFile(at.file, 'utf8')
      await lose(join(at.folder, key))
      const error = await failure(at.open().get(acme))
      expect(error).toMatchObject({ code: 'key-lost', message: expect.stringContaining('airlock login') })
      const [aside = ''] = corruptFiles(await readdir(at.folder))
      expect(await readFile(join(at.folder, aside), 'utf8')).toBe(text)
      await at.open().set(acme, 'again')
      expect(await at.open().get(acme)).toBe('again')
    }
  })

  test('from a newer version: told, and left alone', async () => {
    await using at = await signedIn()
    const text = '{"format":"airlock-credentials","version":2,"what":"ever"}'
    await writeFile(at.file, text)
    const calls = [() => at.open().get(acme), () => at.open().set(acme, 'x'), () => at.open().delete(acme)]
    for (const call of calls)
      expect(await failure(call())).toMatchObject({
        code: 'store-unreadable',
        message: expect.stringContaining('newer version'),
      })
    expect(await readFile(at.file, 'utf8')).toBe(text)
  })

  test('a folder in its place: told, and left alone', async () => {
    await using at = await signedIn()
    await rm(at.file)
    await mkdir(at.file)
    expect(await failure(at.open().get(acme))).toMatchObject({ code: 'store-unreadable' })
    expect(corruptFiles(await readdir(at.folder))).toEqual([])
  })

  test('a header that names a weaker key is not believed', async () => {
    await using at = await signedIn(withPassphrase('correct'))
    const text = await readFile(at.file, 'utf8')
    const { key, ...rest } = JSON.parse(text)
    await writeFile(at.file, JSON.stringify({ ...rest, key: { ...key, n: 1024 } }))
    expect(await failure(at.open(withPassphrase('correct')).get(acme))).toMatchObject({
      code: 'wrong-passphrase',
    })
    await writeFile(at.file, text)
    expect(await at.open(withPassphrase('correct')).get(acme)).toBe(SECRET)
  })
})

describe('the passphrase', () => {
  test('locks the file where there is no keychain, and nothing lies beside it', async () => {
    await using at = await signedIn(withPassphrase('correct horse'))
    expect(await readdir(at.folder)).toEqual(['credentials'])
    expect(await at.open().state()).toEqual({ file: at.file, lockedBy: 'passphrase', movedAside: [] })
    expect(await at.open(withPassphrase('correct horse')).get(acme)).toBe(SECRET)
    const { key } = JSON.parse(await readFile(at.file, 'utf8'))
    expect(key).toEqual({ kind: 'passphrase', salt: expect.any(String), n: 2 ** 17, r: 8, p: 1 })
    expect(at.notices).toEqual([])
  })

  test('a wrong one is its own error, shows neither, and moves nothing', async () => {
    await using at = await signedIn(withPassphrase('correct horse'))
    const text = await readFile(at.file, 'utf8')
    const wrong = at.open(withPassphrase('battery staple'))
    for (const call of [wrong.get(acme), wrong.set(acme, 'x'), wrong.delete(acme)]) {
      const error = await failure(call)
      expect(error).toMatchObject({
        code: 'wrong-passphrase',
        message: expect.stringContaining('AIRLOCK_PASSPHRASE'),
      })
      expect(String(error)).not.toMatch(/horse|staple/)
    }
    for (const env of [{ AIRLOCK_KEYCHAIN: 'off' }, withPassphrase('')])
      expect(await failure(at.open(env).get(acme))).toMatchObject({
        code: 'passphrase-needed',
        message: expect.stringContaining('AIRLOCK_PASSPHRASE'),
      })
    expect(await readdir(at.folder)).toEqual(['credentials'])
    expect(await readFile(at.file, 'utf8')).toBe(text)
  })

  test('damage under the right one is damage', async () => {
    await using at = await signedIn(withPassphrase('correct'))
    await writeFile(at.file, edit(await readFile(at.file, 'utf8'), 'sealed', flipFirst))
    expect(await failure(at.open(withPassphrase('correct')).get(acme))).toMatchObject({
      code: 'store-damaged',
    })
  })

  test('set later, it takes the place of the key file at the next write', async () => {
    await using at = await signedIn()
    expect(at.notices).toEqual([
      expect.stringMatching(
        /^This system's keychain could not be used .* whoever can read your files can read them/,
      ),
    ])
    const store = at.open(withPassphrase('later'))
    expect(await store.get(acme)).toBe(SECRET)
    await store.set(other, 'value')
    expect(await readdir(at.folder)).toEqual(['credentials'])
    expect(await at.open(withPassphrase('later')).get(acme)).toBe(SECRET)
    expect(await failure(at.open().get(acme))).toMatchObject({ code: 'passphrase-needed' })
    expect(at.notices).toHaveLength(2)
  })

  test('is the same however its accents are composed', async () => {
    await using at = await signedIn(withPassphrase('caf\u00e9'))
    expect(await at.open(withPassphrase('cafe\u0301')).get(acme)).toBe(SECRET)
  })
})

test('AIRLOCK_KEYCHAIN is on or off', async () => {
  await using at = await temporaryHome()
  expect(() => at.open({ AIRLOCK_KEYCHAIN: 'no' })).toThrow('it must be "on" or "off": current value is "no"')
})

function edit(text: string, field: string, change: (value: string) => string): string {
  const file = JSON.parse(text)
  return JSON.stringify({ ...file, [field]: change(file[field]) })
}

function flipFirst(base64: string): string {
  return `${base64.startsWith('A') ? 'B' : 'A'}${base64.slice(1)}`
}
