import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { resolveHome } from '../home/home.ts'

/**
 * Keeps compiled modules in the user's own cache folder: a start takes less than half the time. Not in Node's default
 * place below the temporary folder, where another user of the machine could put code for this one to run.
 */
export function useCompileCache(env: NodeJS.ProcessEnv): void {
  const folder = join(resolveHome({ env }).cache, 'compiled')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // A home that cannot be written to is slower, not broken; what needs to write there says so itself.
    return
  }
  enableCompileCache(folder)
}
