import { ProviderError } from '../errors.ts'
import { resolveHome } from '../home/home.ts'
import type { Cli } from './cli.ts'
import { openExtensions } from './open-extensions.ts'

/**
 * What to do about a service that wants a key, where a granted environment variable could hold it: the grant alone
 * does not hand it over, the settings name it as well. Undefined where there is nothing to say.
 */
export async function signInHint(cli: Cli, error: unknown): Promise<string | undefined> {
  if (!(error instanceof ProviderError) || error.kind !== 'authentication') return undefined
  const { readSettings } = await import('../home/settings.ts')
  const { allowedEnv } = await readSettings(resolveHome(cli).settingsFile)
  const installed = await (await openExtensions(cli)).list()
  for (const {
    package: { manifest },
    granted,
  } of installed) {
    const [variable] = [...granted.env, ...granted.plainEnv]
    const isConcerned =
      error.provider === undefined || manifest.providers.some(({ id }) => id === error.provider)
    if (variable === undefined || !isConcerned) continue
    const allowed = allowedEnv[manifest.id] ?? []
    if (!allowed.includes(variable))
      return `the key may come from ${variable}: airlock settings set allowedEnv.${manifest.id} '["${variable}"]'`
    if (!cli.env[variable]) return `the key may come from ${variable}, which is not set`
  }
  return undefined
}
