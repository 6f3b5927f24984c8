import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BuildError } from '../build-error.ts'
import { buildExtension } from '../build-extension.ts'

/** Builds every folder; one that fails does not keep the others from being built. */
export async function build(patterns: readonly string[], options: { force: boolean }): Promise<void> {
  const folders = await expand(patterns)
  const failures: string[] = []
  for (const folder of folders) {
    const started = performance.now()
    try {
      const { id, componentFile, componentBytes, built } = await buildExtension(folder, options)
      const where = relative(process.cwd(), componentFile)
      const kilobytes = `${Math.round(componentBytes / 1000)} kB`
      const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`
      console.error(
        built ? `${id}: built ${where}, ${kilobytes}, in ${seconds}` : `${id}: ${where} is up to date`,
      )
    } catch (error) {
      if (!(error instanceof BuildError)) throw error
      failures.push(`${folder}: ${error.message}`)
    }
  }
  if (failures.length > 0) throw new BuildError(failures.join('\n'))
}

/** Shells that do not expand patterns hand them over as they are. A pattern means the extensions among its matches. */
async function expand(patterns: readonly string[]): Promise<string[]> {
  const folders: string[] = []
  for (const pattern of patterns) {
    if (existsSync(pattern) || !/[*?[\]{}]/.test(pattern)) {
      folders.push(pattern)
      continue
    }
    for await (const folder of glob(pattern)) {
      if (existsSync(join(folder, 'extension.json'))) folders.push(folder)
    }
  }
  if (folders.length === 0)
    throw new BuildError(`Nothing to build: ${patterns.join(' ')} matches no extension`)
  return folders.sort()
}
