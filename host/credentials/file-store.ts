import { createHash } from 'node:crypto'
import { open, readdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { withLock } from '../home/lock.ts'
import { CredentialError } from './credential-error.ts'
import type { MasterKeys } from './master-key.ts'
import { flushFolder, keepPrivate, replaceFile } from './replace-file.ts'
import {
  type KeyPlace,
  openEnvelope,
  readEnvelope,
  type StoredCredential,
  sealCredentials,
} from './sealed-file.ts'
import {
  type Credential,
  type CredentialOwner,
  type CredentialStore,
  factsOf,
  newCredential,
  ownerKey,
} from './store.ts'
import { createTurns } from './turns.ts'

/** More than any service's tokens; a guest may store what it likes. UTF-16 units. */
const MAX_VALUE_UNITS = 65_536
/** Hundreds of the longest values. More is not a file that was written here. */
const MAX_FILE_BYTES = 32 * 1024 * 1024

export interface FileStore extends CredentialStore {
  /** What `status` shows of the store as a whole. Opens nothing. */
  state(): Promise<FileStoreState>
}

export interface FileStoreState {
  file: string
  /** Where the file's key is. Absent where nothing is stored yet. */
  lockedBy?: KeyPlace['kind']
  /** Files that could not be read and were moved aside, oldest first. */
  movedAside: string[]
}

export interface FileStoreOptions {
  /** Absolute. Its folder should hold nothing that others may read: it becomes 0700. */
  file: string
  keys: MasterKeys
}

interface Opened {
  /** Of the very file that was read. Undefined where there is none. */
  identity: string | undefined
  place: KeyPlace | undefined
  credentials: readonly StoredCredential[]
}

/** What is in the file's place cannot be used, and never will be. */
class Unusable extends Error {
  readonly code: 'store-damaged' | 'key-lost'

  constructor(code: 'store-damaged' | 'key-lost', reason: string) {
    super(reason)
    this.code = code
  }
}

/**
 * All credentials in one encrypted file. Every change rewrites it as a whole, under a lock across processes. A file
 * that cannot be used is moved aside and the call fails with `store-damaged` or `key-lost`; it is never written over.
 */
export function createFileStore({ file, keys }: FileStoreOptions): FileStore {
  const turns = createTurns()
  const folder = dirname(file)
  const guard = `${file}.lock`
  let latest: Opened | undefined

  function locked<T>(work: (assertHeld: () => void) => Promise<T>): Promise<T> {
    return turns.take(guard, () => withLock(guard, work))
  }

  async function load(): Promise<Opened> {
    const identity = await identityOf(file)
    if (latest && latest.identity === identity) return latest
    latest = await readStore(file, keys)
    return latest
  }

  async function loadLocked(): Promise<Opened> {
    try {
      return await load()
    } catch (error) {
      if (error instanceof Unusable) throw await moveAside(file, error)
      throw error
    }
  }

  async function read(): Promise<Opened> {
    try {
      return await load()
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      return locked(async () => {
        const again = await loadLocked()
        if (again.identity !== undefined) return again
        // Somebody else moved it while this waited for the lock. That is no reason to find nothing stored.
        throw new CredentialError(
          error.code,
          `${whatHappened(error)}. It was moved aside in ${folder}. ${ADVICE}`,
        )
      })
    }
  }

  async function find(owner: CredentialOwner): Promise<Credential | undefined> {
    return credentialOf(await read(), owner)
  }

  const update: CredentialStore['update'] = async (owner, change) => {
    const seen = await find(owner)
    // Who changes nothing waits for nobody, and makes no file.
    if (change(seen) === seen) return seen
    return locked(async assertHeld => {
      for (;;) {
        const before = await loadLocked()
        const current = credentialOf(before, owner)
        const next = change(current)
        if (next === current) return next
        if (next && next.value.length > MAX_VALUE_UNITS)
          throw new CredentialError(
            'invalid-credential',
            `Cannot store the credential of "${owner.provider}": at most ${MAX_VALUE_UNITS} characters: this has ${next.value.length}`,
          )
        const others = before.credentials.filter(credential => !isOf(owner)(credential))
        const { extension, provider } = owner
        const credentials = next ? [...others, { extension, provider, ...next }] : others
        if (await write(before, credentials, assertHeld)) return next
      }
    })
  }

  /** False where the file is no longer the one that was read. */
  async function write(
    before: Opened,
    credentials: readonly StoredCredential[],
    assertHeld: () => void,
  ): Promise<boolean> {
    const better = before.place ? await keys.improve(before.place) : await keys.create()
    const place = better?.place ?? before.place
    if (!place) throw new TypeError('A file that was read names its key')
    const text = sealCredentials(credentials, place, better?.key ?? (await keys.unlock(place)))
    let isOutrun = false
    try {
      await replaceFile(file, text, async () => {
        assertHeld()
        // A lock that is taken over from a dead process may, once in a long while, have two new holders.
        isOutrun = (await identityOf(file)) !== before.identity
        if (isOutrun) throw new Error('outrun')
      })
    } catch (error) {
      if (isOutrun) return false
      throw error
    }
    latest = undefined
    if (better && before.place) await keys.retire(before.place)
    return true
  }

  return {
    get: async owner => (await find(owner))?.value,
    async describe(owner) {
      const credential = await find(owner)
      return credential && factsOf(credential)
    },
    async set(owner, value, about) {
      await update(owner, () => newCredential(value, about))
    },
    async delete(owner) {
      await update(owner, () => undefined)
    },
    update,
    withOwnerLock(owner, work) {
      // The names of owners are inside the encrypted file only.
      const name = createHash('sha256').update(ownerKey(owner)).digest('hex').slice(0, 24)
      const path = join(folder, `refresh-${name}.lock`)
      return turns.take(path, () => withLock(path, work))
    },
    async state() {
      const names = await readdir(folder).catch(() => [])
      const movedAside = names.filter(name => name.startsWith(`${basename(file)}.corrupt-`)).sort()
      const text = await readWhole(file)
      const outside = text === undefined ? undefined : readEnvelope(text.text)
      return {
        file,
        ...(outside?.type === 'envelope' && { lockedBy: outside.envelope.key.kind }),
        movedAside: movedAside.map(name => join(folder, name)),
      }
    },
  }
}

async function readStore(file: string, keys: MasterKeys): Promise<Opened> {
  const whole = await readWhole(file)
  if (whole === undefined) return { identity: undefined, place: undefined, credentials: [] }
  const { text, identity } = whole
  const outside = readEnvelope(text)
  if (outside.type === 'damaged') throw new Unusable('store-damaged', outside.reason)
  if (outside.type === 'newer')
    throw new CredentialError(
      'store-unreadable',
      `Cannot read ${file}: a newer version of Airlock wrote it. Use that version, or move the file away.`,
    )
  const place = outside.envelope.key
  const inside = openEnvelope(outside.envelope, await unlock(keys, place))
  switch (inside.type) {
    case 'opened':
      return { identity, place, credentials: inside.credentials }
    case 'damaged':
      throw new Unusable('store-damaged', inside.reason)
    case 'wrong-key':
      if (place.kind === 'passphrase')
        throw new CredentialError(
          'wrong-passphrase',
          `Cannot open ${file}: it was locked with another passphrase than AIRLOCK_PASSPHRASE holds now.`,
        )
      throw new Unusable('key-lost', 'the key in its place is another one')
    default:
      return inside satisfies never
  }
}

async function unlock(keys: MasterKeys, place: KeyPlace): Promise<Buffer> {
  try {
    return await keys.unlock(place)
  } catch (error) {
    if (error instanceof CredentialError && error.code === 'key-lost')
      throw new Unusable('key-lost', error.message)
    throw error
  }
}

/** The file and its identity, read from one handle: it may be replaced at any time. Undefined where there is none. */
async function readWhole(file: string): Promise<{ text: string; identity: string } | undefined> {
  try {
    const handle = await open(file, 'r')
    try {
      const found = await handle.stat({ bigint: true })
      if (!found.isFile() || found.size > MAX_FILE_BYTES)
        throw new Error('it is no file that was written here')
      if (process.platform !== 'win32' && (found.mode & 0o077n) !== 0n) {
        await handle.chmod(0o600)
        await keepPrivate(dirname(file), 0o700)
      }
      const text = await handle.readFile('utf8')
      return { text, identity: identify(await handle.stat({ bigint: true })) }
    } finally {
      await handle.close()
    }
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw unreadable(file, cause)
  }
}

async function identityOf(file: string): Promise<string | undefined> {
  try {
    return identify(await stat(file, { bigint: true }))
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw unreadable(file, cause)
  }
}

/** Not the change time: it moves when a file is renamed into its place or its rights are mended. */
function identify({ ino, mtimeNs, size }: { ino: bigint; mtimeNs: bigint; size: bigint }): string {
  return `${ino} ${mtimeNs} ${size}`
}

const ADVICE = 'Sign in again with: airlock login <provider>'

function whatHappened({ code, message }: Unusable): string {
  return code === 'key-lost'
    ? `Cannot open the stored credentials: ${message}`
    : `Cannot read the stored credentials: the file is damaged: ${message}`
}

/** Callers hold the lock. */
async function moveAside(file: string, why: Unusable): Promise<CredentialError> {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  let aside = `${file}.corrupt-${time}`
  for (let count = 2; await identityOf(aside); count++) aside = `${file}.corrupt-${time}-${count}`
  await rename(file, aside)
  await flushFolder(dirname(file))
  return new CredentialError(why.code, `${whatHappened(why)}. It was moved to ${aside}. ${ADVICE}`)
}

function credentialOf({ credentials }: Opened, owner: CredentialOwner): Credential | undefined {
  const found = credentials.find(isOf(owner))
  return found && { value: found.value, ...factsOf(found) }
}

function isOf({ extension, provider }: CredentialOwner): (credential: StoredCredential) => boolean {
  return credential => credential.extension === extension && credential.provider === provider
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function unreadable(file: string, cause: unknown): CredentialError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new CredentialError('store-unreadable', `Cannot read the stored credentials in ${file}: ${reason}`, {
    cause,
  })
}
