import { ProviderError } from '../errors.ts'
import { resolveHome } from '../home/home.ts'
import type { Cli } from './cli.ts'
import { openExtensions } from './open-extensions.ts'

/** What to do about a service that wants a key: sign in, or let a variable that was granted hold it. */
export async function signInHint(cli: Cli, error: unknown): Promise<string | undefined> {
  if (!(error instanceof ProviderError) || error.kind !== 'authentication') return undefined
  const { provider, message } = error
  // Extensions that know their name say it themselves.
  const login =
    provider === undefined || message.includes('airlock login') ? [] : [`airlock login ${provider}`]
  const hints = [...login, ...(await variableHint(cli, provider))]
  return hints.length > 0 ? hints.join('; or ') : undefined
}

/** The grant alone does not hand a variable over, the settings name it as well. */
async function variableHint(cli: Cli, provider: string | undefined): Promise<string[]> {
  const { readSettings } = await import('../home/settings.ts')
  const { allowedEnv } = await readSettings(resolveHome(cli).settingsFile)
  const installed = await (await openExtensions(cli)).list()
  for (const {
    package: { manifest },
    granted,
  } of installed) {
    const [variable] = [...granted.env, ...granted.plainEnv]
    const isConcerned = provider === undefined || manifest.providers.some(({ id }) => id === provider)
    if (variable === undefined || !isConcerned) continue
    const allowed = allowedEnv[manifest.id] ?? []
    if (!allowed.includes(variable))
      return [
        `the key may come from ${variable}: airlock settings set allowedEnv.${manifest.id} '["${variable}"]'`,
      ]
    if (!cli.env[variable]) return [`the key may come from ${variable}, which is not set`]
  }
  return []
}
