import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { componentize } from '@bytecodealliance/componentize-js'
import { filesystem } from '@bytecodealliance/preview2-shim'
import { repoRoot } from './repo-root.ts'

const cache = join(repoRoot, 'node_modules/.cache/airlock-test-guests')

/**
 * A component of another engine than the SDK's: StarlingMonkey, of 14 MB. `without` names the parts of the engine's
 * own machine that are left out, and with them what it imports of WASI.
 */
export async function buildStarlingGuest(source: string, without: Feature[]): Promise<Uint8Array> {
  const wit = await readFile(join(repoRoot, 'wit/tools.wit'))
  const key = createHash('sha256').update(source).update(without.join()).update(wit).digest('hex')
  const file = join(cache, `${key}.wasm`)
  if (existsSync(file)) return readFile(file)
  // Nothing is open to the tool's own WASI by default, and it reads the contract through that.
  preopenEverything(filesystem)
  await mkdir(cache, { recursive: true })
  const sourcePath = `${file}.${process.pid}.js`
  await writeFile(sourcePath, source)
  const { component } = await componentize({
    sourcePath,
    witPath: join(repoRoot, 'wit'),
    worldName: 'tool-extension',
    disableFeatures: without,
  })
  await rm(sourcePath)
  await writeFile(`${file}.${process.pid}`, component)
  await rename(`${file}.${process.pid}`, file)
  return component
}

type Feature = 'stdio' | 'random' | 'clocks' | 'http' | 'fetch-event'

function preopenEverything(of: unknown) {
  const { _setPreopens } = of as { _setPreopens(folders: Record<string, string>): void }
  _setPreopens({ '/': '/' })
}
