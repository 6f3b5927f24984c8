import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Puts `text` in the place of a file that only this user may read: written beside, flushed, renamed over, and the
 * folder flushed, so that a crash at any moment leaves the old text or the new one. File and folder get 0600 and
 * 0700 even where they were there before with more. Callers hold a lock. `beforeRename` runs when all is written and
 * nothing is visible yet; what it throws leaves the old file.
 */
export async function replaceFile(
  file: string,
  text: string,
  beforeRename: () => void | Promise<void> = () => {},
): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await keepPrivate(folder, 0o700)
  await removeLeftovers(file)
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    // `wx`: never through a link that somebody put there.
    const handle = await open(beside, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await beforeRename()
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await flushFolder(folder)
}

/** Takes everybody else's rights away from what is there. Does nothing on Windows, whose profile folders are private. */
export async function keepPrivate(path: string, mode: 0o600 | 0o700): Promise<void> {
  if (process.platform === 'win32') return
  if (((await stat(path)).mode & 0o777) !== mode) await chmod(path, mode)
}

/** Makes a rename, or the end of a file, last beyond a power cut. Windows has no such call for folders. */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What a process that was killed left behind. Nobody writes now: the caller holds the lock. */
async function removeLeftovers(file: string): Promise<void> {
  const prefix = `${basename(file)}.`
  for (const name of await readdir(dirname(file))) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) await rm(join(dirname(file), name), { force: true })
  }
}
