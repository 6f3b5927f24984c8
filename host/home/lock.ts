import { access, constants, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AirlockError } from '../errors.ts'
import { notWritable } from './not-writable.ts'

/** How long a lock may go without a sign of life before its process counts as dead, ms. */
const STALE_MS = 5_000
/** Together about 30 s: longer than any holder needs, since nobody asks a user or the network while holding it. */
const RETRIES = { retries: 150, factor: 1, minTimeout: 200, maxTimeout: 200, randomize: true }

/**
 * Runs `work` while no other process, and nobody else in this one, holds the lock at `path`. Of a process that was
 * killed while it held the lock, the lock is taken over after five seconds. `work` calls `assertHeld` before the
 * step that makes its change visible: a machine that slept may have lost the lock meanwhile.
 * @throws {AirlockError} `busy` where another holds it for half a minute, or took it over; `not-writable` where its
 * folder is.
 */
export async function withLock<T>(path: string, work: (assertHeld: () => void) => Promise<T>): Promise<T> {
  const folder = dirname(path)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
  } catch (cause) {
    throw notWritable(folder, cause)
  }
  const { default: lockfile } = await import('proper-lockfile')
  let lost: Error | undefined
  const release = await lockfile
    .lock(path, {
      lockfilePath: path,
      realpath: false,
      stale: STALE_MS,
      retries: RETRIES,
      onCompromised: error => {
        lost = error
      },
    })
    .catch((cause: unknown) => {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ELOCKED'))
        throw notWritable(folder, cause)
      throw new AirlockError('busy', `Cannot take the lock ${path}: another process holds it`, { cause })
    })
  try {
    return await work(() => {
      if (lost) throw new AirlockError('busy', `Lost the lock ${path}: try again`, { cause: lost })
    })
  } finally {
    // A lock that was lost is no longer ours to release.
    if (!lost) await release()
  }
}
