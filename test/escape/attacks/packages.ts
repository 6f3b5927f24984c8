import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'tar'
import { type Attack, stoppedBy } from '../attack.ts'
import { buildHostile } from '../build-hostile.ts'
import type { Stage } from '../stage.ts'

async function installError(stage: Stage, source: string): Promise<string> {
  return stage.airlock.install(source, { agree: () => true }).then(
    () => Promise.reject(new Error('it was installed')),
    (error: unknown) => stoppedBy(error),
  )
}

export const packageAttacks: Attack[] = [
  {
    id: 'component-300-mb',
    tries: 'be a component of 300 MB',
    guest: '{}',
    async run(stage) {
      const folder = await buildHostile(this, join(stage.folder, 'large'), stage.canary)
      await truncate(join(folder, 'hostile.wasm'), 300 * 1024 * 1024)
      await stage.airlock.load(folder).then(
        () => Promise.reject(new Error('it was loaded')),
        (error: unknown) => stoppedBy(error),
      )
      return installError(stage, folder)
    },
  },
  {
    id: 'archive-of-links',
    tries: 'install an archive of links to files of this machine',
    guest: '{}',
    async run(stage) {
      const folder = join(stage.folder, 'links', 'package')
      await mkdir(folder, { recursive: true })
      await symlink('/etc/passwd', join(folder, 'extension.json'))
      await symlink('/etc', join(folder, 'dist'))
      const archive = join(stage.folder, 'links.tgz')
      await create({ gzip: true, file: archive, cwd: join(stage.folder, 'links') }, ['package'])
      return installError(stage, archive)
    },
  },
  {
    id: 'folder-of-links',
    tries: 'be a folder whose component is a link to a file of this machine',
    guest: '{}',
    async run(stage) {
      const folder = await buildHostile(this, join(stage.folder, 'linked'), stage.canary)
      const outside = join(stage.folder, 'outside.wasm')
      await writeFile(outside, 'secret')
      const manifest = {
        ...(await import(join(folder, 'extension.json'), { with: { type: 'json' } })).default,
      }
      await symlink(outside, join(folder, 'linked.wasm'))
      await writeFile(
        join(folder, 'extension.json'),
        JSON.stringify({ ...manifest, component: 'linked.wasm' }),
      )
      return installError(stage, folder)
    },
  },
]
