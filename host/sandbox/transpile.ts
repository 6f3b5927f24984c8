import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import * as z from 'zod'
import { InvalidComponentError } from '../errors.ts'
import { notWritable } from '../home/not-writable.ts'

// Part of the cache key beside the component's digest: raise it when the options of the transpiler, the limits
// written into the modules or the shape of an entry change.
const CACHE_VERSION = 'jco-transpile-0.15.0-2'
// A transpile takes 0.7 s for a QuickJS component and 5 s for one of 12 MB on a slow machine.
const TRANSPILE_MS = 120_000
// A component of 12 MB takes 200.
const TRANSPILE_HEAP_MIB = 1_024

/** A transpiled component in the cache. */
export interface TranspiledComponent {
  /** Without links: a sandbox that may read nothing else cannot follow one. */
  folder: string
  /** The module to import, relative to the folder. */
  entry: string
  /** What the component wants of the host, keyed without versions. */
  imports: string[]
}

export interface TranspileOptions {
  cacheFolder: string
  /** SHA-256 of the component's bytes, hex. */
  digest: string
  /** Called where the cache does not hold it. */
  read(): Promise<Uint8Array>
  /** Written into the core modules as the maximum of their memory. */
  memoryMiB: number
  world: 'provider' | 'tools'
  signal?: AbortSignal
}

const INDEX = 'index.json'
const indexSchema = z.object({
  entry: z.string(),
  imports: z.array(z.string()),
  /** SHA-256 of each file: a torn or changed entry is made anew. */
  files: z.record(z.string(), z.string()),
})

/**
 * Turns a component into JavaScript and core modules, or finds the result of an earlier time in the cache.
 * @throws {InvalidComponentError} where the bytes are no component, or want more than the contract offers.
 * @throws {AirlockError} `not-writable` where the cache cannot keep it.
 */
export async function transpileComponent(options: TranspileOptions): Promise<TranspiledComponent> {
  const folder = join(
    options.cacheFolder,
    'transpiled',
    `${CACHE_VERSION}-${options.memoryMiB}-${options.world}`,
    options.digest,
  )
  const cached = await readEntry(folder)
  if (cached) return cached
  const made = await transpileInThread(options)
  await writeEntry(folder, made).catch((cause: unknown) => {
    throw notWritable(options.cacheFolder, cause)
  })
  return { folder: await realpath(folder), entry: made.entry, imports: made.imports }
}

async function readEntry(folder: string): Promise<TranspiledComponent | undefined> {
  try {
    const index = indexSchema.parse(JSON.parse(await readFile(join(folder, INDEX), 'utf8')))
    for (const [name, digest] of Object.entries(index.files)) {
      if (sha256(await readFile(join(folder, name))) !== digest) return undefined
    }
    return { folder: await realpath(folder), entry: index.entry, imports: index.imports }
  } catch {
    // Missing, torn or of another make: whatever it is, making it anew is right.
    return undefined
  }
}

/** Written beside and renamed: a reader sees a whole entry or none. */
async function writeEntry(folder: string, made: TranspileResult): Promise<void> {
  const parent = join(folder, '..')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  // A name that nobody else has: several of one process may write the same entry at the same time.
  const beside = await mkdtemp(join(parent, `${basename(folder)}.`))
  try {
    const files: Record<string, string> = {}
    for (const [name, bytes] of Object.entries(made.files)) {
      await writeFile(join(beside, name), bytes, { mode: 0o600 })
      files[name] = sha256(bytes)
    }
    await writeFile(
      join(beside, INDEX),
      JSON.stringify({ entry: made.entry, imports: made.imports, files }),
      { mode: 0o600 },
    )
    await replaceFolder(beside, folder)
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}

async function replaceFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch {
    // There is one already: of another process, whole, or a broken one that we have just remade.
    if (await readEntry(to)) return
    await rm(to, { recursive: true, force: true })
    await rename(from, to)
  }
}

export interface TranspileResult {
  entry: string
  imports: string[]
  files: Record<string, Uint8Array>
}

/** What the transpiling thread answers. */
export type TranspileAnswer =
  | { ok: true; result: TranspileResult }
  | { ok: false; message: string; imports: string[] }

/** In a thread of its own: it computes for 0.7 s and loads 60 MB that nobody needs afterwards. */
async function transpileInThread(options: TranspileOptions): Promise<TranspileResult> {
  const component = await options.read()
  const worker = new Worker(new URL('./transpile-worker.ts', import.meta.url), {
    workerData: { component, memoryMiB: options.memoryMiB, world: options.world },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: TRANSPILE_HEAP_MIB },
  })
  const timeout = AbortSignal.timeout(TRANSPILE_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  const { promise, resolve, reject } = Promise.withResolvers<TranspileAnswer>()
  worker.once('message', resolve)
  worker.once('error', error =>
    reject(new InvalidComponentError(`Cannot transpile this component: ${String(error)}`)),
  )
  worker.once('exit', code =>
    reject(
      new InvalidComponentError(`Cannot transpile this component: the transpiler ended with code ${code}`),
    ),
  )
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    const answer = await promise
    if (!answer.ok) throw new InvalidComponentError(answer.message, { imports: answer.imports })
    return answer.result
  } finally {
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
