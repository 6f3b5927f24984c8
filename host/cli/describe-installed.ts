import type { InstalledExtension } from '../extension/installed.ts'
import type { PermissionChange, Permissions } from '../policy/permissions.ts'

/** An installed extension as `--json` prints it. */
export interface InstalledObject {
  id: string
  name: string
  version: string
  providers: string[]
  tools: string[]
  /** `changed`: its files or wishes are no longer what was agreed to; it does not run until agreed again. */
  state: 'ready' | 'changed'
  /** Where the state is `changed`: what is wrong, as a sentence. */
  problem?: string
  source: string
  /** ISO 8601. */
  installedAt: string
  permissions: Permissions
  /** What it asks beyond `permissions`. */
  changes: PermissionChange[]
  digests: { manifest: string; component: string }
}

export function describeInstalled(extension: InstalledExtension): InstalledObject {
  const { manifest, digests } = extension.package
  return {
    id: manifest.id,
    name: manifest.name,
    version: manifest.version,
    providers: manifest.providers.map(({ id }) => id),
    tools: manifest.tools.map(({ id }) => id),
    state: extension.state,
    ...(extension.problem === undefined ? {} : { problem: extension.problem }),
    source: extension.source,
    installedAt: extension.installedAt,
    permissions: extension.granted,
    changes: [...extension.changes],
    digests,
  }
}
