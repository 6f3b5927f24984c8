import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import { type TemporaryHome, temporaryHome } from './temporary-home.ts'

const acme = { extension: 'acme', provider: 'acme' }
const SECRET = 'sk-this-must-never-be-seen'
/** Windows holds 1,280 UTF-16 units an entry: what goes into the keychain is a key, however long the credential. */
const LONG = SECRET.repeat(2_000)
const run = promisify(execFile)

/** Long enough for a process to start on a busy machine: these are answered, not timed out. */
const AMPLE_MS = 60_000

interface Session {
  home: string
  env: NodeJS.ProcessEnv
  /** Runs a shell script in a session bus of its own; resolves to its standard output. */
  bash(script: string): Promise<string>
}

interface Kept {
  found?: string
  lockedBy?: string
  failed?: string
  message?: string
  notices: string[]
}

/** What `keychain-process.ts` printed. On a busy machine even a good keychain is waited for: that is left out. */
function readKept(output: string): Kept[] {
  return output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Kept)
    .map(kept => ({ ...kept, notices: kept.notices.filter(notice => !notice.startsWith('Waiting')) }))
}

/** A desktop session's worth of folders, and nothing of the machine's own session. */
async function session(at: TemporaryHome): Promise<Session> {
  const home = join(at.home.config, 'user')
  const runtime = join(home, 'run')
  await mkdir(runtime, { recursive: true, mode: 0o700 })
  await writeFile(join(at.home.config, 'secret'), LONG)
  const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: runtime }
  return {
    home,
    env,
    bash: async script =>
      (await run('dbus-run-session', ['--', 'bash', '-c', script], { env, timeout: 90_000 })).stdout,
  }
}

function keep(at: TemporaryHome, mark = '', writeMs = AMPLE_MS): string {
  const script = join(import.meta.dirname, 'keychain-process.ts')
  return `'${process.execPath}' '${script}' '${at.home.config}' ${writeMs} '${mark}'`
}

/** The daemon goes into the background, and ends with its bus. */
const unlocked = "printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null"

const withSecretService = needs('dbus-run-session', 'gnome-keyring-daemon')

describe('a real Secret Service', () => {
  withSecretService(
    'keeps the key, and no key file is made',
    async () => {
      await using at = await temporaryHome()
      const { bash } = await session(at)
      expect(readKept(await bash(`${unlocked}; ${keep(at)}; ${keep(at, 'next ')}`))).toEqual([
        { found: LONG, lockedBy: 'keychain', notices: [] },
        { found: `next ${LONG}`, lockedBy: 'keychain', notices: [] },
      ])
      expect(await readdir(at.folder)).toEqual(['credentials'])

      // The session is over: the file stays, and nothing takes its place.
      const text = await readFile(at.file, 'utf8')
      for (const call of [
        () => at.open({}).get(acme),
        () => at.open({}).set(acme, 'x'),
        () => at.open().get(acme),
      ])
        await expect(call()).rejects.toMatchObject({
          code: 'keychain-unreachable',
          message: expect.stringContaining('Unlock it and try again'),
        })
      expect(await readdir(at.folder)).toEqual(['credentials'])
      expect(await readFile(at.file, 'utf8')).toBe(text)
    },
    120_000,
  )

  withSecretService(
    'that has lost the key answers: the credentials are moved aside',
    async () => {
      await using at = await temporaryHome()
      const { bash, home } = await session(at)
      await bash(`${unlocked}; ${keep(at)}`)
      const forgotten = `rm -rf '${join(home, '.local')}'`
      const text = await readFile(at.file, 'utf8')
      const [lost] = readKept(await bash(`${forgotten}; ${unlocked}; ${keep(at, 'next ')}`))
      expect(lost).toMatchObject({ failed: 'key-lost', message: expect.stringContaining('airlock login') })
      expect(JSON.stringify(lost)).not.toContain(SECRET)
      const [aside = ''] = await readdir(at.folder)
      expect(aside).toMatch(/^credentials\.corrupt-/)
      expect(await readFile(join(at.folder, aside), 'utf8')).toBe(text)
      const kept = readKept(await bash(`${unlocked}; ${keep(at, 'again ')}`))
      expect(kept).toEqual([{ found: `again ${LONG}`, lockedBy: 'keychain', notices: [] }])
    },
    120_000,
  )

  withSecretService(
    'that is locked with nobody to unlock it: a key file, in time, and said',
    async () => {
      await using at = await temporaryHome()
      const { bash } = await session(at)
      const locked = 'gnome-keyring-daemon --start --components=secrets >/dev/null'
      const kept = readKept(await bash(`${locked}; ${keep(at, '', 4_000)}`))
      expect(kept).toEqual([
        {
          found: LONG,
          lockedBy: 'key-file',
          notices: [expect.stringContaining('whoever can read your files can read them')],
        },
      ])
    },
    120_000,
  )
})

// Elsewhere the keychain cannot be taken away from a process.
describe.runIf(process.platform === 'linux')('no Secret Service', () => {
  test('none at all: a key file, and one honest sentence', async () => {
    await using at = await temporaryHome()
    const { env } = await session(at)
    await at.open(env).set(acme, SECRET)
    await at.open(env).set(acme, 'next')
    expect(await at.open(env).get(acme)).toBe('next')
    expect(await at.open(env).state()).toMatchObject({ lockedBy: 'key-file' })
    expect(at.notices).toEqual([
      expect.stringMatching(
        /^This system's keychain could not be used \(.+\), so the key to your encrypted credentials lies beside them in \/.*\/key-[0-9a-f]{32}: whoever can read your files can read them\. Set AIRLOCK_PASSPHRASE /,
      ),
    ])
    expect(at.notices.join()).not.toContain(SECRET)
  }, 60_000)

  test('one that takes the connection and never answers: given up in time, the passphrase is next', async () => {
    await using at = await temporaryHome()
    const { env } = await session(at)
    await using bus = await silentBus(join(at.home.config, 'bus'))
    const hanging = { ...env, DBUS_SESSION_BUS_ADDRESS: bus.address, AIRLOCK_PASSPHRASE: 'correct' }
    await at.open(hanging, { writeMs: 3_000 }).set(acme, SECRET)
    expect(await at.open(hanging).get(acme)).toBe(SECRET)
    expect(await at.open(hanging).state()).toMatchObject({ lockedBy: 'passphrase' })
    expect(at.notices).toEqual([])
  }, 60_000)

  test('one that hangs while the key is in it: told to the user, then an error, nothing lost', async () => {
    await using at = await temporaryHome()
    const { env } = await session(at)
    await using bus = await silentBus(join(at.home.config, 'bus'))
    await at.open().set(acme, SECRET)
    const { key: _, ...rest } = JSON.parse(await readFile(at.file, 'utf8'))
    await writeFile(at.file, JSON.stringify({ ...rest, key: { kind: 'keychain', id: '0'.repeat(32) } }))
    const hanging = { ...env, DBUS_SESSION_BUS_ADDRESS: bus.address }
    await expect(at.open(hanging, { readMs: 3_000 }).get(acme)).rejects.toMatchObject({
      code: 'keychain-unreachable',
      message: expect.stringContaining('it did not answer within 3 s'),
    })
    expect(at.notices.at(-1)).toMatch(/^Waiting for the keychain/)
    expect((await readdir(at.folder)).filter(name => name.includes('corrupt'))).toEqual([])
  }, 60_000)
})

/** What a hung session bus looks like to a client. */
async function silentBus(path: string): Promise<{ address: string } & AsyncDisposable> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.resume()
  })
  await new Promise<void>(resolve => server.listen(path, resolve))
  return {
    address: `unix:path=${path}`,
    async [Symbol.asyncDispose]() {
      await new Promise(resolve => server.close(resolve))
    },
  }
}
