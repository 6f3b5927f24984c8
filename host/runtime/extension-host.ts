import { isDeepStrictEqual } from 'node:util'
import { createGuestCredentials, type GuestCredentials } from '../capabilities/credentials.ts'
import { createGuestOAuth } from '../capabilities/oauth.ts'
import type { SignInSession } from '../capabilities/sign-in-session.ts'
import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { findTokens } from '../credentials/find-tokens.ts'
import type { CredentialStore } from '../credentials/store.ts'
import type { Manifest } from '../extension/manifest.ts'
import type { Settings } from '../home/settings.ts'
import type { Exchange, OutgoingRequest } from '../http/egress.ts'
import type { BrowserPermission } from '../oauth/browser-url.ts'
import { anyNetworkRules, parseNetworkRules, userNetworkRules } from '../policy/network.ts'
import { originCovers } from '../policy/origins.ts'
import type { Permissions } from '../policy/permissions.ts'
import type { SandboxCompletion } from '../sandbox/life.ts'
import type { ExtensionLimits } from '../sandbox/limits.ts'
import type { Answer, GuestFacts } from '../sandbox/protocol.ts'
import type { SupervisorStats } from '../sandbox/supervisor.ts'
import { createExtensionSandbox, type ExtensionOptions } from './extension-sandbox.ts'
import { readGuestFacts } from './guest-facts.ts'

export interface ExtensionHostOptions extends ExtensionOptions {
  settings: Settings
  credentials: CredentialStore
  /** Whether settings that name a provider alone, without its extension, are meant for this one. */
  ownsName(provider: string): boolean
}

/** An extension of providers at work. */
export interface ExtensionHost {
  readonly id: string
  readonly manifest: Manifest
  readonly folder: string
  readonly limits: Pick<ExtensionLimits, 'answerEvents' | 'answerUnits'>
  /** What both locks leave open. */
  readonly permissions: Permissions
  /** Where the browser may be sent for a provider. */
  browserPermission(provider: string): BrowserPermission
  readonly credentials: GuestCredentials
  call(name: string, args: unknown[], options?: { signal?: AbortSignal | undefined }): Promise<unknown>
  /** Calls an export that belongs to a sign-in, a refresh or a sign-out: what the guest may do in it, it may do now. */
  callIn(session: SignInSession, name: string, args: unknown[]): Promise<unknown>
  start(provider: string, model: string, request: GuestRequest): Promise<SandboxCompletion>
  /** Sends a request that the guest asked for: the guarded way out. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange>
  stats(): SupervisorStats
  close(): Promise<void>
}

export function createExtensionHost(options: ExtensionHostOptions): ExtensionHost {
  const { settings, env } = options
  const { manifest } = options.package
  const { id } = manifest
  const providerIds = manifest.providers.map(provider => provider.id)
  const originsOf = (provider: string) => {
    const url = settingsOf(provider)?.apiUrl
    return url === undefined ? [] : [new URL(url).origin]
  }
  const sandbox = createExtensionSandbox(options, {
    world: 'provider',
    userOrigins: providerIds.flatMap(originsOf),
    capability,
  })
  const { folder, manifestFile, permissions, limits, placeholders, http, egress, supervisor } = sandbox
  /** Where a secret may go: what was granted for its providers, and what the user set for them. */
  const reachOf = (providers: readonly Manifest['providers'][number][]) => {
    const named = (network: readonly string[] = manifest.permissions.network) =>
      permissions.network.filter(origin => network.some(wide => originCovers(wide, origin)))
    const origins = providers.flatMap(({ id, network }) => [...named(network), ...originsOf(id)])
    return parseNetworkRules([...new Set(origins)], manifestFile)
  }

  function settingsOf(provider: string) {
    const plain = options.ownsName(provider) ? settings.providers[provider] : undefined
    return settings.providers[`${id}:${provider}`] ?? plain
  }

  const credentials = createGuestCredentials({
    extension: id,
    store: options.credentials,
    placeholders,
    readable: permissions.credentials === 'read',
    reachOf: provider => reachOf(manifest.providers.filter(own => own.id === provider)),
  })
  const browserRules = parseNetworkRules(permissions.browser, manifestFile)
  const browserPermission = (provider: string): BrowserPermission => ({
    // What the user set for a provider may be opened for it, as it may be asked.
    rules: anyNetworkRules(browserRules, userNetworkRules(originsOf(provider))),
    manifestFile,
  })
  const oauth = createGuestOAuth(browserPermission)
  const sessions = new WeakMap<AbortSignal, SignInSession>()

  let sent: GuestFacts | undefined
  let readings = 0
  let latest = 0
  async function refreshFacts(): Promise<void> {
    const reading = ++readings
    const own = await readGuestFacts({
      extension: id,
      providers: manifest.providers,
      credentials,
      placeholders,
      permissions,
      allowedEnv: settings.allowedEnv[id] ?? [],
      env,
      settingsOf,
      reachOf,
    })
    const facts = await sandbox.tapedFacts(own)
    // One that began later may have ended before.
    if (reading < latest || isDeepStrictEqual(facts, sent)) return
    latest = reading
    sent = facts
    supervisor.setFacts(facts)
  }

  async function fetchFallible(request: unknown, signal: AbortSignal, session: SignInSession | undefined) {
    const answer = await http.fetchFallible(request, { signal })
    // The guest may log what it was given before the host knows it as a credential.
    if (session && answer.ok) findTokens(answer.value.body).forEach(placeholders.overhear)
    return answer
  }

  /** Keeps or forgets a provider's secret for the guest. */
  async function changeCredential(
    name: 'store-credential' | 'delete-credential',
    [provider, value]: unknown[],
    session: SignInSession | undefined,
  ): Promise<Answer> {
    if (typeof provider !== 'string' || !providerIds.includes(provider))
      return { ok: false, error: `"${String(provider)}" is no provider of this extension` }
    // Cancelled: what the guest still brings comes too late.
    if (session?.signal.aborted) return { ok: false, error: 'The sign-in is over' }
    const own = session?.provider === provider ? session : undefined
    if (name === 'delete-credential') await credentials.delete(provider)
    else await credentials.store(provider, value, own)
    await refreshFacts()
    return { ok: true, value: undefined }
  }

  function capability(
    name: string,
    args: unknown[],
    signal: AbortSignal,
    callSignal: AbortSignal | undefined,
  ): Promise<Answer> | undefined {
    const session = callSignal && sessions.get(callSignal)
    switch (name) {
      case 'fetch-fallible':
        return fetchFallible(args[0], signal, session)
      case 'oauth-send-http-request':
        return session ? fetchFallible(args[0], signal, session) : refuse(name)
      case 'oauth-start-web-auth':
        return oauth.startWebAuth(args[0], session)
      case 'oauth-open-browser':
        return oauth.openBrowser(args[0], session)
      case 'store-credential':
      case 'delete-credential':
        return changeCredential(name, args, session)
      default:
        return undefined
    }
  }

  return {
    id,
    manifest,
    folder,
    limits,
    permissions,
    browserPermission,
    credentials,
    async call(name, args, how) {
      await refreshFacts()
      return supervisor.call(name, args, how)
    },
    async callIn(session, name, args) {
      const { signal } = session
      sessions.set(signal, session)
      await refreshFacts()
      return supervisor.call(name, args, { signal })
    },
    async start(provider, model, request) {
      await refreshFacts()
      return supervisor.start(provider, model, request)
    },
    send: (request, signal) => egress.send(request, { signal }),
    stats: supervisor.stats,
    close: sandbox.close,
  }
}

async function refuse(name: string): Promise<Answer> {
  return { ok: false, error: `Cannot call ${name}: it is there while a user signs in; use fetch` }
}
