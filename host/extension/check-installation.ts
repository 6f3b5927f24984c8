import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AirlockError } from '../errors.ts'
import { type PermissionChange, type Permissions, widerThan } from '../policy/permissions.ts'
import type { LockRecord } from './lock-file.ts'
import { type ExtensionPackage, MANIFEST_NAME, readPackage } from './package.ts'

export interface InstalledExtension {
  /** Where the state is `changed`: what is remembered of it, not what lies on disk. */
  package: ExtensionPackage
  /** What the user agreed to, less what was revoked since. */
  granted: Permissions
  /** As `install` takes it. */
  source: string
  /** ISO 8601, UTC. */
  installedAt: string
  /** `changed`: the bytes on disk are not those agreed to; refuse it until it is installed again. */
  state: 'ready' | 'changed'
  /** Where the state is `changed`: what is wrong, as a sentence that names the extension. */
  problem?: string
  /** Where the state is `changed`: what the manifest on disk asks for beyond the grant. */
  changes: PermissionChange[]
}

/**
 * Returns a function that compares what lies on disk with what was agreed to. Files whose size, times and inode
 * are those of the last look are not read again; what is loaded is hashed once more anyway (`readComponent`).
 */
export function createInstallationCheck(
  extensionsFolder: string,
): (id: string, record: LockRecord) => Promise<InstalledExtension> {
  const lastRead = new Map<string, { signature: string; found: ExtensionPackage }>()

  async function read(folder: string, component: string): Promise<ExtensionPackage> {
    const signature = await signatureOf([join(folder, MANIFEST_NAME), join(folder, component)])
    const last = lastRead.get(folder)
    if (last && last.signature === signature) return last.found
    const found = await readPackage(folder)
    // Only one version of an extension is there at a time; nobody asks for an older one again.
    lastRead.set(folder, { signature, found })
    return found
  }

  return async (id, record) => {
    const folder = join(extensionsFolder, id, record.folder)
    const { granted, source, installedAt, digests } = record
    const changed = (what: string, asked?: Permissions): InstalledExtension => ({
      package: remembered(id, folder, record),
      granted,
      source,
      installedAt,
      state: 'changed',
      problem: `"${id}" is stopped: ${what}; look at it, then run \`airlock install ${source}\` to agree again`,
      changes: asked ? widerThan(asked, granted) : [],
    })
    let found: ExtensionPackage
    try {
      found = await read(folder, record.manifest.component)
    } catch (cause) {
      if (cause instanceof AirlockError) return changed(cause.message)
      const reason = cause instanceof Error ? cause.message : String(cause)
      return changed(`its files cannot be read (${reason})`)
    }
    const { permissions } = found.manifest
    if (found.digests.manifest !== digests.manifest)
      return changed(`${join(folder, MANIFEST_NAME)} is not the one that was agreed to`, permissions)
    if (found.digests.component !== digests.component)
      return changed(`${found.componentFile} is not the one that was agreed to`, permissions)
    return { package: found, granted, source, installedAt, state: 'ready', changes: [] }
  }
}

/** The change time is in it, since the other times can be set to anything. */
async function signatureOf(files: readonly string[]): Promise<string> {
  const parts: string[] = []
  for (const file of files) {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    parts.push(`${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`)
  }
  return parts.join(' ')
}

/** From the lock file, which the extension's author cannot write. */
function remembered(
  id: string,
  folder: string,
  { digests, granted, manifest }: LockRecord,
): ExtensionPackage {
  const { name, version, contract, component, componentBytes, providers, tools } = manifest
  return {
    folder,
    manifest: { id, name, version, contract, component, providers, tools, permissions: granted },
    componentFile: join(folder, component),
    digests,
    componentBytes,
  }
}
