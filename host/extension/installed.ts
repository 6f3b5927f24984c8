import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { nearestNames } from '../contract/nearest-names.ts'
import { UnknownNameError } from '../errors.ts'
import type { Home } from '../home/home.ts'
import { withLock } from '../home/lock.ts'
import { type Permissions, withoutPermission } from '../policy/permissions.ts'
import { createInstallationCheck, type InstalledExtension } from './check-installation.ts'
import type { InstallOptions, InstallPlaces } from './install.ts'
import { findRecord, type Lock, type LockRecord, readLock, writeLock } from './lock-file.ts'

export type { InstalledExtension, InstallOptions }

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
   * `credentials:read`, `bodyFields:NAME`, `browser:https://example.com` or `tools:ID`, and returns what is left.
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
  const folder = join(home.data, 'extensions')
  const lockFile = join(home.data, 'extensions.lock.json')
  const guard = join(home.data, 'extensions.guard')
  const check = createInstallationCheck(folder)
  const places: InstallPlaces = {
    folder,
    lockFile,
    guard,
    bundled: bundled === undefined ? defaultBundled() : [bundled],
    check,
    ...(env && { env }),
  }

  async function install(source: string, options: InstallOptions): Promise<InstalledExtension> {
    // Loaded here because most runs install nothing, and start-up time is measured.
    const { installExtension } = await import('./install.ts')
    return installExtension(source, places, options)
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
      const found = await check(id, record)
      if (found.state === 'ready') return found
      // The version may have been replaced, and its folder removed, between the two readings.
      const now = await recordFor(id)
      if (isDeepStrictEqual(now, record)) return found
      record = now
    }
  }

  async function recordFor(id: string): Promise<LockRecord> {
    return known(await readLock(lockFile), id)
  }

  async function remove(id: string): Promise<void> {
    await withLock(guard, async assertHeld => {
      const lock = await readLock(lockFile)
      known(lock, id)
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
      const record = known(lock, id)
      const granted = withoutPermission(record.granted, permission)
      assertHeld()
      await writeLock(lockFile, { ...lock, extensions: { ...lock.extensions, [id]: { ...record, granted } } })
      return granted
    })
  }

  return { install, list, get, remove, permissions, revoke }
}

function known(lock: Lock, id: string): LockRecord {
  const record = findRecord(lock, id)
  if (record) return record
  const near = nearestNames(id, Object.keys(lock.extensions))
  const hint = near[0] ? `did you mean "${near[0]}"?` : '`airlock list` shows what is'
  throw new UnknownNameError('unknown-extension', `"${id}" is not installed: ${hint}`, near)
}

/** In the repository they lie beside the host's folder, in the published package inside it. */
function defaultBundled(): string[] {
  const host = dirname(import.meta.dirname)
  return [join(host, 'extensions'), join(dirname(host), 'extensions')]
}
