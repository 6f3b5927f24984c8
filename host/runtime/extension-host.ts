import type { LookupFunction } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { createHttpClient } from '../capabilities/http-client.ts'
import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { createPlaceholders } from '../credentials/placeholders.ts'
import type { CredentialStore } from '../credentials/store.ts'
import type { Manifest } from '../extension/manifest.ts'
import { type ExtensionPackage, readComponent } from '../extension/package.ts'
import type { Settings } from '../home/settings.ts'
import { createEgress, type Exchange, type OutgoingRequest } from '../http/egress.ts'
import { parseNetworkRules } from '../policy/network.ts'
import { intersect, type Permissions } from '../policy/permissions.ts'
import type { OpenChannel } from '../sandbox/channel.ts'
import type { SandboxCompletion } from '../sandbox/life.ts'
import { type ExtensionLimits, resolveSandboxLimits } from '../sandbox/limits.ts'
import { createStackMapper } from '../sandbox/map-stack.ts'
import type { Answer, GuestFacts } from '../sandbox/protocol.ts'
import { createSupervisor, type SupervisorStats } from '../sandbox/supervisor.ts'
import { transpileComponent } from '../sandbox/transpile.ts'
import type { LogEntry } from './log.ts'

// A set of OAuth tokens takes 8,000; a store is no place to keep anything else.
const MAX_CREDENTIAL_CHARS = 65_536

export interface ExtensionHostOptions {
  package: ExtensionPackage
  granted: Permissions
  settings: Settings
  credentials: CredentialStore
  env: NodeJS.ProcessEnv
  cacheFolder: string
  open: OpenChannel
  limits: Partial<Record<string, number>>
  log(entry: LogEntry): void
  /** Default: the system's resolver. */
  lookup?: LookupFunction
}

/** One extension at work: its sandbox, and what the host does for it and for nobody else. */
export interface ExtensionHost {
  readonly id: string
  readonly manifest: Manifest
  readonly folder: string
  readonly limits: Pick<ExtensionLimits, 'answerEvents' | 'answerUnits'>
  call(name: string, args: unknown[], options?: { signal?: AbortSignal | undefined }): Promise<unknown>
  start(provider: string, model: string, request: GuestRequest): Promise<SandboxCompletion>
  /** Sends a request that the guest asked for: the guarded way out. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange>
  stats(): SupervisorStats
  close(): Promise<void>
}

export function createExtensionHost(options: ExtensionHostOptions): ExtensionHost {
  const { settings, credentials, env } = options
  const { manifest, folder, digests } = options.package
  const { id } = manifest
  const permissions = intersect(manifest.permissions, options.granted)
  const limits = resolveSandboxLimits(options.limits)
  const memoryMiB = Math.min(permissions.memoryMiB, options.limits.memoryMiB ?? permissions.memoryMiB)
  const providerIds = manifest.providers.map(provider => provider.id)
  const originsOf = (provider: string) => {
    const url = settingsOf(provider)?.apiUrl
    return url === undefined ? [] : [new URL(url).origin]
  }
  const userOrigins = providerIds.flatMap(originsOf)
  const manifestFile = `${folder}/extension.json`
  const rules = [
    parseNetworkRules(manifest.permissions.network, manifestFile),
    parseNetworkRules(options.granted.network, `the grant of "${id}"`),
  ]
  /** Where a secret may go: what was granted, and what the user set for the providers that it is of. */
  const reachOf = (providers: readonly string[]) =>
    parseNetworkRules([...permissions.network, ...providers.flatMap(originsOf)], manifestFile)
  const placeholders = createPlaceholders()
  const redactor = placeholders.redactor()
  const log = (level: LogEntry['level'], message: string) =>
    options.log({ level, extension: id, message: redactor.text(message), time: Date.now() })
  const egress = createEgress({
    extension: id,
    rules,
    userOrigins,
    placeholders,
    bodyFields: permissions.bodyFields,
    env,
    limits: options.limits,
    ...(options.lookup && { lookup: options.lookup }),
    manifestFile,
  })
  const http = createHttpClient(egress)
  const mapStack = createStackMapper(options.package.componentFile)

  function settingsOf(provider: string) {
    return settings.providers[`${id}:${provider}`] ?? settings.providers[provider]
  }

  /** What the guest may ask for without waiting. Read anew for each call: a sign-in may have come in between. */
  async function readFacts(): Promise<GuestFacts> {
    const facts: GuestFacts = { credentials: {}, env: {}, settings: {} }
    /** What the guest gets for a secret: a stand-in, or the secret itself where the user granted that. */
    const handOut = (key: string, secret: string, readable: boolean, providers: readonly string[]) => {
      if (!readable) return placeholders.placeholderFor(key, secret, reachOf(providers))
      placeholders.hide(secret)
      return secret
    }
    for (const provider of providerIds) {
      const key = `credential:${id}:${provider}`
      const secret = await credentials.get({ extension: id, provider })
      if (secret === undefined) placeholders.forget(key)
      else facts.credentials[provider] = handOut(key, secret, permissions.credentials === 'read', [provider])
      const own = settingsOf(provider)
      if (own) facts.settings[provider] = toGuestSettings(own)
    }
    const allowed = settings.allowedEnv[id] ?? []
    for (const name of [...permissions.env, ...permissions.plainEnv]) {
      const value = env[name]?.trim()
      if (value && allowed.includes(name)) {
        facts.env[name] = handOut(
          `env:${id}:${name}`,
          value,
          permissions.plainEnv.includes(name),
          providerIds,
        )
      }
    }
    return facts
  }

  let sent: GuestFacts | undefined
  async function refreshFacts(): Promise<void> {
    const facts = await readFacts()
    if (isDeepStrictEqual(facts, sent)) return
    sent = facts
    supervisor.setFacts(facts)
  }

  /** Answers a guest that waits. What is not there does not exist for it. */
  async function capability(name: string, args: unknown[], signal: AbortSignal): Promise<Answer> {
    switch (name) {
      case 'fetch':
        return http.fetch(args[0], { signal })
      case 'fetch-fallible':
      case 'oauth-send-http-request':
        return http.fetchFallible(args[0], { signal })
      case 'fetch-stream':
        return http.fetchStream(args[0], { signal })
      case 'next-chunk':
        return http.nextChunk(Number(args[0]))
      case 'store-credential':
      case 'delete-credential': {
        const [provider, value] = args
        if (typeof provider !== 'string' || !providerIds.includes(provider)) {
          return { ok: false, error: `"${String(provider)}" is no provider of this extension` }
        }
        const owner = { extension: id, provider }
        if (name === 'delete-credential') await credentials.delete(owner)
        else if (typeof value === 'string' && value.length <= MAX_CREDENTIAL_CHARS)
          await credentials.set(owner, value)
        else return { ok: false, error: `a credential has at most ${MAX_CREDENTIAL_CHARS} characters` }
        await refreshFacts()
        return { ok: true, value: undefined }
      }
      default:
        return { ok: false, error: `This host does not offer ${name} here` }
    }
  }

  const supervisor = createSupervisor({
    extension: id,
    world: 'provider',
    prepare: () =>
      transpileComponent({
        cacheFolder: options.cacheFolder,
        digest: digests.component,
        read: () => readComponent(options.package),
        memoryMiB,
        world: 'provider',
      }),
    open: options.open,
    memoryMiB,
    limits,
    facts: { credentials: {}, env: {}, settings: {} },
    capability,
    release: (_, handle) => http.drop(handle),
    log: line => void mapStack(line.message).then(message => log(line.level, message)),
  })

  return {
    id,
    manifest,
    folder,
    limits,
    async call(name, args, how) {
      await refreshFacts()
      return supervisor.call(name, args, how)
    },
    async start(provider, model, request) {
      await refreshFacts()
      return supervisor.start(provider, model, request)
    },
    send: (request, signal) => egress.send(request, { signal }),
    stats: supervisor.stats,
    async close() {
      await supervisor.close()
      http.close()
      await egress.close()
    },
  }
}

function toGuestSettings({
  apiUrl,
  availableModels = [],
}: Settings['providers'][string]): GuestFacts['settings'][string] {
  return {
    ...(apiUrl !== undefined && { apiUrl }),
    availableModels: availableModels.map(
      ({ maxTokens, maxOutputTokens, name, displayName, thinkingBudget }) => ({
        name,
        ...(displayName !== undefined && { displayName }),
        maxTokens: BigInt(maxTokens),
        ...(maxOutputTokens !== undefined && { maxOutputTokens: BigInt(maxOutputTokens) }),
        ...(thinkingBudget !== undefined && { thinkingBudget }),
      }),
    ),
  }
}
