import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { InvalidOptionError, PermissionDeniedError } from '../errors.ts'
import { forbiddenAddress, isLoopbackHost } from '../policy/addresses.ts'
import type { HttpLimits } from '../policy/limits.ts'

export interface Dispatchers {
  /** The connections for this URL. `setByUser`: the user named its origin, so it may be a private address. */
  for(url: URL, setByUser: boolean): Dispatcher
  /** Destroys every socket; what runs on one fails with `reason`. */
  destroy(reason: Error): Promise<void>
}

export interface DispatcherOptions {
  limits: HttpLimits
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read here, in either case. */
  env: NodeJS.ProcessEnv
  /** Default: the system's. */
  lookup?: LookupFunction
}

/** Long enough for the next turn of a chat; most services close an idle connection after a minute. */
const KEEP_ALIVE_MS = 30_000

/**
 * Connections by how far they are trusted. The address check stands in the lookup of the connector: what it lets
 * through is the very list that the socket connects to, so nothing can change in between.
 *
 * Through a proxy the name is resolved by the proxy, which also decides what it reaches; only literal addresses
 * and names of this machine are judged here (by `forbiddenHost`, before). Hosts in NO_PROXY are checked as ever.
 */
export function createDispatchers(options: DispatcherOptions): Dispatchers {
  const { limits, env, lookup = systemLookup as LookupFunction } = options
  const proxies = readProxies(env)
  const made = new Map<string, Dispatcher>()

  function make(setByUser: boolean, proxied: boolean): Dispatcher {
    const agentOptions: Agent.Options = {
      connect: { lookup: checkedLookup(lookup, setByUser), timeout: limits.connectMs },
      // One stream a socket: an abort destroys it, and the service knows at once.
      allowH2: false,
      connections: limits.maxConnectionsPerOrigin,
      maxHeaderSize: limits.maxResponseHeaderBytes,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // undici's own would end what thinks for long; `send` has timers of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    if (!proxied || proxies === undefined) return new Agent(agentOptions)
    try {
      return new EnvHttpProxyAgent({ ...agentOptions, ...proxies })
    } catch (cause) {
      throw new InvalidOptionError(
        'Cannot use the proxy of HTTP_PROXY or HTTPS_PROXY: it must be a URL such as http://proxy.example:8080',
        // A URL that does not parse is quoted in the error, and may hold a password.
        cause instanceof TypeError ? undefined : { cause },
      )
    }
  }

  return {
    for(url, setByUser) {
      const proxied = proxies !== undefined && !isLoopbackHost(url.hostname)
      const key = `${setByUser} ${proxied}`
      let dispatcher = made.get(key)
      if (dispatcher === undefined) {
        dispatcher = make(setByUser, proxied)
        made.set(key, dispatcher)
      }
      return dispatcher
    },
    async destroy(reason) {
      await Promise.all([...made.values()].map(dispatcher => dispatcher.destroy(reason)))
    },
  }
}

interface Proxies {
  httpProxy: string
  httpsProxy: string
  noProxy: string
}

function readProxies(env: NodeJS.ProcessEnv): Proxies | undefined {
  // Empty strings keep undici from looking into process.env by itself.
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY ?? ''
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY ?? ''
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? ''
  return httpProxy === '' && httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy }
}

function checkedLookup(lookup: LookupFunction, setByUser: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, [])
      const all = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found
      // A name that the user set may stand for any address but a metadata service, which no one names so.
      const allowed = all.filter(({ address }) => {
        const kind = forbiddenAddress(address)
        return kind === undefined || (setByUser && kind !== 'metadata')
      })
      const [first] = allowed
      if (first === undefined) {
        const kind = all[0] === undefined ? undefined : forbiddenAddress(all[0].address)
        return callback(denied(hostname, kind), [])
      }
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function denied(hostname: string, kind: string | undefined): Error {
  const reason =
    kind === undefined
      ? 'it resolves to no address'
      : `it resolves to a ${kind} address; only a URL that the user sets in settings.json may do so`
  return new PermissionDeniedError(`network: ${hostname}`, `Cannot reach "${hostname}": ${reason}`)
}
