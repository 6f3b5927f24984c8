import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fetchNpm } from '../../../host/extension/fetch-npm.ts'
import { createInstalledExtensions } from '../../../host/extension/installed.ts'
import { resolveHome } from '../../../host/home/home.ts'
import { entriesOf } from './archive.ts'
import { startRegistry } from './npm-registry.ts'
import { sampleFiles, temporaryFolder, thrown } from './sample-extension.ts'

const hasNpm = spawnSync('npm', ['--version'], { shell: process.platform === 'win32' }).status === 0

/** npm as on a machine where nobody has set it up, with this registry. */
async function npmEnv(folder: string, registry: string): Promise<NodeJS.ProcessEnv> {
  const userconfig = join(folder, 'npmrc')
  await writeFile(userconfig, '')
  return {
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_registry: registry,
    npm_config_userconfig: userconfig,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
  }
}

describe.skipIf(!hasNpm)('fetchNpm (needs npm)', () => {
  test.each([
    ['sample-extension', undefined],
    ['sample-extension', '1.2.3'],
    ['sample-extension', '^1.0.0'],
    ['sample-extension', 'latest'],
    ['@acme/sample', undefined],
  ])('%s at %s is fetched and installed, and no script of it runs', async (name, version) => {
    await using folder = await temporaryFolder()
    const mark = join(folder.path, 'a-script-ran')
    const run = `node -e "require('fs').writeFileSync(${JSON.stringify(mark).replaceAll('"', "'")}, '')"`
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'prepack', 'postpack'].map(script => [script, run]),
    )
    const files = sampleFiles({
      more: { 'package.json': JSON.stringify({ name, version: '1.2.3', scripts }), 'provider.ts': 'source' },
    })
    await using registry = await startRegistry({
      [name]: { version: '1.2.3', entries: entriesOf(files, 'package/') },
    })
    const installed = createInstalledExtensions(resolveHome({ home: join(folder.path, 'home'), env: {} }), {
      env: await npmEnv(folder.path, registry.url),
    })
    const source = version === undefined ? `npm:${name}` : `npm:${name}@${version}`
    const extension = await installed.install(source, { agree: () => true })
    expect(extension).toMatchObject({ source, state: 'ready', package: { manifest: { id: 'sample' } } })
    expect((await readdir(extension.package.folder)).sort()).toEqual(['dist', 'extension.json', 'icons'])
    expect(await readFile(extension.package.componentFile)).toEqual(files['dist/sample.wasm'])
    expect(existsSync(mark)).toBe(false)
    expect(registry.requests.length).toBeGreaterThan(0)
  })

  test('a package that is not there, and one whose bytes are not those of the registry', async () => {
    await using folder = await temporaryFolder()
    const entries = entriesOf(sampleFiles(), 'package/')
    await using registry = await startRegistry({ damaged: { version: '1.0.0', entries, damaged: true } })
    const env = await npmEnv(folder.path, registry.url)
    expect(await thrown(fetchNpm('nowhere', join(folder.path, 'a'), { env }))).toMatchObject({
      code: 'install-failed',
      message: expect.stringContaining('Cannot fetch npm:nowhere: E404'),
    })
    expect(await thrown(fetchNpm('damaged', join(folder.path, 'b'), { env }))).toMatchObject({
      message: expect.stringContaining('EINTEGRITY'),
    })
  })

  test('an abort ends npm and throws its own reason', async () => {
    await using folder = await temporaryFolder()
    await using registry = await startRegistry({ silent: { version: '1.0.0', entries: [], silent: true } })
    const controller = new AbortController()
    const reason = new Error('enough')
    const work = fetchNpm('silent', join(folder.path, 'a'), {
      env: await npmEnv(folder.path, registry.url),
      signal: controller.signal,
    })
    await registry.asked
    controller.abort(reason)
    expect(await thrown(work)).toBe(reason)
    const early = fetchNpm('silent', join(folder.path, 'b'), { signal: AbortSignal.abort(reason) })
    expect(await thrown(early)).toBe(reason)
  })
})

test.each([
  '',
  '.',
  '..',
  './x',
  '../x',
  '/etc',
  '--registry=http://evil',
  '-x',
  'A',
  'a b',
  'a;touch x',
  'a/b',
  '@a',
  '@a/b/c',
  'git+https://evil/x',
  'https://evil/x.tgz',
  'x@file:..',
  'x@npm:y',
  'x@git+ssh://evil/x',
  'x@github:a/b',
  'x@a/b',
  'x@-1',
  'x@',
  'x@1 --ignore-scripts=false',
  'x@>=1',
])('fetchNpm(%j) is refused before npm sees it', async wanted => {
  await using folder = await temporaryFolder()
  const work = fetchNpm(wanted, join(folder.path, 'a'), { env: { PATH: '' } })
  expect(await thrown(work)).toMatchObject({
    code: 'install-failed',
    message: expect.stringMatching(
      /is not the name of a registry package|is not a version, a range or a tag/,
    ),
  })
})

test('without npm: says so', async () => {
  await using folder = await temporaryFolder()
  const work = fetchNpm('x', join(folder.path, 'a'), { env: { PATH: folder.path } })
  expect(await thrown(work)).toMatchObject({
    message: expect.stringContaining('there is no npm on the path'),
  })
})
