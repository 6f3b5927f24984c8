import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that only this user may read (0600, folders 0700), all or nothing: beside it first, flushed, then
 * renamed over it. A reader sees the old text or the new one.
 */
export async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Loaded here because most runs only read, and start-up time is measured.
  const { default: writeFileAtomic } = await import('write-file-atomic')
  await writeFileAtomic(file, text, { mode: 0o600 })
}
