import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The eight bytes that every component begins with; the rest says which one it is. */
export const PREAMBLE = Buffer.from([0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00])

export function componentBytes(mark = 'one'): Buffer {
  return Buffer.concat([PREAMBLE, Buffer.from(mark)])
}

export const sampleManifest = {
  id: 'sample',
  name: 'Sample',
  version: '1.0.0',
  contract: 'airlock:llm@0.1.0',
  component: 'dist/sample.wasm',
  providers: [{ id: 'sample', name: 'Sample', icon: 'icons/sample.svg' }],
  tools: [],
  permissions: { network: ['https://api.example.com'], env: ['SAMPLE_KEY'], memoryMiB: 64 },
}

export type SampleFiles = Record<string, string | Buffer>

export function sampleFiles(
  options: { manifest?: Record<string, unknown>; mark?: string; more?: SampleFiles } = {},
): SampleFiles {
  return {
    'extension.json': JSON.stringify({ ...sampleManifest, ...options.manifest }),
    'dist/sample.wasm': componentBytes(options.mark),
    'icons/sample.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ...options.more,
  }
}

export async function writeFiles(folder: string, files: SampleFiles): Promise<string> {
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), contents)
  }
  return folder
}

/** A folder for one test, gone with `await using`. */
export function temporaryFolder() {
  return mkdtempDisposable(join(tmpdir(), 'airlock-extension-'))
}

/** What was thrown, to be looked at. */
export function thrown(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}
