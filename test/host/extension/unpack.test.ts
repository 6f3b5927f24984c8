import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import * as tar from 'tar'
import { describe, expect, test } from 'vitest'
import { unpack } from '../../../host/extension/unpack.ts'
import { type Entry, entriesOf, tarBytes, writeArchive } from './archive.ts'
import { sampleFiles, temporaryFolder, thrown, writeFiles } from './sample-extension.ts'

const good = entriesOf(sampleFiles())

async function place() {
  const folder = await temporaryFolder()
  return {
    archive: join(folder.path, 'archive.tgz'),
    to: join(folder.path, 'to'),
    folder: folder.path,
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

describe('unpack', () => {
  test.each(['', 'package/', './', 'sample-1.0.0/'])('files below "%s"', async prefix => {
    await using at = await place()
    await writeArchive(at.archive, entriesOf(sampleFiles(), prefix))
    const root = await unpack(at.archive, at.to)
    expect(root).toBe(resolve(at.to, prefix))
    expect(await filesBelow(root)).toEqual(['dist/sample.wasm', 'extension.json', 'icons/sample.svg'])
    expect(await readFile(join(root, 'extension.json'), 'utf8')).toBe(sampleFiles()['extension.json'])
  })

  test('an archive that tar made of a folder', async () => {
    await using at = await place()
    const source = await writeFiles(join(at.folder, 'source'), sampleFiles())
    await tar.create({ gzip: true, file: at.archive, cwd: source }, ['.'])
    expect(await filesBelow(await unpack(at.archive, at.to))).toContain('dist/sample.wasm')
  })

  test('what is no part of an extension is not written', async () => {
    await using at = await place()
    const more = {
      'package.json': '{}',
      'provider.ts': 'x',
      'scripts/install.sh': 'x',
      README: 'r',
      'LICENSE.md': 'l',
    }
    await writeArchive(at.archive, entriesOf(sampleFiles({ more })))
    expect(await filesBelow(await unpack(at.archive, at.to))).toEqual([
      'LICENSE.md',
      'README',
      'dist/sample.wasm',
      'extension.json',
      'icons/sample.svg',
    ])
  })

  const many = Array.from({ length: 2_001 }, (_, n): Entry => ({ path: `a${n}.txt` }))
  test.each<[string, Entry[], string]>([
    ['a path that leads out', [{ path: '../evil.svg', body: 'x' }], '"../evil.svg" leads out of its folder'],
    ['a path that leads out later', [{ path: 'a/../../evil.svg', body: 'x' }], 'leads out of its folder'],
    ['an absolute path', [{ path: '/tmp/evil.svg', body: 'x' }], 'is an absolute path'],
    ['a drive', [{ path: 'C:/evil.svg', body: 'x' }], 'a colon in its name'],
    ['a backslash', [{ path: '..\\evil.svg', body: 'x' }], 'a backslash'],
    ['a control character', [{ path: 'a\u001b[2J.svg', body: 'x' }], 'a control character'],
    ['an empty part', [{ path: 'a//b.svg', body: 'x' }], 'a part that is empty'],
    ['a part that Windows would shorten', [{ path: 'a./b.svg', body: 'x' }], 'ends in a dot'],
    [
      'a symbolic link',
      [{ path: 'a.svg', type: 'SymbolicLink', linkpath: '/etc/passwd' }],
      'is a SymbolicLink',
    ],
    [
      'a link to inside',
      [{ path: 'a.svg', type: 'SymbolicLink', linkpath: 'extension.json' }],
      'is a SymbolicLink',
    ],
    ['a hard link', [{ path: 'a.svg', type: 'Link', linkpath: '/etc/passwd' }], 'is a Link'],
    ['a device', [{ path: 'a.svg', type: 'CharacterDevice' }], 'is a CharacterDevice'],
    ['a pipe', [{ path: 'a.svg', type: 'FIFO' }], 'is a FIFO'],
    [
      'a type nobody has heard of',
      [{ path: 'a.svg', type: 'TapeVolumeHeader' }],
      'only plain files and folders',
    ],
    [
      'a name twice',
      [
        { path: 'a.svg', body: '1' },
        { path: 'a.svg', body: '2' },
      ],
      '"a.svg" is there twice',
    ],
    [
      'a name twice but for case',
      [
        { path: 'A.svg', body: '1' },
        { path: 'a.svg', body: '2' },
      ],
      'is there twice',
    ],
    [
      'a name twice but for its normal form',
      [
        { path: '\u00e9.svg', body: '1' },
        { path: 'e\u0301.svg', body: '2' },
      ],
      'is there twice',
    ],
    [
      'a name twice but for "./"',
      [
        { path: 'a.svg', body: '1' },
        { path: './a.svg', body: '2' },
      ],
      'is there twice',
    ],
    [
      'a file that is a folder too',
      [
        { path: 'a.svg', body: '1' },
        { path: 'a.svg/b.svg', body: '2' },
      ],
      'lies inside a file',
    ],
    [
      'a folder that is a file too',
      [
        { path: 'a.svg/b.svg', body: '1' },
        { path: 'a.svg', body: '2' },
      ],
      'is there twice',
    ],
    ['too many entries', many, 'more than 2000 entries'],
    ['an entry that is too large', [{ path: 'a.txt', size: 70 * 1024 * 1024 }], '73400320 bytes'],
    ['an entry that is cut off', [{ path: 'a.svg', size: 5_000, body: 'x' }], 'Truncated input'],
    [
      'two extensions',
      entriesOf(sampleFiles(), 'a/').concat(entriesOf(sampleFiles(), 'b/')),
      'several extensions: a, b',
    ],
    [
      'a long name that leads out',
      [
        { path: '././@LongLink', type: 'NextFileHasLongPath', body: '../evil.svg\0' },
        { path: 'a.svg', body: 'x' },
      ],
      'leads out of its folder',
    ],
    [
      'a pax name that leads out',
      [
        { path: 'PaxHeader', type: 'ExtendedHeader', body: '20 path=../evil.svg\n' },
        { path: 'a.svg', body: 'x' },
      ],
      'leads out of its folder',
    ],
    [
      'metadata without end',
      [{ path: 'PaxHeader', type: 'ExtendedHeader', body: Buffer.alloc(2 * 1024 * 1024, 'x') }],
      'only plain files',
    ],
  ])('%s is refused', async (_, entries, message) => {
    await using at = await place()
    const withManifest = entries.some(entry => entry.path?.endsWith('extension.json')) ? [] : good
    await writeArchive(at.archive, [...withManifest, ...entries])
    const before = await filesBelow(at.folder)
    expect(await thrown(unpack(at.archive, at.to))).toMatchObject({
      name: 'InstallError',
      code: 'install-failed',
      message: expect.stringContaining(message),
    })
    const after = (await filesBelow(at.folder)).filter(path => !path.startsWith('to/'))
    expect(after).toEqual(before)
    expect(await filesBelow(at.to)).not.toContain('evil.svg')
  })

  test('a wrong checksum is refused', async () => {
    await using at = await place()
    const bytes = tarBytes(good)
    bytes[0]! ^= 1
    await writeFile(at.archive, gzipSync(bytes))
    expect(await thrown(unpack(at.archive, at.to))).toMatchObject({
      message: expect.stringContaining('checksum'),
    })
  })

  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('this is not an archive')],
    ['a tar archive without gzip', tarBytes(good)],
    ['half of an archive', gzipSync(tarBytes(good)).subarray(0, 200)],
    ['gzip of text', gzipSync('this is not an archive')],
    ['gzip of nothing', gzipSync('')],
    ['gzip in gzip', gzipSync(gzipSync(tarBytes(good)))],
    ['an archive without a manifest', gzipSync(tarBytes([{ path: 'a.svg', body: 'x' }]))],
  ])('%s is refused', async (_, bytes) => {
    await using at = await place()
    await writeFile(at.archive, bytes)
    expect(await thrown(unpack(at.archive, at.to))).toMatchObject({ code: 'install-failed' })
  })

  test('a bomb is put out before it has unpacked, in entries or behind the end', async () => {
    const zeros = Buffer.alloc(1024 * 1024)
    const entryHeader = tarBytes([{ path: 'a.txt', size: 60 * 1024 * 1024 }]).subarray(0, 512)
    const bombs = {
      entries: function* () {
        for (const name of ['a', 'b', 'c', 'd']) {
          yield tarBytes([{ path: `${name}.txt`, size: 60 * 1024 * 1024 }]).subarray(0, 512)
          for (let count = 0; count < 60; count++) yield zeros
        }
      },
      padding: function* () {
        yield tarBytes(good)
        for (let count = 0; count < 300; count++) yield zeros
      },
      cut: function* () {
        yield entryHeader
        for (let count = 0; count < 300; count++) yield zeros
      },
    }
    for (const bomb of Object.values(bombs)) {
      await using at = await place()
      await pipeline(Readable.from(bomb()), createGzip({ level: 1 }), createWriteStream(at.archive))
      expect(await thrown(unpack(at.archive, at.to))).toMatchObject({
        message: expect.stringContaining('unpacks to more than 167772160 bytes'),
      })
    }
  })

  test('an abort ends it with its own reason', async () => {
    await using at = await place()
    await writeArchive(at.archive, good)
    const reason = new Error('enough')
    expect(await thrown(unpack(at.archive, at.to, AbortSignal.abort(reason)))).toBe(reason)
  })

  test('a folder that holds something already is not written through', async () => {
    await using at = await place()
    await writeArchive(at.archive, good)
    await mkdir(at.to)
    await writeFile(join(at.to, 'extension.json'), 'mine')
    expect(await thrown(unpack(at.archive, at.to))).toBeInstanceOf(Error)
    expect(await readFile(join(at.to, 'extension.json'), 'utf8')).toBe('mine')
  })
})
