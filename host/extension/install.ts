import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AirlockError, InstallError, PermissionDeniedError } from '../errors.ts'
import { withLock } from '../home/lock.ts'
import type { InstalledExtension } from './check-installation.ts'
import { fetchSource } from './fetch-source.ts'
import { findRecord, type LockRecord, readLock, writeLock } from './lock-file.ts'
import type { ExtensionPackage } from './package.ts'
import { needsAgreement, type PermissionSheet, permissionSheet } from './permission-sheet.ts'
import { folderDigest, stagePackage, syncFolder } from './stage.ts'

/** A work folder of this age belongs to nobody any more: fetching ends after minutes, reading a sheet after hours. */
const STALE_WORK_MS = 24 * 60 * 60_000
const WORK_FOLDER = '.work'

export interface InstallOptions {
  /**
   * Asked before anything is changed, where the component is not the one agreed to before or asks for more. Not
   * asked where the same component asks for the same or less.
   */
  agree(sheet: PermissionSheet): boolean | Promise<boolean>
  /** Ends fetching and unpacking. Once the new version is being put in place, it is finished. */
  signal?: AbortSignal
}

export interface InstallPlaces {
  /** Holds the versions of every extension, and the work folders. */
  folder: string
  lockFile: string
  /** The lock that every change of `lockFile` is made under. */
  guard: string
  /** Folders of bundled extensions. */
  bundled: readonly string[]
  /** What npm runs with. */
  env?: NodeJS.ProcessEnv
  check(id: string, record: LockRecord): Promise<InstalledExtension>
}

/**
 * Installs or replaces one extension. The version before stays until the new one is whole; whatever fails, or kills
 * the process, leaves it as it was.
 */
export async function installExtension(
  wanted: string,
  places: InstallPlaces,
  options: InstallOptions,
): Promise<InstalledExtension> {
  const { agree, signal } = options
  signal?.throwIfAborted()
  const work = join(places.folder, WORK_FOLDER, randomUUID())
  await mkdir(work, { recursive: true, mode: 0o700 })
  try {
    const { staged, source } = await stage(wanted, work, places, signal)
    for (;;) {
      const before = findRecord(await readLock(places.lockFile), staged.manifest.id)
      const sheet = permissionSheet(staged, source, before)
      if (needsAgreement(sheet) && !(await agree(sheet)))
        throw new PermissionDeniedError(
          `install:${sheet.id}`,
          `Not installed: "${sheet.id}" from ${source} was not agreed to; nothing was changed`,
        )
      signal?.throwIfAborted()
      // Undefined where another process installed it meanwhile: the sheet was about something else, ask anew.
      const done = await putInPlace(staged, source, work, before, places)
      if (done) return done
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function stage(wanted: string, work: string, { bundled, env }: InstallPlaces, signal?: AbortSignal) {
  const fetched = await fetchSource(wanted, {
    work,
    bundled,
    ...(env && { env }),
    ...(signal && { signal }),
  })
  try {
    return { staged: await stagePackage(fetched.folder, join(work, 'staged')), source: fetched.source }
  } catch (cause) {
    if (!(cause instanceof AirlockError) || !fetched.folder.startsWith(work)) throw cause
    // The user knows the archive, not the folder that it was unpacked in.
    const message = cause.message.replaceAll(`${fetched.folder}/`, '').replaceAll(fetched.folder, wanted)
    throw new InstallError(`Cannot install ${wanted}: ${message}`, { cause })
  }
}

/** The only part that changes what is installed. The new version counts from the moment the lock file names it. */
function putInPlace(
  staged: ExtensionPackage,
  source: string,
  work: string,
  before: LockRecord | undefined,
  { folder, lockFile, guard, check }: InstallPlaces,
): Promise<InstalledExtension | undefined> {
  return withLock(guard, async assertHeld => {
    const lock = await readLock(lockFile)
    const { id } = staged.manifest
    if (!isDeepStrictEqual(findRecord(lock, id), before)) return undefined
    const digest = await folderDigest(staged.folder)
    const versions = join(folder, id)
    await moveVersion(staged.folder, join(versions, digest), digest, work)
    const record = recordOf(staged, source, digest)
    assertHeld()
    await writeLock(lockFile, { ...lock, extensions: { ...lock.extensions, [id]: record } })
    await removeOthers(versions, digest)
    await removeStaleWork(join(folder, WORK_FOLDER))
    // While the lock is held: after it, another process may have replaced this version already.
    return check(id, record)
  })
}

function recordOf(staged: ExtensionPackage, source: string, digest: string): LockRecord {
  const { manifest, digests, componentBytes } = staged
  return {
    source,
    installedAt: new Date().toISOString(),
    folder: digest,
    digests,
    granted: manifest.permissions,
    manifest: {
      name: manifest.name,
      version: manifest.version,
      contract: manifest.contract,
      component: manifest.component,
      componentBytes,
      providers: manifest.providers.map(({ id, name }) => ({ id, name })),
      tools: manifest.tools.map(({ id }) => ({ id })),
    },
  }
}

/** A folder of this digest that is already there and whole is the same version; one that is not was tampered with. */
async function moveVersion(staged: string, target: string, digest: string, work: string): Promise<void> {
  const present = await folderDigest(target).catch(() => undefined)
  if (present === digest) return
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  if (await exists(target)) await rename(target, join(work, 'replaced'))
  await rename(staged, target)
  await syncFolder(dirname(target))
}

/** Whatever cannot be removed now, a file in use on Windows say, goes with the next installation. */
async function removeOthers(versions: string, keep: string): Promise<void> {
  for (const name of await readdir(versions))
    if (name !== keep) await rm(join(versions, name), { recursive: true, force: true }).catch(() => undefined)
}

/** What installations left behind that were killed. */
async function removeStaleWork(works: string): Promise<void> {
  for (const name of await readdir(works)) {
    const path = join(works, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats && stats.mtimeMs < Date.now() - STALE_WORK_MS)
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
