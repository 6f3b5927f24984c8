// Plain JavaScript: reading TypeScript before the cache is on would load the compiler, which is what the cache spares.
import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import envPaths from 'env-paths'

/**
 * Keeps compiled modules in the user's own cache folder (the one of host/home/home.ts): a start takes less than half
 * the time. Not in Node's default place below the temporary folder, where another user of the machine could put code
 * for this one to run.
 */
export function useCompileCache(env) {
  const cache = env.AIRLOCK_HOME
    ? join(resolve(env.AIRLOCK_HOME), 'cache')
    : envPaths('airlock', { suffix: '' }).cache
  const folder = join(cache, 'compiled')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // A home that cannot be written to is slower, not broken; what needs to write there says so itself.
    return
  }
  enableCompileCache(folder)
}
