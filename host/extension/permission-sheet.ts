import { noPermissions, type PermissionChange, type Permissions, widerThan } from '../policy/permissions.ts'
import type { LockRecord } from './lock-file.ts'
import type { ExtensionPackage } from './package.ts'

/** Everything that someone agrees to by installing an extension. */
export interface PermissionSheet {
  id: string
  name: string
  version: string
  /** As the user named it. */
  source: string
  /** SHA-256, lower-case hex. */
  digests: { manifest: string; component: string }
  componentBytes: number
  /** All that it asks for: what is granted by agreeing. */
  permissions: Permissions
  /** What of it is not granted today; on a first installation, all of it. */
  changes: PermissionChange[]
  /** Whether the component's bytes are other ones than those agreed to before; true on a first installation. */
  componentChanged: boolean
  /** What is installed under this id today. */
  present?: PresentInstallation
}

export interface PresentInstallation {
  version: string
  source: string
  /** ISO 8601, UTC. */
  installedAt: string
  digests: { manifest: string; component: string }
  granted: Permissions
}

export function permissionSheet(
  extension: ExtensionPackage,
  source: string,
  record: LockRecord | undefined,
): PermissionSheet {
  const { manifest, digests, componentBytes } = extension
  return {
    id: manifest.id,
    name: manifest.name,
    version: manifest.version,
    source,
    digests,
    componentBytes,
    permissions: manifest.permissions,
    changes: widerThan(manifest.permissions, record?.granted ?? noPermissions),
    componentChanged: record?.digests.component !== digests.component,
    ...(record && {
      present: {
        version: record.manifest.version,
        source: record.source,
        installedAt: record.installedAt,
        digests: record.digests,
        granted: record.granted,
      },
    }),
  }
}

/** Other bytes and wider permissions need the user's word; the same bytes that ask for less do not. */
export function needsAgreement({ componentChanged, changes }: PermissionSheet): boolean {
  return componentChanged || changes.length > 0
}
