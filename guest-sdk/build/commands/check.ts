import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { BuildError } from '../build-error.ts'
import { checkSurface, readSurface } from '../check-component.ts'
import { CONTRACT } from '../componentize.ts'
import { readManifest } from '../manifest.ts'
import { isUpToDate, recordFileOf } from '../up-to-date.ts'

/** Prints what an extension is made of. @throws {BuildError} for the first thing that no host would take. */
export async function check(folder: string): Promise<void> {
  const root = resolve(folder)
  const manifest = await readManifest(root)
  const componentFile = join(root, manifest.component)
  if (manifest.contract !== CONTRACT) {
    throw new BuildError(`${manifest.id}: contract must be "${CONTRACT}": it is "${manifest.contract}"`)
  }
  if (!existsSync(componentFile)) {
    throw new BuildError(
      `${manifest.id}: ${manifest.component} does not exist: run airlock-sdk build ${folder}`,
    )
  }
  for (const icon of manifest.icons) {
    if (!existsSync(join(root, icon))) throw new BuildError(`${manifest.id}: the icon ${icon} does not exist`)
  }
  const component = await readFile(componentFile)
  const surface = await readSurface(component)
  checkSurface(surface, manifest.world)
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`
  const fresh = await isUpToDate(recordFileOf(componentFile), componentFile)
  const rows = [
    ['extension', `${manifest.id}, ${manifest.name}`],
    ['contract', manifest.contract],
    [manifest.world === 'tools' ? 'tools' : 'providers', manifest.declared.join(', ')],
    ['imports', surface.imports.join(', ')],
    [
      'component',
      `${manifest.component}, ${kilobytes(component.length)}, ${kilobytes(gzipSync(component).length)} packed`,
    ],
    ['sources', fresh ? 'as built' : 'changed since the last build, or built elsewhere'],
  ]
  for (const [name, value] of rows) console.log(`${name!.padEnd(10)} ${value}`)
}
