import type { LookupFunction } from 'node:net'
import { createHttpClient } from '../capabilities/http-client.ts'
import { createPlaceholders, type Placeholders } from '../credentials/placeholders.ts'
import type { Manifest } from '../extension/manifest.ts'
import { type ExtensionPackage, readComponent } from '../extension/package.ts'
import { createEgress, type Egress } from '../http/egress.ts'
import type { OpenTape, Tape } from '../http/tape/tape.ts'
import { parseNetworkRules } from '../policy/network.ts'
import { intersect, type Permissions } from '../policy/permissions.ts'
import type { OpenChannel } from '../sandbox/channel.ts'
import { type ExtensionLimits, resolveSandboxLimits } from '../sandbox/limits.ts'
import { createStackMapper } from '../sandbox/map-stack.ts'
import type { Answer, SandboxSetup } from '../sandbox/protocol.ts'
import { createSupervisor, type Supervisor } from '../sandbox/supervisor.ts'
import { transpileComponent } from '../sandbox/transpile.ts'
import type { LogEntry } from './log.ts'

/** What any extension is started with. */
export interface ExtensionOptions {
  package: ExtensionPackage
  granted: Permissions
  env: NodeJS.ProcessEnv
  cacheFolder: string
  open: OpenChannel
  limits: Partial<Record<string, number>>
  log(entry: LogEntry): void
  /** Default: the system's resolver. */
  lookup?: LookupFunction
  /** Records what is said to the network, or answers from a recording. Default: neither. */
  tape?: OpenTape | undefined
}

/** What differs between extensions of providers and of tools. */
export interface ExtensionWorld {
  world: SandboxSetup['world']
  /** Origins that the user set, reachable whatever the manifest says. */
  userOrigins: readonly string[]
  /** Answers a guest that waits for something else than HTTP; undefined where there is nothing of that name. */
  capability(
    name: string,
    args: unknown[],
    signal: AbortSignal,
    callSignal: AbortSignal | undefined,
  ): Promise<Answer> | undefined
}

/** The sandbox of one extension and its way out: what the host does for it and for nobody else. */
export interface ExtensionSandbox {
  readonly id: string
  readonly manifest: Manifest
  readonly folder: string
  /** For messages that say what to change. */
  readonly manifestFile: string
  /** What both locks leave open. */
  readonly permissions: Permissions
  readonly limits: ExtensionLimits
  readonly placeholders: Placeholders
  readonly egress: Egress
  /** What the guest gets of the facts that are meant for it. */
  readonly tapedFacts: Tape['facts']
  readonly http: ReturnType<typeof createHttpClient>
  readonly supervisor: Supervisor
  /** Idempotent. */
  close(): Promise<void>
}

export function createExtensionSandbox(options: ExtensionOptions, own: ExtensionWorld): ExtensionSandbox {
  const { manifest, folder, digests } = options.package
  const { id } = manifest
  const { world } = own
  const permissions = intersect(manifest.permissions, options.granted)
  const limits = resolveSandboxLimits(options.limits)
  const memoryMiB = Math.min(permissions.memoryMiB, options.limits.memoryMiB ?? permissions.memoryMiB)
  const manifestFile = `${folder}/extension.json`
  const placeholders = createPlaceholders()
  const redactor = placeholders.redactor()
  const log = (level: LogEntry['level'], message: string) =>
    options.log({ level, extension: id, message: redactor.text(message), time: Date.now() })
  const network = createEgress({
    extension: id,
    rules: [
      parseNetworkRules(manifest.permissions.network, manifestFile),
      parseNetworkRules(options.granted.network, `the grant of "${id}"`),
    ],
    userOrigins: own.userOrigins,
    placeholders,
    bodyFields: permissions.bodyFields,
    env: options.env,
    limits: options.limits,
    ...(options.lookup && { lookup: options.lookup }),
    manifestFile,
  })
  const tape = options.tape?.({
    extension: id,
    egress: network,
    placeholders,
    failed: message => log('error', message),
  })
  const egress = tape?.egress ?? network
  const http = createHttpClient(egress)
  const mapStack = createStackMapper(options.package.componentFile)

  /** What is not there does not exist for the guest. */
  async function capability(
    name: string,
    args: unknown[],
    signal: AbortSignal,
    callSignal: AbortSignal | undefined,
  ): Promise<Answer> {
    const answer = own.capability(name, args, signal, callSignal)
    if (answer) return answer
    switch (name) {
      case 'fetch':
        return http.fetch(args[0], { signal })
      case 'fetch-fallible':
        return http.fetchFallible(args[0], { signal })
      case 'fetch-stream':
        return http.fetchStream(args[0], { signal })
      case 'next-chunk':
        return http.nextChunk(Number(args[0]))
      default:
        return { ok: false, error: `This host does not offer ${name} here` }
    }
  }

  const supervisor = createSupervisor({
    extension: id,
    world,
    prepare: () =>
      transpileComponent({
        cacheFolder: options.cacheFolder,
        digest: digests.component,
        read: () => readComponent(options.package),
        memoryMiB,
        world,
      }),
    open(events, memory) {
      const channel = options.open(events, memory)
      // While the sandbox starts: what it will ask for first is a request.
      setImmediate(() => egress.prepare().catch(() => {}))
      return channel
    },
    memoryMiB,
    limits,
    facts: { credentials: {}, env: {}, settings: {} },
    capability,
    release: (_, handle) => http.drop(handle),
    log: line => void mapStack(line.message).then(message => log(line.level, message)),
  })

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await supervisor.close()
    http.close()
    await egress.close()
  }

  return {
    id,
    manifest,
    folder,
    manifestFile,
    permissions,
    limits,
    placeholders,
    egress,
    tapedFacts: tape?.facts ?? (async facts => facts),
    http,
    supervisor,
    close() {
      closing ??= close()
      return closing
    },
  }
}
