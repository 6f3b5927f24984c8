import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buildExtension } from '../../guest-sdk/build/build-extension.ts'
import { writeExtension } from '../guest-sdk/run-component.ts'
import { repoRoot } from './repo-root.ts'

const cache = join(repoRoot, 'node_modules/.cache/airlock-test-extensions')

/** The folder of an extension made of these files, built with the SDK once for all tests. */
export async function buildTestExtension(files: Record<string, string>): Promise<string> {
  const digest = createHash('sha256')
    .update(JSON.stringify(files) + (await sdkState()))
    .digest('hex')
  const folder = join(cache, digest)
  if (existsSync(folder)) return folder
  const made = await writeExtension(files)
  await buildExtension(made)
  const beside = `${folder}.${process.pid}`
  await mkdir(cache, { recursive: true })
  await cp(made, beside, { recursive: true })
  await rm(made, { recursive: true, force: true })
  await rename(beside, folder).catch(() => rm(beside, { recursive: true, force: true }))
  return folder
}

/** Another for each change of what extensions are made of. */
async function sdkState(): Promise<string> {
  const sdk = join(repoRoot, 'guest-sdk')
  const files = (await readdir(sdk, { recursive: true })).filter(file =>
    /^(?!node_modules).*\.ts$/.test(file),
  )
  const times = files.map(async file => `${file} ${(await stat(join(sdk, file))).mtimeMs}`)
  return (await Promise.all(times)).sort().join()
}
