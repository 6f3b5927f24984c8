import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Parser, ReadEntry } from 'tar'
import { InstallError } from '../errors.ts'
import { createArchiveNames } from './archive-names.ts'
import { isKept } from './kept-files.ts'
import { MANIFEST_NAME, MAX_COMPONENT_BYTES } from './package.ts'

/** A component of full size that does not compress, and some room. */
const MAX_ARCHIVE_BYTES = 80 * 1024 * 1024
/** All of the archive after decompression, headers and ignored files too: what a bomb is stopped by. */
const MAX_UNPACKED_BYTES = 160 * 1024 * 1024
const MAX_ENTRIES = 2_000
const GZIP_MAGIC = 0x1f8b
const ZSTD_MAGIC = 0x28b5

/**
 * Unpacks the files that an extension consists of from a gzipped tar archive into an empty folder, and returns the
 * folder that holds `extension.json`: the archive's root or its one folder (`package/` in npm's archives).
 * Everything else is read past, never written. Each refusal happens while the archive streams, before more is read.
 * @throws {InstallError} for anything but plain files and folders with plain, unique, relative names; too many,
 * too large or damaged entries. What was written so far is left to the caller, who owns the folder.
 */
export async function unpack(archive: string, folder: string, signal?: AbortSignal): Promise<string> {
  const refuse = (what: string, cause?: unknown) =>
    new InstallError(`Cannot unpack ${archive}: ${what}`, cause === undefined ? undefined : { cause })
  const { size } = await stat(archive)
  if (size > MAX_ARCHIVE_BYTES) throw refuse(`it has ${size} bytes: at most ${MAX_ARCHIVE_BYTES} are allowed`)

  const { Parser: TarParser } = await import('tar')
  const parser = new TarParser({ strict: true, gzip: false, brotli: false, zstd: false })
  const failed = new AbortController()
  const fail = (error: unknown) => failed.abort(error)
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  const names = createArchiveNames()
  const manifests: string[] = []
  const writes: Promise<void>[] = []
  let entries = 0
  let ended = false

  const take = (entry: ReadEntry) => {
    entries += 1
    if (entries > MAX_ENTRIES) throw refuse(`it has more than ${MAX_ENTRIES} entries`)
    const isFolder = entry.type === 'Directory'
    if (!isFolder && !['File', 'OldFile', 'ContiguousFile'].includes(entry.type))
      throw refuse(`${quoted(entry.path)} is a ${entry.type}: only plain files and folders are allowed`)
    const { path, problem } = names.add(entry.path, isFolder)
    if (problem) throw refuse(`${quoted(entry.path)} ${problem}`)
    if (entry.size > MAX_COMPONENT_BYTES)
      throw refuse(`${quoted(path)} has ${entry.size} bytes: at most ${MAX_COMPONENT_BYTES} are allowed`)
    if (isFolder || !isKept(path)) {
      entry.resume()
      return
    }
    if (basename(path) === MANIFEST_NAME) manifests.push(path)
    writes.push(writeEntry(entry, join(folder, path), stop).catch(fail))
  }
  parser.on('entry', (entry: ReadEntry) => {
    try {
      take(entry)
    } catch (error) {
      entry.resume()
      fail(error)
    }
  })
  // Types that the parser does not know, and metadata of more than a megabyte.
  parser.on('ignoredEntry', (entry: ReadEntry) => {
    fail(
      refuse(
        `${quoted(entry.path)} is a ${entry.type} of ${entry.size} bytes: only plain files and folders are allowed`,
      ),
    )
  })
  parser.on('error', (error: Error) => fail(refuse(error.message, error)))
  parser.on('eof', () => {
    ended = true
  })

  let unpackedBytes = 0
  try {
    await pipeline(
      createReadStream(archive),
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          if (unpackedBytes === 0) refuseSecondLayer(chunk, refuse)
          unpackedBytes += chunk.length
          if (unpackedBytes > MAX_UNPACKED_BYTES)
            throw refuse(`it unpacks to more than ${MAX_UNPACKED_BYTES} bytes`)
          // What follows the end mark is padding; the parser would collect it.
          if (!ended) await feed(parser, chunk, stop)
        }
        await finish(parser, stop)
      },
      { signal: stop },
    )
    await Promise.all(writes)
    failed.signal.throwIfAborted()
  } catch (cause) {
    fail(cause)
    await Promise.all(writes)
    signal?.throwIfAborted()
    const reason: unknown = failed.signal.reason
    if (reason instanceof InstallError) throw reason
    throw refuse(`it is damaged or no gzipped tar archive (${messageOf(reason)})`, reason)
  }
  return join(folder, rootOf(manifests, refuse))
}

async function feed(parser: Parser, chunk: Buffer, signal: AbortSignal): Promise<void> {
  if (!parser.write(chunk) && !signal.aborted) await once(parser, 'drain', { signal })
  signal.throwIfAborted()
}

async function finish(parser: Parser, signal: AbortSignal): Promise<void> {
  const done = once(parser, 'end', { signal })
  parser.end()
  await done
}

async function writeEntry(entry: ReadEntry, file: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Exclusive: never through a link, never over another file.
  const to = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await pipeline(Readable.from(entry), to, { signal })
}

/** The parser looks for compression by itself; a second layer would escape the count of unpacked bytes. */
function refuseSecondLayer(chunk: Buffer, refuse: (what: string) => Error): void {
  const magic = chunk.length >= 2 ? chunk.readUInt16BE(0) : 0
  if (chunk.length < 2 || magic === GZIP_MAGIC || magic === ZSTD_MAGIC)
    throw refuse('it is compressed twice, or empty')
}

function rootOf(manifests: readonly string[], refuse: (what: string) => Error): string {
  if (manifests.includes(MANIFEST_NAME)) return '.'
  const roots = manifests.map(path => dirname(path)).filter(root => !root.includes('/'))
  if (roots.length > 1) throw refuse(`it holds several extensions: ${roots.join(', ')}`)
  if (roots[0] === undefined) throw refuse('it holds no extension.json')
  return roots[0]
}

function quoted(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}...` : path)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
