import type { LookupFunction } from 'node:net'
import type { CredentialStore } from '../credentials/store.ts'
import { ExtensionError } from '../errors.ts'
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
import type { Permissions } from '../policy/permissions.ts'
import type { OpenChannel } from '../sandbox/channel.ts'
import type { SupervisorStats } from '../sandbox/supervisor.ts'
import { type BlockedExtension, type Catalogue, createCatalogue } from './catalogue.ts'
import { createExtensionHost, type ExtensionHost } from './extension-host.ts'
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
  /** The models of these providers may not be what they were. */
  changed(providers: readonly string[]): void
  lookup?: LookupFunction
}

/** The extensions that are there for one airlock: those that are installed, and those loaded besides. */
export interface LoadedExtensions {
  /** What is installed. Whatever loses a permission here is ended, too. */
  readonly installed: InstalledExtensions
  install(source: string, options: InstallOptions): Promise<InstalledExtension>
  load(folder: string, options?: { granted?: Permissions }): Promise<void>
  /** Installed extensions are read when first needed; starting one waits until it is called. */
  catalogue(): Promise<Catalogue>
  stats(): ExtensionStats[]
  /** Idempotent. */
  close(): Promise<void>
}

export function createLoadedExtensions(options: LoadedExtensionsOptions): LoadedExtensions {
  const { home, settings, credentials, refresh, env, open, limits, log, changed, lookup } = options
  const installed = createInstalledExtensions(home)
  const hosts = new Map<string, ExtensionHost>()
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

  function createHost(
    extension: Pick<InstalledExtension, 'package' | 'granted'>,
    others: readonly Manifest[],
  ): ExtensionHost {
    return createExtensionHost({
      package: extension.package,
      granted: extension.granted,
      settings,
      credentials,
      env,
      cacheFolder: home.cache,
      open,
      limits,
      log,
      ownsName: provider => ownsName(extension.package.manifest.id, provider, others),
      ...(lookup && { lookup }),
    })
  }

  /** Of what is installed and what is loaded besides. */
  function manifestsOf(extensions: readonly InstalledExtension[]): Manifest[] {
    return [...extensions.map(one => one.package.manifest), ...[...hosts.values()].map(host => host.manifest)]
  }

  async function replaceHost(host: ExtensionHost): Promise<void> {
    if (closed) throw wasClosed()
    const before = hosts.get(host.id)
    hosts.set(host.id, host)
    loading = undefined
    changed(host.manifest.providers.map(({ id }) => id))
    await before?.close()
  }

  /** What runs with permissions that it no longer has is ended; it is loaded anew when it is needed. */
  async function unload(id: string): Promise<void> {
    const host = hosts.get(id)
    hosts.delete(id)
    loading = undefined
    if (host) changed(host.manifest.providers.map(({ id }) => id))
    await host?.close()
  }

  async function loadInstalled(): Promise<Catalogue> {
    const blocked: BlockedExtension[] = []
    const extensions = await installed.list()
    const known = manifestsOf(extensions)
    for (const extension of extensions) {
      const { id, providers } = extension.package.manifest
      if (hosts.has(id)) continue
      if (extension.state === 'ready') hosts.set(id, createHost(extension, known))
      else {
        const { problem = `"${id}" changed: run \`airlock install ${extension.source}\` to agree again` } =
          extension
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
      await replaceHost(createHost(extension, manifestsOf(await installed.list())))
      return extension
    },
    async load(folder, how = {}) {
      const read = await readPackage(folder)
      const granted = how.granted ?? read.manifest.permissions
      await replaceHost(createHost({ package: read, granted }, manifestsOf(await installed.list())))
    },
    catalogue() {
      if (closed) return Promise.reject(wasClosed())
      loading ??= loadInstalled().catch(error => {
        loading = undefined
        throw error
      })
      return loading
    },
    stats: () => [...hosts.values()].map(host => ({ id: host.id, ...host.stats() })),
    async close() {
      if (closed) return
      closed = true
      life.abort(wasClosed())
      await loading?.catch(() => {})
      // A rotated token that nobody waits for any more is still to be stored.
      await refresh.settled()
      await Promise.all([...hosts.values()].map(host => host.close()))
    },
  }
}

export function wasClosed(): ExtensionError {
  return new ExtensionError('extension-closed', '', 'Cannot go on: this airlock was closed')
}
