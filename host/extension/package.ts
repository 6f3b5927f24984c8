import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { InvalidComponentError, InvalidFileError } from '../errors.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import { readInside, UnreadableFile } from './read-inside.ts'

export const MANIFEST_NAME = 'extension.json'
/** A manifest is a page of text; its permission lists alone are bounded to less than this. */
const MAX_MANIFEST_BYTES = 256 * 1024
/** The largest runtime measured, StarlingMonkey, makes components of 12 MiB; five times that is not an extension. */
export const MAX_COMPONENT_BYTES = 64 * 1024 * 1024
/** Icons are shown in lists and menus, all at once. */
export const MAX_ICON_BYTES = 128 * 1024

/** An extension as it lies in a folder, read and checked. */
export interface ExtensionPackage {
  /** Absolute. */
  folder: string
  manifest: Manifest
  /** Absolute. */
  componentFile: string
  /** SHA-256, lower-case hex, of the bytes that were read. */
  digests: { manifest: string; component: string }
  componentBytes: number
}

/**
 * Reads and checks an extension's folder: manifest, component and icons. Nothing of it is run.
 * @throws {InvalidFileError} `invalid-manifest`: missing, unreadable, or not as the schema says.
 * @throws {InvalidComponentError} the component is missing, too large, or no component.
 */
export async function readPackage(folder: string): Promise<ExtensionPackage> {
  const absolute = resolve(folder)
  const manifestFile = join(absolute, MANIFEST_NAME)
  const manifestBytes = await readInside(absolute, MANIFEST_NAME, MAX_MANIFEST_BYTES).catch(cause => {
    throw manifestError(manifestFile, cause)
  })
  const manifest = parseManifest(decode(manifestBytes, manifestFile), manifestFile)
  for (const [index, provider] of manifest.providers.entries()) {
    if (provider.icon === undefined) continue
    await readInside(absolute, provider.icon, MAX_ICON_BYTES).catch(cause => {
      throw manifestError(manifestFile, cause, `providers[${index}].icon: "${provider.icon}" `)
    })
  }
  const componentFile = join(absolute, manifest.component)
  const component = await readComponentFile(absolute, manifest)
  return {
    folder: absolute,
    manifest,
    componentFile,
    digests: { manifest: sha256(manifestBytes), component: sha256(component) },
    componentBytes: component.length,
  }
}

/**
 * The component's bytes, proven to be the ones that `digests.component` stands for: what is loaded is what was
 * agreed to, whatever happened on disk in between.
 * @throws {InvalidComponentError}
 */
export async function readComponent(extension: ExtensionPackage): Promise<Uint8Array> {
  const bytes = await readComponentFile(extension.folder, extension.manifest)
  if (sha256(bytes) !== extension.digests.component)
    throw new InvalidComponentError(
      `Cannot load "${extension.manifest.id}": ${extension.componentFile} changed after it was checked: ` +
        `expected SHA-256 ${extension.digests.component}`,
    )
  return bytes
}

async function readComponentFile(folder: string, { id, component }: Manifest): Promise<Buffer> {
  const file = join(folder, component)
  const bytes = await readInside(folder, component, MAX_COMPONENT_BYTES).catch(cause => {
    if (!(cause instanceof UnreadableFile)) throw cause
    const hint = cause.missing ? `: run \`airlock-sdk build\` in ${folder}` : ''
    throw new InvalidComponentError(`Cannot load "${id}": ${file} ${cause.message}${hint}`, { cause })
  })
  const problem = preambleProblem(bytes)
  if (problem) throw new InvalidComponentError(`Cannot load "${id}": ${file} ${problem}`)
  return bytes
}

/** The first eight bytes: magic, then version and layer, 16 bits each (component model, Binary.md). */
function preambleProblem(bytes: Buffer): string | undefined {
  if (bytes.length < 8) return `has ${bytes.length} bytes: it is no WebAssembly`
  if (bytes.readUInt32BE(0) !== 0x00_61_73_6d) return 'is no WebAssembly: it does not begin with "\\0asm"'
  const version = bytes.readUInt16LE(4)
  const layer = bytes.readUInt16LE(6)
  if (layer === 0)
    return 'is a core module, not a component: `airlock-sdk build` makes components, and so does `wasm-tools component new`'
  if (layer !== 1 || version !== 0x0d)
    return `is a component of binary version ${version}, layer ${layer}: this host reads version 13, layer 1`
  return undefined
}

function manifestError(file: string, cause: unknown, what = ''): unknown {
  if (!(cause instanceof UnreadableFile)) return cause
  const hint = cause.missing && what === '' ? ': an extension is a folder with an extension.json' : ''
  return new InvalidFileError(
    'invalid-manifest',
    file,
    what === '' ? `${file} ${cause.message}${hint}` : `${file}: ${what}${cause.message}`,
    { cause },
  )
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new InvalidFileError('invalid-manifest', file, `${file}: is not UTF-8 text`, { cause })
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
