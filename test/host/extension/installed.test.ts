import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createInstalledExtensions } from '../../../host/extension/installed.ts'
import { readComponent } from '../../../host/extension/package.ts'
import type { PermissionSheet } from '../../../host/extension/permission-sheet.ts'
import { resolveHome } from '../../../host/home/home.ts'
import { entriesOf, writeArchive } from './archive.ts'
import {
  componentBytes,
  sampleFiles,
  sampleManifest,
  temporaryFolder,
  thrown,
  writeFiles,
} from './sample-extension.ts'

const installProcess = join(import.meta.dirname, 'install-process.ts')

type SampleOptions = NonNullable<Parameters<typeof sampleFiles>[0]>

/** A home, and folders of extensions beside it. */
async function world() {
  const folder = await temporaryFolder()
  const home = resolveHome({ home: join(folder.path, 'home'), env: {} })
  const bundled = join(folder.path, 'bundled')
  const installed = createInstalledExtensions(home, { bundled })
  let sources = 0
  return {
    path: folder.path,
    home,
    bundled,
    installed,
    lockFile: join(home.data, 'extensions.lock.json'),
    source: (options: SampleOptions = {}) =>
      writeFiles(join(folder.path, `source-${sources++}`), sampleFiles(options)),
    /** Installs, agreeing, and returns the sheets that were shown. */
    async install(source: string) {
      const sheets: PermissionSheet[] = []
      const extension = await installed.install(source, { agree: sheet => sheets.push(sheet) > 0 })
      return { extension, sheets }
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

const withPermissions = (permissions: Record<string, unknown>): SampleOptions => ({
  manifest: { permissions: { ...sampleManifest.permissions, ...permissions } },
})

describe('install', () => {
  test('from a folder: shows everything, copies what it consists of, grants what was agreed to', async () => {
    await using at = await world()
    const more = {
      'dist/sample.wasm.map': '{}',
      'README.md': 'read me',
      LICENSE: 'licence',
      'provider.ts': 'source',
      'node_modules/x/index.js': 'x',
    }
    const source = await at.source({ ...withPermissions({ credentials: 'read' }), more })
    const { extension, sheets } = await at.install(source)
    const permissions = {
      network: ['https://api.example.com'],
      env: ['SAMPLE_KEY'],
      plainEnv: [],
      credentials: 'read',
      bodyFields: [],
      browser: [],
      tools: [],
      memoryMiB: 64,
    }
    expect(sheets).toEqual([
      {
        id: 'sample',
        name: 'Sample',
        version: '1.0.0',
        source,
        digests: extension.package.digests,
        componentBytes: componentBytes().length,
        permissions,
        changes: [
          {
            kind: 'network',
            asked: 'https://api.example.com',
            permission: 'network:https://api.example.com',
          },
          { kind: 'env', asked: 'SAMPLE_KEY', permission: 'env:SAMPLE_KEY' },
          { kind: 'credentials', asked: 'read', granted: 'use', permission: 'credentials:read' },
          { kind: 'memoryMiB', asked: '64', permission: 'memoryMiB:64' },
        ],
        componentChanged: true,
      },
    ])
    expect(extension).toMatchObject({ granted: permissions, source, state: 'ready', changes: [] })
    expect(await at.installed.permissions('sample')).toEqual(permissions)
    const files = await readdir(extension.package.folder, { recursive: true })
    expect(files.sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      join('dist', 'sample.wasm'),
      join('dist', 'sample.wasm.map'),
      'extension.json',
      'icons',
      join('icons', 'sample.svg'),
    ])
    await rm(source, { recursive: true })
    expect(Buffer.from(await readComponent((await at.installed.get('sample')).package))).toEqual(
      componentBytes(),
    )
  })

  test.skipIf(process.platform === 'win32')('nobody else on the machine may read it', async () => {
    await using at = await world()
    const { extension } = await at.install(await at.source())
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
    expect(await mode(at.lockFile)).toBe('600')
    expect(await mode(at.home.data)).toBe('700')
    expect(await mode(extension.package.folder)).toBe('700')
    expect(await mode(extension.package.componentFile)).toBe('600')
  })

  test('from an archive, by a bundled name', async () => {
    await using at = await world()
    const archive = await writeArchive(join(at.path, 'sample.tgz'), entriesOf(sampleFiles(), 'package/'))
    expect((await at.install(archive)).extension).toMatchObject({ source: archive, state: 'ready' })
    await writeFiles(join(at.bundled, 'other'), sampleFiles({ manifest: { id: 'other' } }))
    expect((await at.install('other')).extension).toMatchObject({ source: 'other', state: 'ready' })
    expect((await at.installed.list()).map(extension => extension.package.manifest.id)).toEqual([
      'other',
      'sample',
    ])
  })

  test('an extension named like what every object inherits', async () => {
    await using at = await world()
    const { sheets } = await at.install(await at.source({ manifest: { id: 'constructor' } }))
    expect(sheets).toHaveLength(1)
    expect(sheets[0]).not.toHaveProperty('present')
    expect(await at.installed.get('constructor')).toMatchObject({ state: 'ready' })
  })

  test('what cannot be had: says what there is', async () => {
    await using at = await world()
    await writeFiles(join(at.bundled, 'anthropic'), sampleFiles({ manifest: { id: 'anthropic' } }))
    await writeFile(join(at.path, 'file.txt'), 'x')
    for (const [source, message] of [
      ['antropic', 'did you mean "anthropic"?'],
      ['zzzzzzzzz', 'bundled are anthropic'],
      [join(at.path, 'nowhere.tgz'), 'there is no such folder or archive'],
      [join(at.path, 'file.txt'), 'it is a file'],
      ['npm:../x', 'is not the name of a registry package'],
    ] as const)
      expect(await thrown(at.install(source))).toMatchObject({
        code: 'install-failed',
        message: expect.stringContaining(message),
      })
    expect(await at.installed.list()).toEqual([])
  })

  test("a mistake inside an archive is told in the archive's own names", async () => {
    await using at = await world()
    const files = sampleFiles({ manifest: { permisions: {} } })
    const archive = await writeArchive(join(at.path, 'sample.tgz'), entriesOf(files, 'package/'))
    const error = await thrown(at.install(archive))
    expect(error).toMatchObject({
      name: 'InstallError',
      message: `Cannot install ${archive}: extension.json: unknown key "permisions": did you mean "permissions"?`,
    })
  })

  test('no: nothing is installed, nothing is left', async () => {
    await using at = await world()
    const work = at.installed.install(await at.source(), { agree: () => false })
    expect(await thrown(work)).toMatchObject({
      code: 'permission-denied',
      permission: 'install:sample',
      message: expect.stringContaining('nothing was changed'),
    })
    expect(await at.installed.list()).toEqual([])
    expect(await readdir(join(at.home.data, 'extensions', '.work'))).toEqual([])
  })

  test.each<[string, (at: Awaited<ReturnType<typeof world>>) => Promise<unknown>]>([
    ['no', async at => at.installed.install(await at.source({ mark: 'two' }), { agree: () => false })],
    [
      'an error while asking',
      async at =>
        at.installed.install(await at.source({ mark: 'two' }), {
          agree: () => {
            throw new Error('the terminal is gone')
          },
        }),
    ],
    ['a broken component', async at => at.install(await at.source({ more: { 'dist/sample.wasm': 'x' } }))],
    ['a broken manifest', async at => at.install(await at.source({ manifest: { version: '2' } }))],
    [
      'an evil archive',
      async at => {
        const entries = [...entriesOf(sampleFiles({ mark: 'two' })), { path: '../x.svg', body: 'x' }]
        return at.install(await writeArchive(join(at.path, 'evil.tgz'), entries))
      },
    ],
    [
      'an abort while asking',
      async at => {
        const controller = new AbortController()
        return at.installed.install(await at.source({ mark: 'two' }), {
          agree: () => {
            controller.abort(new Error('enough'))
            return true
          },
          signal: controller.signal,
        })
      },
    ],
  ])('after %s the version before works as before', async (_, attempt) => {
    await using at = await world()
    const { extension } = await at.install(await at.source())
    expect(await thrown(attempt(at))).toBeInstanceOf(Error)
    expect(await at.installed.list()).toEqual([extension])
    expect(Buffer.from(await readComponent(extension.package))).toEqual(componentBytes())
    expect(await readdir(join(at.home.data, 'extensions', '.work'))).toEqual([])
  })
})

describe('installing again', () => {
  test('the same bytes: nobody is asked', async () => {
    await using at = await world()
    await at.install(await at.source())
    expect((await at.install(await at.source())).sheets).toEqual([])
  })

  test('other bytes: asked, with nothing that is wider', async () => {
    await using at = await world()
    const first = await at.install(await at.source())
    const second = await at.install(await at.source({ manifest: { version: '1.0.1' }, mark: 'two' }))
    expect(second.sheets).toMatchObject([
      {
        changes: [],
        componentChanged: true,
        present: {
          version: '1.0.0',
          source: first.extension.source,
          digests: first.extension.package.digests,
        },
      },
    ])
    expect(await at.installed.list()).toEqual([second.extension])
    expect(await readdir(join(at.home.data, 'extensions', 'sample'))).toHaveLength(1)
  })

  test('wider: asked, with the difference only', async () => {
    await using at = await world()
    await at.install(await at.source())
    const wider = { network: ['https://api.example.com', 'https://more.example.com'], memoryMiB: 128 }
    const { sheets, extension } = await at.install(await at.source(withPermissions(wider)))
    expect(sheets).toMatchObject([
      {
        componentChanged: false,
        changes: [
          { permission: 'network:https://more.example.com' },
          { permission: 'memoryMiB:128', granted: '64' },
        ],
      },
    ])
    expect(extension.granted.network).toEqual(wider.network)
  })

  test('narrower: nobody is asked, and the grant is what is asked now', async () => {
    await using at = await world()
    await at.install(await at.source())
    const { sheets, extension } = await at.install(
      await at.source(withPermissions({ network: [], memoryMiB: 32 })),
    )
    expect(sheets).toEqual([])
    expect(extension.granted).toMatchObject({ network: [], memoryMiB: 32 })
    expect((await at.install(await at.source())).sheets).toMatchObject([
      { changes: [{ kind: 'network' }, { kind: 'memoryMiB' }] },
    ])
  })
})

describe('what lies on disk', () => {
  test.each(['extension.json', 'dist/sample.wasm'])(
    'one byte more in %s stops it until it is installed again',
    async path => {
      await using at = await world()
      const source = await at.source()
      const { extension } = await at.install(source)
      await appendFile(join(extension.package.folder, path), ' ')
      const changed = await at.installed.get('sample')
      expect(changed).toMatchObject({
        state: 'changed',
        problem: expect.stringMatching(
          /^"sample" is stopped: .* is not the one that was agreed to; .*airlock install/,
        ),
        package: { digests: extension.package.digests, manifest: { id: 'sample', version: '1.0.0' } },
      })
      expect(await at.installed.list()).toEqual([changed])
      if (path !== 'extension.json')
        expect(await thrown(readComponent(changed.package))).toMatchObject({ code: 'invalid-component' })
      // The bytes of the source are those that were agreed to: nobody has to be asked.
      const again = await at.install(source)
      expect(again.sheets).toEqual([])
      expect(again.extension.state).toBe('ready')
    },
  )

  test('a byte changed in place, size and time kept, is seen', async () => {
    await using at = await world()
    const { extension } = await at.install(await at.source())
    const { componentFile } = extension.package
    const { atime, mtime } = await stat(componentFile)
    await writeFile(componentFile, componentBytes('onf'))
    await utimes(componentFile, atime, mtime)
    expect((await at.installed.get('sample')).state).toBe('changed')
  })

  test('a manifest that asks for more on disk: the difference is shown, the old wishes stand', async () => {
    await using at = await world()
    const { extension } = await at.install(await at.source())
    const wider = sampleFiles(withPermissions({ credentials: 'read' }))['extension.json']!
    await writeFile(join(extension.package.folder, 'extension.json'), wider)
    expect(await at.installed.get('sample')).toMatchObject({
      state: 'changed',
      changes: [{ permission: 'credentials:read' }],
      granted: { credentials: 'use' },
      package: { manifest: { permissions: { credentials: 'use' } } },
    })
  })

  test.each<[string, (folder: string) => Promise<void>]>([
    ['the folder is gone', folder => rm(folder, { recursive: true })],
    ['the manifest is gone', folder => rm(join(folder, 'extension.json'))],
    ['the component is no component', folder => writeFile(join(folder, 'dist/sample.wasm'), 'x')],
    ['the manifest is no manifest', folder => writeFile(join(folder, 'extension.json'), '{')],
  ])('%s: it is listed as changed, the others as they are', async (_, harm) => {
    await using at = await world()
    const { extension } = await at.install(await at.source())
    await at.install(await at.source({ manifest: { id: 'other' } }))
    await harm(extension.package.folder)
    expect(await at.installed.list()).toMatchObject([
      { package: { manifest: { id: 'other' } }, state: 'ready' },
      {
        package: { manifest: { id: 'sample' } },
        state: 'changed',
        problem: expect.stringContaining('"sample"'),
      },
    ])
  })
})

describe('the lock file', () => {
  test.each<[string, (text: string) => string]>([
    ['cut off', text => text.slice(0, -20)],
    ['empty', () => ''],
    ['another shape', () => '{"version":1,"extensions":{"sample":{}}}'],
    ['an unknown key', text => text.replace('"granted"', '"grunted"')],
    ['a folder that leads out', text => text.replace(/"folder": "[0-9a-f]+"/, '"folder": "../../evil"')],
  ])('%s: moved aside with an error, never taken for empty', async (_, harm) => {
    await using at = await world()
    await at.install(await at.source())
    const text = await readFile(at.lockFile, 'utf8')
    await writeFile(at.lockFile, harm(text))
    const error = await thrown(at.installed.list())
    expect(error).toMatchObject({ code: 'invalid-lock', file: at.lockFile })
    const aside = (await readdir(at.home.data)).find(name => name.startsWith('extensions.lock.json.broken-'))!
    expect(error).toHaveProperty('message', expect.stringContaining(aside))
    expect(await readFile(join(at.home.data, aside), 'utf8')).toBe(harm(text))
    // Put back, all is as it was.
    await writeFile(join(at.home.data, aside), text)
    await rename(join(at.home.data, aside), at.lockFile)
    expect(await at.installed.list()).toMatchObject([{ state: 'ready' }])
  })

  test('a newer version is left alone', async () => {
    await using at = await world()
    await at.install(await at.source())
    await writeFile(at.lockFile, '{"version":2,"packages":[]}')
    expect(await thrown(at.installed.list())).toMatchObject({
      code: 'invalid-lock',
      message: expect.stringContaining('newer Airlock'),
    })
    expect(await readFile(at.lockFile, 'utf8')).toBe('{"version":2,"packages":[]}')
  })
})

describe('revoke and remove', () => {
  test('what was taken away stays away, and installing again asks for it', async () => {
    await using at = await world()
    const source = await at.source(withPermissions({ credentials: 'read', env: [], plainEnv: ['REGION'] }))
    await at.install(source)
    await at.installed.revoke('sample', 'network:https://api.example.com')
    await at.installed.revoke('sample', 'credentials:read')
    const left = await at.installed.revoke('sample', 'plainEnv:REGION')
    expect(left).toMatchObject({ network: [], credentials: 'use', env: ['REGION'], plainEnv: [] })
    expect(await at.installed.get('sample')).toMatchObject({ granted: left, state: 'ready', changes: [] })
    expect(await thrown(at.installed.revoke('sample', 'credentials:read'))).toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining('env:REGION'),
    })
    const { sheets } = await at.install(source)
    expect(sheets[0]?.changes.map(change => change.permission)).toEqual([
      'network:https://api.example.com',
      'plainEnv:REGION',
      'credentials:read',
    ])
  })

  test('remove takes files and grant', async () => {
    await using at = await world()
    const { extension } = await at.install(await at.source())
    await at.installed.remove('sample')
    expect(await at.installed.list()).toEqual([])
    expect(await thrown(stat(extension.package.folder))).toMatchObject({ code: 'ENOENT' })
    expect((await at.install(await at.source())).sheets).toHaveLength(1)
  })

  test.each(['get', 'remove', 'permissions'] as const)('%s of a name that is not there', async method => {
    await using at = await world()
    await at.install(await at.source())
    for (const [name, hint] of [
      ['sampel', 'did you mean "sample"?'],
      ['constructor', 'airlock list'],
      ['../..', 'airlock list'],
    ] as const)
      expect(await thrown(at.installed[method](name))).toMatchObject({
        code: 'unknown-extension',
        message: expect.stringContaining(hint),
      })
  })
})

describe('several at once', () => {
  test('in one process: every extension is there, and one version of the one that all installed', async () => {
    await using at = await world()
    const ids = ['a', 'b', 'c']
    const results = await Promise.all([
      ...ids.map(async id => at.install(await at.source({ manifest: { id } }))),
      ...ids.map(async mark => at.install(await at.source({ mark }))),
    ])
    expect(results.map(({ extension }) => extension.state)).toEqual(results.map(() => 'ready'))
    const list = await at.installed.list()
    expect(list.map(({ package: { manifest } }) => manifest.id)).toEqual([...ids, 'sample'])
    expect(list.map(({ state }) => state)).toEqual(list.map(() => 'ready'))
    expect(await readdir(join(at.home.data, 'extensions', 'sample'))).toHaveLength(1)
  })

  test('in two processes', async () => {
    await using at = await world()
    const ids = ['a', 'b', 'c', 'd']
    const sources = await Promise.all(ids.map(id => at.source({ manifest: { id } })))
    const shared = await Promise.all(['one', 'two'].map(mark => at.source({ mark })))
    const homeFolder = at.home.config
    const codes = await Promise.all([
      run(homeFolder, [sources[0]!, shared[0]!, sources[1]!]),
      run(homeFolder, [sources[2]!, shared[1]!, sources[3]!]),
    ])
    expect(codes).toEqual([0, 0])
    const list = await at.installed.list()
    expect(list.map(({ package: { manifest } }) => manifest.id)).toEqual([...ids, 'sample'])
    expect(list.map(({ state }) => state)).toEqual(list.map(() => 'ready'))
  })

  test('a process that is killed anywhere in between leaves one whole version', async () => {
    await using at = await world()
    await at.install(await at.source({ mark: 'version 0' }))
    for (let attempt = 0; attempt < 6; attempt++) {
      const marks = [`version ${attempt}a`, `version ${attempt}b`]
      const sources = await Promise.all(marks.map(mark => at.source({ mark })))
      await killBetween(at.home.config, sources, attempt * 9)
      const extension = await at.installed.get('sample')
      expect(extension.state).toBe('ready')
      expect(Buffer.from(await readComponent(extension.package)).toString()).toContain('version')
    }
    // And the next installation goes through, whatever the last one held.
    const { extension } = await at.install(await at.source({ mark: 'last' }))
    expect(await at.installed.list()).toEqual([extension])
    expect(await readdir(join(at.home.data, 'extensions', 'sample'))).toHaveLength(1)
    // A lock that was left behind is taken over after five seconds, six times at the worst.
  }, 120_000)
})

async function run(home: string, sources: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [installProcess, home, ...sources], { stdio: 'ignore', env: {} })
  const [code] = await once(child, 'close')
  return code
}

/** Kills the process some milliseconds after it has begun; at which step that is does not matter. */
async function killBetween(home: string, sources: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [installProcess, home, ...sources], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
  })
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), closed])
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  await closed
  clearTimeout(timer)
}
