import { InvalidOptionError } from '../errors.ts'
import { originCovers } from './origins.ts'

/** What an extension asks for in its manifest, and, narrower or equal, what the user granted. */
export interface Permissions {
  /** Origins that requests may go to: `https://api.example.com`, or `https://*.example.com` for every name below. */
  network: string[]
  /** Environment variables that the guest may use without reading them: it gets a stand-in for the value. */
  env: string[]
  /** Environment variables whose value the guest may read. Never also in `env`. */
  plainEnv: string[]
  /** `use`: the guest gets a stand-in for the credential. `read`: it gets the credential itself. */
  credentials: 'use' | 'read'
  /**
   * Body fields where a stand-in may be swapped for the secret, in JSON objects and in forms: `client_secret`,
   * or `auth.key` for a field inside another. Elsewhere in a body a stand-in stays what it is.
   */
  bodyFields: string[]
  /** Origins that may be opened in the user's browser. */
  browser: string[]
  /** Tools of others that its own may call, by id. What the user decides about a tool holds for these calls too. */
  tools: string[]
  /** The most memory that one instance may have, in MiB. */
  memoryMiB: number
}

export type PermissionKind = keyof Permissions

/** One thing that is asked for beyond what is granted. */
export interface PermissionChange {
  kind: PermissionKind
  /** What is asked, e.g. `https://api.example.com`, `read`, `128`. */
  asked: string
  /** What is granted in its place, where that is something: `use` for credentials, the megabytes for memory. */
  granted?: string
  /** Both in one, e.g. `network:https://api.example.com`: the spelling that a permission is taken away by. */
  permission: string
}

/** Memory where a manifest names none, MiB: a QuickJS guest starts with 2 and a busy one stays under 40. */
export const DEFAULT_MEMORY_MIB = 64

/** Nothing at all; a component must still have memory to run in. */
export const noPermissions: Readonly<Permissions> = Object.freeze({
  network: [],
  env: [],
  plainEnv: [],
  credentials: 'use',
  bodyFields: [],
  browser: [],
  tools: [],
  memoryMiB: 0,
})

/** What is asked beyond what is granted; empty where the grant covers everything. */
export function widerThan(asked: Permissions, granted: Permissions): PermissionChange[] {
  const changes: PermissionChange[] = []
  const wider = (kind: PermissionKind, value: string, present?: string) =>
    changes.push({
      kind,
      asked: value,
      ...(present !== undefined && { granted: present }),
      permission: `${kind}:${value}`,
    })

  for (const origin of asked.network) if (!isCovered(origin, granted.network)) wider('network', origin)
  for (const name of asked.env)
    if (!granted.env.includes(name) && !granted.plainEnv.includes(name)) wider('env', name)
  for (const name of asked.plainEnv) if (!granted.plainEnv.includes(name)) wider('plainEnv', name)
  if (asked.credentials === 'read' && granted.credentials !== 'read') wider('credentials', 'read', 'use')
  for (const field of asked.bodyFields) if (!granted.bodyFields.includes(field)) wider('bodyFields', field)
  for (const origin of asked.browser) if (!isCovered(origin, granted.browser)) wider('browser', origin)
  for (const id of asked.tools) if (!granted.tools.includes(id)) wider('tools', id)
  if (asked.memoryMiB > granted.memoryMiB)
    wider('memoryMiB', `${asked.memoryMiB}`, granted.memoryMiB > 0 ? `${granted.memoryMiB}` : undefined)
  return changes
}

/** What both allow: the permissions that an extension runs with. */
export function intersect(asked: Permissions, granted: Permissions): Permissions {
  const both = (a: readonly string[], b: readonly string[]) => a.filter(value => b.includes(value))
  const plainEnv = both(asked.plainEnv, granted.plainEnv)
  // A value that one side lets the guest read and the other lets it use may be used.
  const usable = both([...asked.env, ...asked.plainEnv], [...granted.env, ...granted.plainEnv])
  return {
    network: commonOrigins(asked.network, granted.network),
    env: usable.filter(name => !plainEnv.includes(name)),
    plainEnv,
    credentials: asked.credentials === 'read' && granted.credentials === 'read' ? 'read' : 'use',
    bodyFields: both(asked.bodyFields, granted.bodyFields),
    browser: commonOrigins(asked.browser, granted.browser),
    tools: both(asked.tools, granted.tools),
    memoryMiB: Math.min(asked.memoryMiB, granted.memoryMiB),
  }
}

/** Every permission by the name that takes it away, e.g. `network:https://api.example.com`, `credentials:read`. */
export function listPermissions(permissions: Permissions): string[] {
  const { network, env, plainEnv, credentials, bodyFields, browser, tools } = permissions
  return [
    ...network.map(origin => `network:${origin}`),
    ...env.map(name => `env:${name}`),
    ...plainEnv.map(name => `plainEnv:${name}`),
    ...(credentials === 'read' ? ['credentials:read'] : []),
    ...bodyFields.map(field => `bodyFields:${field}`),
    ...browser.map(origin => `browser:${origin}`),
    ...tools.map(id => `tools:${id}`),
  ]
}

/**
 * The grant without one permission. Taking `plainEnv:NAME` away leaves `env:NAME`, as taking `credentials:read`
 * away leaves the use of the credential; `env:NAME` takes the variable away altogether.
 * @throws {InvalidOptionError} where the grant does not hold it; the message lists what it holds.
 */
export function withoutPermission(granted: Permissions, permission: string): Permissions {
  const held = listPermissions(granted)
  const colon = permission.indexOf(':')
  const kind = permission.slice(0, colon)
  const value = permission.slice(colon + 1)
  const takesPlainEnv = kind === 'env' && granted.plainEnv.includes(value)
  if (!held.includes(permission) && !takesPlainEnv) {
    const list = held.length > 0 ? `it holds ${held.join(', ')}` : 'it holds nothing that can be taken away'
    throw new InvalidOptionError(`Cannot take "${permission}" away: the grant does not hold it; ${list}`)
  }
  const rest = (values: readonly string[], from: PermissionKind) =>
    kind === from ? values.filter(other => other !== value) : [...values]
  return {
    network: rest(granted.network, 'network'),
    env: kind === 'plainEnv' ? [...granted.env, value] : rest(granted.env, 'env'),
    plainEnv: granted.plainEnv.filter(name => !(name === value && (kind === 'plainEnv' || kind === 'env'))),
    credentials: kind === 'credentials' ? 'use' : granted.credentials,
    bodyFields: rest(granted.bodyFields, 'bodyFields'),
    browser: rest(granted.browser, 'browser'),
    tools: rest(granted.tools, 'tools'),
    memoryMiB: granted.memoryMiB,
  }
}

function isCovered(origin: string, granted: readonly string[]): boolean {
  return granted.some(other => originCovers(other, origin))
}

/** The narrower of each pair that overlaps. */
function commonOrigins(asked: readonly string[], granted: readonly string[]): string[] {
  return [
    ...new Set([
      ...asked.filter(origin => isCovered(origin, granted)),
      ...granted.filter(origin => isCovered(origin, asked)),
    ]),
  ]
}
