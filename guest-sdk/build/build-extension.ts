import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isObject } from '../read-json.ts'
import { BuildError } from './build-error.ts'
import { bundle } from './bundle.ts'
import { checkSurface, readSurface } from './check-component.ts'
import { CONTRACT, componentize } from './componentize.ts'
import { readManifest, type World } from './manifest.ts'
import { isUpToDate, recordBuild, recordFileOf } from './up-to-date.ts'

export interface BuiltExtension {
  id: string
  componentFile: string
  componentBytes: number
  /** Bytes of the author's code and what it uses of the SDK, as they went into the component. */
  bundleBytes: number | undefined
  /** False where nothing had changed since the last build. */
  built: boolean
}

/**
 * Builds the extension in a folder: writes the component that its manifest names, and beside it the source
 * map `<component>.map` (version 3) from positions in the guest's stack traces to the author's files.
 * @throws {BuildError} whatever the author can mend.
 */
export async function buildExtension(
  folder: string,
  options: { force?: boolean } = {},
): Promise<BuiltExtension> {
  const root = resolve(folder)
  const manifest = await readManifest(root)
  if (manifest.contract !== CONTRACT) {
    throw new BuildError(
      `Cannot build ${manifest.id}: contract in extension.json must be "${CONTRACT}", which this SDK builds for: it is "${manifest.contract}"`,
    )
  }
  const componentFile = join(root, manifest.component)
  const recordFile = recordFileOf(componentFile)
  if (options.force !== true && (await isUpToDate(recordFile, componentFile))) {
    const { size } = await stat(componentFile)
    return { id: manifest.id, componentFile, componentBytes: size, bundleBytes: undefined, built: false }
  }
  const { world, declared } = manifest
  const entry = await findEntry(root, world)
  const bundled = await bundle({
    entry,
    outputFolder: dirname(componentFile),
    world,
    declared,
  })
  const component = await componentize(bundled, world)
  checkSurface(await readSurface(component), world)
  await writeAtomically(`${componentFile}.map`, bundled.map)
  await writeAtomically(componentFile, component)
  await recordBuild(recordFile, componentFile, [join(root, 'extension.json'), ...bundled.files])
  return {
    id: manifest.id,
    componentFile,
    componentBytes: component.length,
    bundleBytes: Buffer.byteLength(bundled.code),
    built: true,
  }
}

/** `provider.ts` or `tools.ts`, else what package.json names as `source` or `main`. */
async function findEntry(root: string, world: World): Promise<string> {
  const usual = join(root, `${world}.ts`)
  if (existsSync(usual)) return usual
  const packageFile = join(root, 'package.json')
  if (existsSync(packageFile)) {
    const manifest: unknown = JSON.parse(await readFile(packageFile, 'utf8'))
    if (isObject(manifest)) {
      const named = manifest.source ?? manifest.main
      if (typeof named === 'string') {
        const file = join(root, named)
        if (existsSync(file)) return file
        throw new BuildError(`Cannot build ${root}: its package.json names ${named}, which does not exist`)
      }
    }
  }
  throw new BuildError(`Cannot build ${root}: it has no ${world}.ts, and no package.json that names a source`)
}

async function writeAtomically(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await writeFile(temporary, content)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
