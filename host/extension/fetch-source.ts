import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { nearestNames } from '../contract/nearest-names.ts'
import { InstallError } from '../errors.ts'
import { fetchNpm } from './fetch-npm.ts'
import { MANIFEST_NAME } from './package.ts'
import { unpack } from './unpack.ts'

export interface FetchedSource {
  /** Where the extension lies: the user's own folder, or one below the work folder. */
  folder: string
  /** How to name the source later, from any folder. */
  source: string
}

/**
 * Finds what `airlock install` was asked for and brings it into a folder:
 * `npm:name[@version]`, an archive (`.tgz`, `.tar.gz`), the name of a bundled extension, or a folder.
 * Anything with a slash or a dot in it is a path; a bare name is a bundled extension first.
 * @throws {InstallError} where it is none of these, with the nearest bundled names.
 */
export async function fetchSource(
  wanted: string,
  options: {
    /** An empty folder, the caller's to remove. */
    work: string
    /** Folders that hold bundled extensions, by id. */
    bundled: readonly string[]
    env?: NodeJS.ProcessEnv
    signal?: AbortSignal
  },
): Promise<FetchedSource> {
  const { work, bundled, env, signal } = options
  const unpacked = join(work, 'unpacked')
  if (wanted.startsWith('npm:')) {
    const archive = await fetchNpm(wanted.slice('npm:'.length), join(work, 'fetched'), {
      ...(env && { env }),
      ...(signal && { signal }),
    })
    return { folder: await unpack(archive, unpacked, signal), source: wanted }
  }
  if (/^[a-z0-9-]+$/.test(wanted)) {
    for (const parent of bundled) {
      const folder = join(parent, wanted)
      if (await isFile(join(folder, MANIFEST_NAME))) return { folder, source: wanted }
    }
  }
  const path = resolve(wanted)
  const stats = await stat(path).catch(() => undefined)
  if (stats?.isDirectory()) return { folder: path, source: path }
  if (stats?.isFile() && /\.(tgz|tar\.gz)$/i.test(path))
    return { folder: await unpack(path, unpacked, signal), source: path }
  if (stats)
    throw new InstallError(
      `Cannot install ${wanted}: it is a file; give a folder, a .tgz archive, npm:NAME, or a bundled name`,
    )
  const names = await bundledNames(bundled)
  const [nearest] = nearestNames(wanted, names)
  const hint = nearest
    ? `did you mean "${nearest}"?`
    : names.length > 0
      ? `bundled are ${names.join(', ')}`
      : 'nothing is bundled'
  throw new InstallError(
    `Cannot install ${wanted}: there is no such folder or archive, and no bundled extension of that name: ${hint}`,
  )
}

async function bundledNames(folders: readonly string[]): Promise<string[]> {
  const names: string[] = []
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => []))
      if (await isFile(join(folder, name, MANIFEST_NAME))) names.push(name)
  }
  return names.sort()
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}
