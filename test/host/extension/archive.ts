import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { Header, type HeaderData } from 'tar'
import type { SampleFiles } from './sample-extension.ts'

export interface Entry extends HeaderData {
  body?: string | Buffer
}

/** A tar archive of exactly these entries, however wrong they are. `size` may differ from the body's. */
export function tarBytes(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ body = '', ...data }) => {
    const bytes = Buffer.from(body)
    const header = new Header({ type: 'File', mode: 0o644, size: bytes.length, ...data })
    const block = Buffer.alloc(512)
    header.encode(block)
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export function entriesOf(files: SampleFiles, prefix = ''): Entry[] {
  return Object.entries(files).map(([path, body]) => ({ path: prefix + path, body }))
}

export async function writeArchive(file: string, entries: readonly Entry[]): Promise<string> {
  await writeFile(file, gzipSync(tarBytes(entries)))
  return file
}
