import { readFile, rename } from 'node:fs/promises'
import * as z from 'zod'
import { InvalidFileError } from '../errors.ts'
import { checkedJson } from '../home/checked-json.ts'
import { writePrivate } from '../home/write-private.ts'

const CODE = 'invalid-lock'
const VERSION = 1
const HEX_256 = /^[0-9a-f]{64}$/

const names = z.array(z.string()).default([])
const granted = z.strictObject({
  network: names,
  env: names,
  plainEnv: names,
  credentials: z.enum(['use', 'read']).default('use'),
  bodyFields: names,
  browser: names,
  tools: names,
  memoryMiB: z.int().positive(),
})

const record = z.strictObject({
  /** What the user named when it was installed. */
  source: z.string(),
  /** ISO 8601, UTC. */
  installedAt: z.iso.datetime(),
  /** The folder of this version, below the extension's own. */
  folder: z.string().regex(HEX_256),
  digests: z.strictObject({ manifest: z.string().regex(HEX_256), component: z.string().regex(HEX_256) }),
  granted,
  /** What is known of it when its manifest cannot be trusted any more. Never more than shown. */
  manifest: z.strictObject({
    name: z.string(),
    version: z.string(),
    contract: z.string(),
    component: z.string(),
    componentBytes: z.int().nonnegative(),
    providers: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    tools: z.array(z.strictObject({ id: z.string() })),
  }),
})

const lockSchema = z.strictObject({
  version: z.literal(VERSION),
  extensions: z.record(z.string().regex(/^[a-z0-9-]+$/), record),
})

/** What the user agreed to about one extension. */
export type LockRecord = z.output<typeof record>
export type Lock = z.output<typeof lockSchema>

/**
 * Reads what is installed and granted. A file that is not there means nothing is. A broken one is never taken for
 * an empty one: it is moved aside, and the error says where to.
 * @throws {InvalidFileError} `invalid-lock`
 */
export async function readLock(file: string): Promise<Lock> {
  const text = await readText(file)
  if (text === undefined) return { version: VERSION, extensions: {} }
  refuseNewer(text, file)
  try {
    return checkedJson(text, file, CODE, lockSchema)
  } catch (cause) {
    if (!(cause instanceof InvalidFileError)) throw cause
    throw new InvalidFileError(CODE, file, await moveAside(file, text, cause), { cause })
  }
}

/** An id may be `constructor`: only what the file itself holds counts. */
export function findRecord(lock: Lock, id: string): LockRecord | undefined {
  return Object.hasOwn(lock.extensions, id) ? lock.extensions[id] : undefined
}

/** Replaces the file as a whole or not at all. */
export async function writeLock(file: string, lock: Lock): Promise<void> {
  await writePrivate(file, `${JSON.stringify(lock, null, 2)}\n`)
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new InvalidFileError(CODE, file, `Cannot read ${file}: ${reason}`, { cause })
  }
}

/** A file of a newer Airlock is not broken: this one just cannot read it. */
function refuseNewer(text: string, file: string): void {
  const found = z.object({ version: z.int().min(VERSION + 1) }).safeParse(looseJson(text))
  if (found.success)
    throw new InvalidFileError(
      CODE,
      file,
      `${file} was written by a newer Airlock (version ${found.data.version}, this one reads ${VERSION}): update Airlock`,
    )
}

function looseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function moveAside(file: string, text: string, cause: InvalidFileError): Promise<string> {
  // Another process may have replaced it meanwhile: what is good stays.
  if ((await readText(file)) !== text) return `${cause.message}; another process has replaced it: try again`
  const aside = `${file}.broken-${Date.now()}`
  await rename(file, aside)
  return (
    `${cause.message}. It says what was installed and granted, and cannot be guessed: it is now ${aside}. ` +
    'Repair it and move it back, or install the extensions again'
  )
}
