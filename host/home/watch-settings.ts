import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'

// An editor writes a file in several steps.
const SETTLED_MS = 100

/**
 * Calls `changed` when the file was written, until what comes back is disposed of. Keeps no process alive. A folder
 * that is not there cannot be watched: then nothing is told.
 */
export function watchSettings(file: string, changed: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined
  const settle = () => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED_MS).unref()
  }
  try {
    // The folder: the file is replaced as a whole, and may not be there yet.
    const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
      if (name === null || name === basename(file)) settle()
    })
    watcher.on('error', () => watcher.close())
    return {
      [Symbol.dispose]() {
        clearTimeout(timer)
        watcher.close()
      },
    }
  } catch {
    return { [Symbol.dispose]() {} }
  }
}
