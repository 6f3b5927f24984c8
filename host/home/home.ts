import { join, resolve } from 'node:path'
import envPaths from 'env-paths'

/** Where this user's Airlock lives. Absolute paths; none of them need exist. */
export interface Home {
  /** Holds what the user writes. */
  config: string
  /** Holds installed extensions, grants and credentials: mode 0700. */
  data: string
  /** Holds what can be made again. */
  cache: string
  settingsFile: string
}

/**
 * One folder for everything where `home` or `AIRLOCK_HOME` names it (`home` wins), else the platform's own folders
 * for configuration, data and cache. Touches nothing on disk.
 */
export function resolveHome(options: { home?: string; env: NodeJS.ProcessEnv }): Home {
  // An empty variable is how a shell unsets one for a single command: it names no folder.
  const folder = options.home ?? (options.env.AIRLOCK_HOME || undefined)
  const { config, data, cache } =
    folder === undefined
      ? envPaths('airlock', { suffix: '' })
      : {
          config: resolve(folder),
          data: join(resolve(folder), 'data'),
          cache: join(resolve(folder), 'cache'),
        }
  return { config, data, cache, settingsFile: join(config, 'settings.json') }
}
