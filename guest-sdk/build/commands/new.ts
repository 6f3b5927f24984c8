import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { BuildError } from '../build-error.ts'
import type { World } from '../manifest.ts'
import { providerFiles, providerSteps } from './provider-template.ts'
import { toolFiles, toolSteps } from './tool-template.ts'

const sdk = join(import.meta.dirname, '../..')

/** Writes a small extension that works without a service. @throws {BuildError} where the folder is in use. */
export async function createExtension(folder: string, world: World): Promise<void> {
  const root = resolve(folder)
  const id = basename(root)
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(id)) {
    throw new BuildError(
      `Cannot make an extension of "${id}": the folder's name becomes the id, so it must be lower-case letters, digits and "-", beginning with a letter, at most 64`,
    )
  }
  if (existsSync(root) && (await readdir(root)).length > 0) {
    throw new BuildError(`Cannot make an extension in ${folder}: it is not empty`)
  }
  const name = id.replace(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase(),
  )
  await mkdir(root, { recursive: true })
  for (const [file, text] of Object.entries({
    ...(world === 'tools' ? toolFiles(id, name, folder) : providerFiles(id, name, folder)),
    'tsconfig.json': tsconfig(root),
    '.gitignore': 'dist/\nnode_modules/\n',
  })) {
    await writeFile(join(root, file), text)
  }
  console.error(
    `Made ${folder}. Next:\n${world === 'tools' ? toolSteps(id, folder) : providerSteps(id, folder)}`,
  )
}

/** The editor finds the SDK by its path, so that nothing has to be installed. */
const tsconfig = (root: string) =>
  `${JSON.stringify(
    {
      compilerOptions: {
        target: 'es2025',
        lib: ['es2025', 'dom'],
        module: 'nodenext',
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        paths: { '@airlock/guest-sdk': [join(relative(root, sdk), 'index.ts').replaceAll('\\', '/')] },
      },
      include: ['*.ts'],
    },
    null,
    2,
  )}\n`
