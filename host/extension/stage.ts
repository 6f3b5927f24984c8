import { createHash } from 'node:crypto'
import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isText } from './kept-files.ts'
import {
  type ExtensionPackage,
  MANIFEST_NAME,
  MAX_COMPONENT_BYTES,
  MAX_ICON_BYTES,
  readPackage,
} from './package.ts'
import { readInside, UnreadableFile } from './read-inside.ts'

const MAX_TEXT_BYTES = 1024 * 1024
/** Source maps are larger than what they map. */
const MAX_MAP_BYTES = MAX_COMPONENT_BYTES

/**
 * Copies what an extension consists of into an empty folder, flushed to disk: manifest, component, its source map,
 * icons, README and licence. The copy is what is then read, shown, agreed to and installed, so that nothing can
 * change in between.
 */
export async function stagePackage(source: string, folder: string): Promise<ExtensionPackage> {
  const { manifest } = await readPackage(source)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const icons = manifest.providers.flatMap(({ icon }) => (icon === undefined ? [] : [icon]))
  const texts = (await readdir(source)).filter(isText)
  await copy(source, folder, MANIFEST_NAME, MAX_COMPONENT_BYTES)
  await copy(source, folder, manifest.component, MAX_COMPONENT_BYTES)
  for (const icon of new Set(icons)) await copy(source, folder, icon, MAX_ICON_BYTES)
  await copyIfReadable(source, folder, `${manifest.component}.map`, MAX_MAP_BYTES)
  for (const text of texts) await copyIfReadable(source, folder, text, MAX_TEXT_BYTES)
  await syncFolders(folder)
  return readPackage(folder)
}

/** SHA-256 over the names and contents of everything in a folder: the name an installed version is kept under. */
export async function folderDigest(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const path of await filesIn(folder)) {
    const contents = createHash('sha256')
      .update(await readInside(folder, path, MAX_COMPONENT_BYTES))
      .digest('hex')
    hash.update(`${contents} ${path}\n`)
  }
  return hash.digest('hex')
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

async function copy(source: string, folder: string, path: string, maxBytes: number): Promise<void> {
  const bytes = await readInside(source, path, maxBytes)
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(bytes)
  await handle.sync()
}

/** For files that nothing depends on: a README that is a link to elsewhere is no reason to refuse the extension. */
async function copyIfReadable(source: string, folder: string, path: string, maxBytes: number): Promise<void> {
  await copy(source, folder, path, maxBytes).catch(cause => {
    if (!(cause instanceof UnreadableFile)) throw cause
  })
}

async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name))
  await syncFolder(folder)
}

/** Makes new names in a folder last through a power failure. Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
