import type { LookupFunction } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { CredentialStore } from '../credentials/store.ts'
import { ExtensionError, PermissionDeniedError } from '../errors.ts'
import {
  createInstalledExtensions,
  type InstalledExtension,
  type InstalledExtensions,
  type InstallOptions,
} from '../extension/installed.ts'
import type { Manifest } from '../extension/manifest.ts'
import { readPackage } from '../extension/package.ts'
import type { Home } from '../home/home.ts'
import type { Settings } from '../home/settings.ts'
import type { OpenTape } from '../http/tape/tape.ts'
import type { Permissions } from '../policy/permissions.ts'
import type { OpenChannel } from '../sandbox/channel.ts'
import type { SupervisorStats } from '../sandbox/supervisor.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import { type BlockedExtension, type Catalogue, createCatalogue } from './catalogue.ts'
import { createExtensionHost, type ExtensionHost } from './extension-host.ts'
import type { ExtensionOptions } from './extension-sandbox.ts'
import { createLoadedTools } from './loaded-tools.ts'
import type { LogEntry } from './log.ts'
import type { CredentialRefresh } from './refresh.ts'

export interface ExtensionStats extends SupervisorStats {
  id: string
}

export interface LoadedExtensionsOptions {
  home: Home
  settings: Settings
  credentials: CredentialStore
  refresh: CredentialRefresh
  env: NodeJS.ProcessEnv
  open: OpenChannel
  limits: Partial<Record<string, number>>
  log(entry: LogEntry): void
  /** Resolves when nothing runs any more that runs now. */
  idle(): Promise<void>
  /** The models of these providers may not be what they were. */
  changed(providers: readonly string[]): void
  /** Where their tools are offered, and the tools that these may call. */
  tools: Pick<ToolRegistry, 'add' | 'invoke'>
  lookup?: LookupFunction
  tape: OpenTape | undefined
}

/** The extensions that are there for one airlock: those that are installed, and those loaded besides. */
export interface LoadedExtensions {
  /** What is installed. Whatever loses a permission here is ended, too. */
  readonly installed: InstalledExtensions
  install(source: string, options: InstallOptions): Promise<InstalledExtension>
  load(folder: string, options?: { granted?: Permissions }): Promise<void>
  /** Installed extensions are read when first needed; starting one waits until it is called. */
  catalogue(): Promise<Catalogue>
  /** Extensions whose settings have changed go on with the new ones; what runs in them ends as it began. */
  applySettings(settings: Settings): Promise<void>
  /** Offers the tools of those that are installed. Never throws: what cannot be offered is listed as a failure. */
  discoverTools(): Promise<void>
  stats(): ExtensionStats[]
  /** Idempotent. */
  close(): Promise<void>
}

type Granted = Pick<InstalledExtension, 'package' | 'granted'>

export function createLoadedExtensions(options: LoadedExtensionsOptions): LoadedExtensions {
  let { settings } = options
  const { home, credentials, refresh, env, open, limits, log, changed, lookup, tape } = options
  const installed = createInstalledExtensions(home)
  const hosts = new Map<string, ExtensionHost>()
  const grants = new Map<string, Granted>()
  /** Replaced, and not closed yet: something that began before still runs in them. */
  const retired = new Set<ExtensionHost>()
  const tools = createLoadedTools(options.tools)
  const life = new AbortController()
  let loading: Promise<Catalogue> | undefined
  let closed = false

  /**
   * Settings name a provider, and what they say of it opens the way to an address. Where several extensions have one
   * of that name, it is the one that is called so itself, and else none: the user then writes `<extension>:<provider>`.
   */
  function ownsName(extension: string, provider: string, others: readonly Manifest[]): boolean {
    if (extension === provider) return true
    return !others.some(
      ({ id, providers }) => id !== extension && providers.some(other => other.id === provider),
    )
  }

  function optionsFor(extension: Granted): ExtensionOptions {
    return {
      package: extension.package,
      granted: extension.granted,
      env,
      cacheFolder: home.cache,
      open,
      limits,
      log,
      tape,
      ...(lookup && { lookup }),
    }
  }

  function createHost(extension: Granted, others: readonly Manifest[]): ExtensionHost {
    grants.set(extension.package.manifest.id, extension)
    return createExtensionHost({
      ...optionsFor(extension),
      settings,
      credentials,
      ownsName: provider => ownsName(extension.package.manifest.id, provider, others),
    })
  }

  /** Of what is installed and what is loaded besides. */
  function manifestsOf(extensions: readonly InstalledExtension[]): Manifest[] {
    return [...extensions.map(one => one.package.manifest), ...[...hosts.values()].map(host => host.manifest)]
  }

  /** In place of one of the same id, which may have brought something else. */
  async function replace(extension: Granted): Promise<void> {
    const others = manifestsOf(await installed.list())
    if (closed) throw wasClosed()
    const { id } = extension.package.manifest
    const isTools = extension.package.manifest.tools.length > 0
    if (isTools) {
      await unload(id)
      return tools.put(optionsFor(extension))
    }
    const host = createHost(extension, others)
    const before = hosts.get(id)
    hosts.set(id, host)
    loading = undefined
    changed(host.manifest.providers.map(({ id }) => id))
    await Promise.all([before?.close(), tools.remove(id)])
  }

  /** What the settings say of its providers reaches an extension when it starts: those that it concerns start anew. */
  async function applySettings(next: Settings): Promise<void> {
    const known = manifestsOf(await installed.list())
    if (closed) return
    const before = settings
    settings = next
    loading = undefined
    const all = [...hosts.values()]
    const meant = !isDeepStrictEqual([before.aliases, before.defaults], [next.aliases, next.defaults])
    const concerned = all.filter(
      ({ manifest }) => !isDeepStrictEqual(said(before, manifest), said(next, manifest)),
    )
    for (const host of concerned) {
      hosts.set(host.id, createHost(grants.get(host.id)!, known))
      retired.add(host)
      void options.idle().then(async () => {
        await host.close()
        retired.delete(host)
      })
    }
    changed((meant ? all : concerned).flatMap(({ manifest }) => manifest.providers.map(({ id }) => id)))
  }

  /** What runs with permissions that it no longer has is ended; it is loaded anew when it is needed. */
  async function unload(id: string): Promise<void> {
    const host = hosts.get(id)
    hosts.delete(id)
    loading = undefined
    if (host) changed(host.manifest.providers.map(({ id }) => id))
    await Promise.all([host?.close(), tools.remove(id)])
  }

  async function loadInstalled(): Promise<Catalogue> {
    const blocked: BlockedExtension[] = []
    const extensions = await installed.list()
    const known = manifestsOf(extensions)
    for (const extension of extensions) {
      const { id, providers } = extension.package.manifest
      const isTools = extension.package.manifest.tools.length > 0
      if (hosts.has(id) || tools.has(id)) continue
      if (extension.state === 'ready') {
        if (isTools) await tools.put(optionsFor(extension))
        else hosts.set(id, createHost(extension, known))
      } else {
        const { problem = `"${id}" changed: run \`airlock install ${extension.source}\` to agree again` } =
          extension
        if (isTools) await tools.block(id, new PermissionDeniedError(`run: ${id}`, problem))
        blocked.push({ id, problem, providers: providers.map(provider => provider.id) })
        log({ level: 'warn', extension: id, message: problem, time: Date.now() })
      }
    }
    return createCatalogue([...hosts.values()], blocked, {
      aliases: settings.aliases,
      defaults: settings.defaults ?? {},
      withCredential: refresh.withCredential,
      changed: provider => changed([provider]),
      signal: life.signal,
    })
  }

  function catalogue(): Promise<Catalogue> {
    if (closed) return Promise.reject(wasClosed())
    loading ??= loadInstalled().then(
      async loaded => {
        await tools.remove('*')
        return loaded
      },
      error => {
        loading = undefined
        throw error
      },
    )
    return loading
  }

  return {
    installed: {
      ...installed,
      async remove(id) {
        await installed.remove(id)
        await unload(id)
      },
      async revoke(id, permission) {
        const narrowed = await installed.revoke(id, permission)
        await unload(id)
        return narrowed
      },
    },
    async install(source, how) {
      if (closed) throw wasClosed()
      const extension = await installed.install(source, how)
      await replace(extension)
      return extension
    },
    async load(folder, how = {}) {
      const read = await readPackage(folder)
      const granted = how.granted ?? read.manifest.permissions
      await replace({ package: read, granted })
    },
    catalogue,
    applySettings,
    async discoverTools() {
      try {
        await catalogue()
      } catch (error) {
        if (!closed) await tools.block('*', error instanceof Error ? error : new Error(String(error)))
      }
    },
    stats: () => [...[...hosts.values()].map(host => ({ id: host.id, ...host.stats() })), ...tools.stats()],
    async close() {
      if (closed) return
      closed = true
      life.abort(wasClosed())
      await loading?.catch(() => {})
      // A rotated token that nobody waits for any more is still to be stored.
      await refresh.settled()
      await Promise.all([tools.close(), ...[...hosts.values(), ...retired].map(host => host.close())])
    },
  }
}

/** All that settings say of an extension. */
function said({ providers, allowedEnv }: Settings, { id, providers: own }: Manifest): unknown {
  return [allowedEnv[id], own.map(provider => [providers[provider.id], providers[`${id}:${provider.id}`]])]
}

export function wasClosed(): ExtensionError {
  return new ExtensionError('extension-closed', '', 'Cannot go on: this airlock was closed')
}
