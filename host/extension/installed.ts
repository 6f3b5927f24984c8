import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { nearestNames } from '../contract/nearest-names.ts'
import { AirlockError, InstallError, PermissionDeniedError, UnknownNameError } from '../errors.ts'
import type { Home } from '../home/home.ts'
import { withLock } from '../home/lock.ts'
import { type Permissions, withoutPermission } from '../policy/permissions.ts'
import { createInstallationCheck, type InstalledExtension } from './check-installation.ts'
import { fetchSource } from './fetch-source.ts'
import { type LockRecord, readLock, writeLock } from './lock-file.ts'
import type { ExtensionPackage } from './package.ts'
import { needsAgreement, type PermissionSheet, permissionSheet } from './permission-sheet.ts'
import { folderDigest, stagePackage, syncFolder } from './stage.ts'

/** A work folder of this age belongs to nobody any more: fetching ends after minutes, reading a sheet after hours. */
const STALE_WORK_MS = 24 * 60 * 60_000
const WORK_FOLDER = '.work'

export type { InstalledExtension }

export interface InstallOptions {
  /**
   * Asked before anything is changed, where the component is not the one agreed to before or asks for more. Not
   * asked where the same component asks for the same or less.
   */
  agree(sheet: PermissionSheet): boolean | Promise<boolean>
  /** Ends fetching and unpacking. Once the new version is being put in place, it is finished. */
  signal?: AbortSignal
}

export interface InstalledExtensions {
  /**
   * Installs or replaces an extension from a folder, an archive, `npm:name[@version]` or a bundled name. The version
   * before stays until the new one is whole; whatever fails leaves it as it was.
   * @throws {InstallError} the source cannot be had.
   * @throws {InvalidFileError} its manifest is wrong.
   * @throws {InvalidComponentError} its component is wrong.
   * @throws {PermissionDeniedError} `agree` said no.
   */
  install(source: string, options: InstallOptions): Promise<InstalledExtension>
  /** All of them, by id. */
  list(): Promise<InstalledExtension[]>
  /** @throws {UnknownNameError} `unknown-extension`, with the nearest names. */
  get(id: string): Promise<InstalledExtension>
  /** Takes it off the machine, its grant too. Credentials are the store's. */
  remove(id: string): Promise<void>
  /** What it was granted. */
  permissions(id: string): Promise<Permissions>
  /**
   * Takes one permission away, as `network:https://api.example.com`, `env:NAME`, `plainEnv:NAME`,
   * `credentials:read`, `bodyFields:NAME` or `browser:https://example.com`, and returns what is left.
   * Installing it again asks for what was taken.
   */
  revoke(id: string, permission: string): Promise<Permissions>
}

/**
 * The extensions that are installed in a home, and what each may do. Holds nothing but a cache: several processes
 * may use one home at once.
 */
export function createInstalledExtensions(
  home: Home,
  options: {
    /** The folder of bundled extensions. Default: `extensions` beside or inside the host's own folder. */
    bundled?: string
    /** What npm runs with. Default: this process's own environment. */
    env?: NodeJS.ProcessEnv
  } = {},
): InstalledExtensions {
  const { bundled, env } = options
  const bundledFolders = bundled === undefined ? defaultBundled() : [bundled]
  const folder = join(home.data, 'extensions')
  const lockFile = join(home.data, 'extensions.lock.json')
  const guard = join(home.data, 'extensions.guard')
  const checkInstallation = createInstallationCheck(folder)

  async function install(wanted: string, { agree, signal }: InstallOptions): Promise<InstalledExtension> {
    signal?.throwIfAborted()
    const work = join(folder, WORK_FOLDER, randomUUID())
    await mkdir(work, { recursive: true, mode: 0o700 })
    try {
      const { staged, source } = await stage(wanted, work, signal)
      for (;;) {
        const before = (await readLock(lockFile)).extensions[staged.manifest.id]
        const sheet = permissionSheet(staged, source, before)
        if (needsAgreement(sheet) && !(await agree(sheet)))
          throw new PermissionDeniedError(
            `install:${sheet.id}`,
            `Not installed: "${sheet.id}" from ${source} was not agreed to; nothing was changed`,
          )
        signal?.throwIfAborted()
        // Undefined where another process installed it meanwhile: the sheet was about something else, ask anew.
        const done = await putInPlace(staged, source, work, before)
        if (done) return done
      }
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }

  async function stage(wanted: string, work: string, signal: AbortSignal | undefined) {
    const fetched = await fetchSource(wanted, {
      work,
      bundled: bundledFolders,
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
  ): Promise<InstalledExtension | undefined> {
    return withLock(guard, async assertHeld => {
      const lock = await readLock(lockFile)
      const { id } = staged.manifest
      if (!isDeepStrictEqual(lock.extensions[id], before)) return undefined
      const digest = await folderDigest(staged.folder)
      const versions = join(folder, id)
      await moveVersion(staged.folder, join(versions, digest), digest, work)
      const record = recordOf(staged, source, digest)
      assertHeld()
      await writeLock(lockFile, { ...lock, extensions: { ...lock.extensions, [id]: record } })
      await removeOthers(versions, digest)
      await removeStaleWork(join(folder, WORK_FOLDER))
      return checkInstallation(id, record)
    })
  }

  async function list(): Promise<InstalledExtension[]> {
    const { extensions } = await readLock(lockFile)
    return Promise.all(
      Object.keys(extensions)
        .sort()
        .map(id => get(id)),
    )
  }

  async function get(id: string): Promise<InstalledExtension> {
    let record = await recordFor(id)
    for (;;) {
      const found = await checkInstallation(id, record)
      if (found.state === 'ready') return found
      // The version may have been replaced, and its folder removed, between the two readings.
      const now = await recordFor(id)
      if (isDeepStrictEqual(now, record)) return found
      record = now
    }
  }

  async function recordFor(id: string): Promise<LockRecord> {
    const { extensions } = await readLock(lockFile)
    return known(extensions, id)
  }

  async function remove(id: string): Promise<void> {
    await withLock(guard, async assertHeld => {
      const lock = await readLock(lockFile)
      known(lock.extensions, id)
      const { [id]: _, ...rest } = lock.extensions
      assertHeld()
      await writeLock(lockFile, { ...lock, extensions: rest })
      await rm(join(folder, id), { recursive: true, force: true })
    })
  }

  async function permissions(id: string): Promise<Permissions> {
    return (await recordFor(id)).granted
  }

  function revoke(id: string, permission: string): Promise<Permissions> {
    return withLock(guard, async assertHeld => {
      const lock = await readLock(lockFile)
      const record = known(lock.extensions, id)
      const granted = withoutPermission(record.granted, permission)
      assertHeld()
      await writeLock(lockFile, { ...lock, extensions: { ...lock.extensions, [id]: { ...record, granted } } })
      return granted
    })
  }

  return { install, list, get, remove, permissions, revoke }
}

function known(extensions: Record<string, LockRecord>, id: string): LockRecord {
  if (Object.hasOwn(extensions, id)) return extensions[id]!
  const near = nearestNames(id, Object.keys(extensions))
  const hint = near[0] ? `did you mean "${near[0]}"?` : '`airlock list` shows what is'
  throw new UnknownNameError('unknown-extension', `"${id}" is not installed: ${hint}`, near)
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

/** In the repository they lie beside the host's folder, in the published package inside it. */
function defaultBundled(): string[] {
  const host = dirname(import.meta.dirname)
  return [join(host, 'extensions'), join(dirname(host), 'extensions')]
}
