import { createHash } from 'node:crypto'
import { appendFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAX_COMPONENT_BYTES, readComponent, readPackage } from '../../../host/extension/package.ts'
import { componentBytes, sampleFiles, temporaryFolder, thrown, writeFiles } from './sample-extension.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

async function sample(options: Parameters<typeof sampleFiles>[0] = {}) {
  const folder = await temporaryFolder()
  const files = sampleFiles(options)
  await writeFiles(folder.path, files)
  return { folder: folder.path, files, [Symbol.asyncDispose]: () => folder.remove() }
}

describe('readPackage', () => {
  test('reads, checks and hashes what is there', async () => {
    await using at = await sample()
    expect(await readPackage(at.folder)).toMatchObject({
      folder: at.folder,
      componentFile: join(at.folder, 'dist/sample.wasm'),
      componentBytes: componentBytes().length,
      digests: { manifest: sha256(at.files['extension.json']!), component: sha256(componentBytes()) },
      manifest: { id: 'sample' },
    })
  })

  test('a component that was never built: says what to run', async () => {
    await using at = await sample()
    await rm(join(at.folder, 'dist'), { recursive: true })
    expect(await thrown(readPackage(at.folder))).toMatchObject({
      code: 'invalid-component',
      message: expect.stringMatching(/dist[\\/]sample\.wasm is missing: run `airlock-sdk build` in /),
    })
  })

  test.each<[string, Buffer, string]>([
    ['empty', Buffer.alloc(0), 'has 0 bytes'],
    ['text', Buffer.from('not a component'), 'is no WebAssembly'],
    ['a core module', Buffer.from('0061736d01000000', 'hex'), 'is a core module, not a component'],
    ['an old component', Buffer.from('0061736d0a000100', 'hex'), 'binary version 10, layer 1'],
    ['an unheard-of layer', Buffer.from('0061736d0d000200', 'hex'), 'layer 2'],
  ])('%s in place of the component', async (_, bytes, message) => {
    await using at = await sample({ more: { 'dist/sample.wasm': bytes } })
    expect(await thrown(readPackage(at.folder))).toMatchObject({
      name: 'InvalidComponentError',
      message: expect.stringContaining(message),
    })
  })

  test('a component of 300 MB is refused by its size, not read', async () => {
    await using at = await sample()
    await truncate(join(at.folder, 'dist/sample.wasm'), 300_000_000)
    expect(await thrown(readPackage(at.folder))).toMatchObject({
      code: 'invalid-component',
      message: expect.stringContaining(`300000000 bytes: at most ${MAX_COMPONENT_BYTES}`),
    })
  })

  test('links that lead out are refused, links inside are not', async () => {
    await using elsewhere = await sample()
    await using at = await sample()
    const file = join(at.folder, 'dist/sample.wasm')
    await rm(file)
    await symlink(join(elsewhere.folder, 'dist/sample.wasm'), file)
    expect(await thrown(readPackage(at.folder))).toMatchObject({
      code: 'invalid-component',
      message: expect.stringContaining('leads out of its folder'),
    })
    await rm(file)
    await writeFile(join(at.folder, 'built.wasm'), componentBytes())
    await symlink('../built.wasm', file)
    expect(await readPackage(at.folder)).toMatchObject({ componentBytes: componentBytes().length })
    await rm(join(at.folder, 'extension.json'))
    await symlink(join(elsewhere.folder, 'extension.json'), join(at.folder, 'extension.json'))
    expect(await thrown(readPackage(at.folder))).toMatchObject({ code: 'invalid-manifest' })
  })

  test.each<[string, Parameters<typeof sampleFiles>[0], string]>([
    ['an icon that is too large', { more: { 'icons/sample.svg': 'x'.repeat(200_000) } }, 'has 200000 bytes'],
    [
      'an icon that is missing',
      { manifest: { providers: [{ id: 'a', name: 'A', icon: 'a.svg' }] } },
      'providers[0].icon: "a.svg" is missing',
    ],
    ['a manifest that is too large', { more: { 'extension.json': ' '.repeat(300_000) } }, 'at most 262144'],
    [
      'a manifest that is no text',
      { more: { 'extension.json': Buffer.from('7b22c328227d', 'hex') } },
      'is not UTF-8',
    ],
  ])('%s', async (_, options, message) => {
    await using at = await sample(options)
    expect(await thrown(readPackage(at.folder))).toMatchObject({
      code: 'invalid-manifest',
      message: expect.stringContaining(message),
    })
  })

  test('a folder without a manifest, and none at all', async () => {
    await using folder = await temporaryFolder()
    for (const path of [folder.path, join(folder.path, 'nowhere')])
      expect(await thrown(readPackage(path))).toMatchObject({
        code: 'invalid-manifest',
        message: expect.stringContaining('is missing: an extension is a folder with an extension.json'),
      })
  })
})

describe('readComponent', () => {
  test('gives the bytes that were hashed, and no others', async () => {
    await using at = await sample()
    const extension = await readPackage(at.folder)
    expect(Buffer.from(await readComponent(extension))).toEqual(componentBytes())
    await appendFile(extension.componentFile, '!')
    expect(await thrown(readComponent(extension))).toMatchObject({
      code: 'invalid-component',
      message: expect.stringContaining('changed after it was checked'),
    })
  })
})
