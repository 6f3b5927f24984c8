import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** What stands against reading a file of an extension; `message` ends a sentence that begins with the file's name. */
export class UnreadableFile extends Error {
  readonly missing: boolean

  constructor(message: string, missing: boolean, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnreadableFile'
    this.missing = missing
  }
}

/**
 * Reads one file of a folder whose contents are not trusted. Links are followed only as far as they stay inside,
 * and no more than `maxBytes` are read whatever the file system says of its size.
 * @throws {UnreadableFile}
 */
export async function readInside(folder: string, path: string, maxBytes: number): Promise<Buffer> {
  let handle: FileHandle | undefined
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, path))
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new UnreadableFile('is a link that leads out of its folder', false)
    handle = await open(file, 'r')
    const stats = await handle.stat()
    if (!stats.isFile()) throw new UnreadableFile('is not a file', false)
    if (stats.size > maxBytes)
      throw new UnreadableFile(`has ${stats.size} bytes: at most ${maxBytes} are allowed`, false)
    return await readAll(handle, stats.size, maxBytes)
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new UnreadableFile('is missing', true, { cause })
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UnreadableFile(`cannot be read: ${reason}`, false, { cause })
  } finally {
    await handle?.close()
  }
}

async function readAll(handle: FileHandle, expectedBytes: number, maxBytes: number): Promise<Buffer> {
  // One byte more than expected: a full buffer means that the file grew while it was read.
  let buffer = Buffer.allocUnsafe(expectedBytes + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
    if (length > maxBytes) throw new UnreadableFile(`has more than ${maxBytes} bytes`, false)
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
  }
}
