import { type CredentialSource, findCredentialSource } from '../credentials/credential-source.ts'
import type { FileStoreState } from '../credentials/file-store.ts'
import type { CredentialFacts, CredentialStore } from '../credentials/store.ts'
import type { InstalledExtension } from '../extension/installed.ts'
import type { Settings } from '../home/settings.ts'
import type { SupervisorStats } from '../sandbox/supervisor.ts'
import type { SignInTarget } from './sign-in.ts'

export interface ProviderStatus {
  /** As models name it. */
  provider: string
  extension: string
  /** Where the key comes from that is used. Absent: there is none. */
  source?: CredentialSource
  /** Keys that are there and not used, since another goes before them. */
  shadowed: CredentialSource[]
  /** What is known of the stored credential. Absent: there is none. */
  credential?: CredentialFacts
  /** Its extension's sandbox, e.g. held back since it died too often. */
  sandbox: SupervisorStats
}

/** Who is signed in, and how. No secrets. */
export interface AirlockStatus {
  providers: ProviderStatus[]
  /** Extensions that are installed and not loaded, since they are not what was agreed to. */
  notLoaded: { extension: string; problem: string }[]
  /** The file that credentials are kept in. Absent where the caller brought a store. */
  store?: FileStoreState
  /** Why the stored credentials cannot be read; those of the environment still can. */
  storeProblem?: Error
}

export interface StatusSources {
  targets: readonly SignInTarget[]
  installed: readonly InstalledExtension[]
  credentials: CredentialStore & { state?(): Promise<FileStoreState> }
  settings: Settings
  env: NodeJS.ProcessEnv
}

export async function readStatus(sources: StatusSources): Promise<AirlockStatus> {
  const { targets, installed, credentials, settings, env } = sources
  const providers: ProviderStatus[] = []
  let storeProblem: Error | undefined
  for (const { host, provider, reference } of targets) {
    const credential = await credentials
      .describe({ extension: host.id, provider })
      .catch((error: Error): undefined => {
        storeProblem ??= error
      })
    const { env: usable, plainEnv } = host.permissions
    const allowed = settings.allowedEnv[host.id] ?? []
    const own = host.manifest.providers.find(({ id }) => id === provider)?.env
    const variables = [...usable, ...plainEnv].filter(
      name => allowed.includes(name) && (own === undefined || own.includes(name)),
    )
    const { used, shadowed } = findCredentialSource(credential !== undefined, variables, env)
    providers.push({
      provider: reference,
      extension: host.id,
      ...(used && { source: used }),
      shadowed,
      ...(credential && { credential }),
      sandbox: host.stats(),
    })
  }
  const store = await credentials.state?.()
  return {
    providers,
    notLoaded: installed
      .filter(({ state }) => state !== 'ready')
      .map(({ package: { manifest }, problem, state }) => ({
        extension: manifest.id,
        problem: problem ?? `it is ${state}`,
      })),
    ...(store && { store }),
    ...(storeProblem && { storeProblem }),
  }
}
