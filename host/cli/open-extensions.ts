import type { InstalledExtensions } from '../extension/installed.ts'
import { resolveHome } from '../home/home.ts'
import type { Cli } from './cli.ts'

/** The installed extensions without the runtime: what only lists, installs and removes needs no sandbox. */
export async function openExtensions({ env }: Cli): Promise<InstalledExtensions> {
  const { createInstalledExtensions } = await import('../extension/installed.ts')
  return createInstalledExtensions(resolveHome({ env }), { env })
}
