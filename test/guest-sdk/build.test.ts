import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { buildExtension } from '../../guest-sdk/build/build-extension.ts'
import { checkSurface, readSurface } from '../../guest-sdk/build/check-component.ts'
import { request, runFolder, writeExtension } from './run-component.ts'

const command = join(import.meta.dirname, '../../guest-sdk/bin/airlock-sdk.js')
// A build takes a second, and several on a machine that does other things.
vi.setConfig({ testTimeout: 120_000 })

const folders: string[] = []
afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))))

async function extension(files: Record<string, string>): Promise<string> {
  const folder = await writeExtension(files)
  folders.push(folder)
  return folder
}

function run(args: string[], cwd?: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [command, ...args], { cwd }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

const minimal = (body = '') => `
import { defineProvider } from '@airlock/guest-sdk'
${body}
export default defineProvider({ id: 'acme', name: 'Acme', models: () => [], respond: () => [] })
`

describe('airlock-sdk new', () => {
  test('makes an extension that builds, checks and answers as it is', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'airlock-new-'))
    folders.push(parent)
    const folder = join(parent, 'my-parrot')
    expect(await run(['new', 'my-parrot'], parent)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('airlock complete -m my-parrot/parrot'),
    })
    const lines = (await readFile(join(folder, 'provider.ts'), 'utf8')).trim().split('\n')
    expect(lines.length).toBeLessThan(25)
    expect((await run(['check', 'my-parrot'], parent)).stderr).toContain('run airlock-sdk build')
    // Shells on Windows hand patterns over as they are.
    expect(await run(['build', '*'], parent)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^my-parrot: built /),
    })
    expect(await run(['build', '*'], parent)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('up to date'),
    })
    expect(await run(['check', 'my-parrot'], parent)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^extension +my-parrot, My Parrot$[\s\S]*^imports +airlock:llm\/system@0\.1\.0, [\s\S]*as built$/m,
      ),
    })
    await using component = await runFolder(folder)
    expect(await component.provider.models('my-parrot')).toMatchObject([
      { id: 'parrot', maxTokenCount: 8192n },
    ])
    const { completion } = await component.provider.startCompletion('my-parrot', 'parrot', request())
    const events = []
    while (events.at(-1)?.tag !== 'stop') events.push(...(await completion.decode([])))
    expect(events.map(event => (event.tag === 'text' ? event.val : '')).join('')).toBe('You said: hi')
  })

  test('refuses a folder that is in use and a name that is no id', async () => {
    const folder = await extension({})
    expect(await run(['new', folder])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Cannot make an extension/),
    })
    expect(await run(['new', join(folder, 'Not An Id')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('lower-case letters'),
    })
    expect(await readdir(folder)).toEqual(['extension.json'])
  })
})

describe('airlock-sdk build', () => {
  test('builds what changed and nothing else', async () => {
    const folder = await extension({
      'provider.ts': minimal("import { x } from './other.ts'\nx()"),
      'other.ts': 'export const x = () => 1',
    })
    expect(await buildExtension(folder)).toMatchObject({ id: 'acme', built: true })
    expect(await buildExtension(folder)).toMatchObject({ built: false })
    await writeFile(join(folder, 'other.ts'), 'export const x = () => 2')
    expect(await buildExtension(folder)).toMatchObject({ built: true })
    await writeFile(join(folder, 'dist/acme.wasm'), 'tampered')
    expect(await buildExtension(folder)).toMatchObject({ built: true })
    expect((await readdir(join(folder, 'dist'))).sort()).toEqual([
      'acme.build.json',
      'acme.wasm',
      'acme.wasm.map',
    ])
  })

  test('brings only the globals that are used', async () => {
    const without = await buildExtension(await extension({ 'provider.ts': minimal() }))
    const withUrl = await buildExtension(
      await extension({
        'provider.ts': minimal("export const where = () => new URL('https://x.test/')").replace(
          'models: () => []',
          'models: () => [{ id: where().href, maxTokenCount: 1 }]',
        ),
      }),
    )
    expect(withUrl.bundleBytes! - without.bundleBytes!).toBeGreaterThan(20_000)
  })

  test('takes the entry that package.json names', async () => {
    const folder = await extension({
      'source/main.ts': minimal(),
      'package.json': '{"source":"source/main.ts"}',
    })
    expect(await buildExtension(folder)).toMatchObject({ built: true })
  })

  const mistakes: [name: string, files: Record<string, string>, message: RegExp][] = [
    ['a syntax error', { 'provider.ts': minimal('const = 1') }, /provider\.ts:3/],
    ['a missing file', { 'provider.ts': minimal("import './gone.ts'") }, /gone\.ts.*provider\.ts/s],
    ['a package that is not there', { 'provider.ts': minimal("import 'gone'") }, /gone/],
    [
      'a part of the SDK that is not there',
      { 'provider.ts': minimal("import '@airlock/guest-sdk/gone'") },
      /Cannot import "@airlock\/guest-sdk\/gone": the SDK has/,
    ],
    [
      'code that throws when it is loaded',
      {
        'provider.ts': minimal(
          "const é = JSON.parse('\"ö\"'); new Map([[é, () => { throw new Error('at once ' + é) }]]).get(é)?.()",
        ),
      },
      /Error: at once ö\n.*provider\.ts:3:/,
    ],
    [
      'the clock outside of functions',
      { 'provider.ts': minimal('Object.assign(globalThis, { started: Date.now() })') },
      /Cannot use the current time here: code outside of functions runs when the extension is built[\s\S]*provider\.ts:3/,
    ],
    [
      'the log outside of functions',
      { 'provider.ts': minimal("console.log('loaded')") },
      /Cannot use console here/,
    ],
    [
      'random numbers outside of functions',
      { 'provider.ts': minimal('crypto.randomUUID()') },
      /Cannot use random bytes here/,
    ],
    ['no default export', { 'provider.ts': 'export const x = 1' }, /default/],
    [
      'an export that is no provider',
      { 'provider.ts': 'export default {}' },
      /must export default defineProvider/,
    ],
    [
      'a provider without functions',
      {
        'provider.ts':
          "import { defineProvider } from '@airlock/guest-sdk'\nexport default defineProvider({ id: 'acme', name: 'A', models: () => [] })",
      },
      /must have request\(\) and decode\(\), or respond\(\)/,
    ],
    [
      'another id than the manifest has',
      { 'provider.ts': minimal().replace("'acme'", "'other'") },
      /extension\.json names the providers acme; provider\.ts defines other/,
    ],
    ['no entry', {}, /has no provider\.ts/],
    ['a manifest that is not JSON', { 'extension.json': '{' }, /Cannot use .*extension\.json/],
    [
      'a manifest without an id',
      { 'extension.json': '{}' },
      /extension\.json: id must be a string: it is missing/,
    ],
    [
      'a component outside of the folder',
      { 'extension.json': '{"id":"a","name":"A","contract":"c","component":"../a.wasm","providers":[]}' },
      /component must be a relative path/,
    ],
    [
      'another contract',
      {
        'extension.json':
          '{"id":"a","name":"A","contract":"airlock:llm@9.0.0","component":"a.wasm","providers":[{"id":"a"}]}',
      },
      /contract in extension\.json must be "airlock:llm@0\.1\.0"/,
    ],
  ]
  test.for(mistakes)('says where %s is', async ([, files, message]) => {
    await expect(buildExtension(await extension(files))).rejects.toMatchObject({
      name: 'BuildError',
      message: expect.stringMatching(message),
    })
  })

  test('a build that fails leaves the component as it was, and the others are built', async () => {
    const good = await extension({ 'provider.ts': minimal() })
    const bad = await extension({ 'provider.ts': minimal() })
    await buildExtension(bad)
    const before = await readFile(join(bad, 'dist/acme.wasm'))
    await writeFile(join(bad, 'provider.ts'), 'export default')
    const { code, stderr } = await run(['build', bad, good])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^acme: built /m)
    expect(stderr).toContain('provider.ts:1')
    expect(stderr).not.toContain('    at ')
    expect(await readFile(join(bad, 'dist/acme.wasm'))).toEqual(before)
  })

  test('wrong usage ends with 2', async () => {
    expect(await run(['bild'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean build?'),
    })
    expect(await run([])).toMatchObject({ code: 2 })
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('check [folder]'),
    })
    expect(await run(['build', 'nothing-*'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('matches no extension'),
    })
  })
})

test('checkSurface refuses what no host offers, and what is no provider', async () => {
  await expect(readSurface(Buffer.from('not wasm'))).rejects.toThrow('not a WebAssembly component')
  await expect(readSurface(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]))).rejects.toThrow(
    'not a WebAssembly component',
  )
  const exports = ['airlock:llm/provider@0.1.0']
  expect(() =>
    checkSurface({ imports: ['airlock:llm/system@0.1.0', 'wasi:cli/exit@0.2.0'], exports }, 'provider'),
  ).toThrow('imports what no host offers: wasi:cli/exit@0.2.0')
  expect(() => checkSurface({ imports: [], exports: ['airlock:llm/provider@0.2.0'] }, 'provider')).toThrow(
    'does not export',
  )
  expect(() => checkSurface({ imports: [], exports }, 'tools')).toThrow('export airlock:llm/tools@0.1.0')
  expect(() => checkSurface({ imports: [], exports }, 'provider')).not.toThrow()
})
