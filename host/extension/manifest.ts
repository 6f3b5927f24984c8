import * as z from 'zod'
import { checkedJson } from '../home/checked-json.ts'
import { originProblem } from '../policy/origins.ts'
import { DEFAULT_MEMORY_MIB, type Permissions } from '../policy/permissions.ts'

/** The contract versions that this host speaks; an extension is built for one of them. */
export const CONTRACT_VERSIONS: readonly string[] = ['airlock:llm@0.1.0']

/** Bounds of `permissions.memoryMiB`: below the first no guest starts, and a wasm32 memory beyond the second is a mistake. */
const MIN_MEMORY_MIB = 4
const MAX_MEMORY_MIB = 1024
/** A sheet that a person is to read and agree to has an end. */
const MAX_ENTRIES = 64
const MAX_ID_CHARS = 64
const MAX_NAME_CHARS = 80
const MAX_PATH_CHARS = 200

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/

const id = z
  .string()
  .max(MAX_ID_CHARS, { error: `must have at most ${MAX_ID_CHARS} characters` })
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'must be lower-case letters, digits and single dashes' })

/** Shown to people, so it may hold nothing that moves a cursor or turns the reading direction around. */
const name = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(MAX_NAME_CHARS, { error: `must have at most ${MAX_NAME_CHARS} characters` })
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, { error: 'must hold no control or formatting characters' })

function relativePath(ending: 'wasm' | 'svg') {
  return z
    .string()
    .max(MAX_PATH_CHARS, { error: `must have at most ${MAX_PATH_CHARS} characters` })
    .regex(new RegExp(`^([A-Za-z0-9_@+-][A-Za-z0-9._@+-]*/)*[A-Za-z0-9_@+-][A-Za-z0-9._@+-]*\\.${ending}$`), {
      error:
        `must be the path of a .${ending} file inside the extension's folder, such as "dist/name.${ending}": ` +
        'letters, digits and ._@+- between slashes, no part that begins with a dot',
    })
}

const origin = z.string().superRefine((text, context) => {
  const problem = originProblem(text)
  if (problem) context.addIssue({ code: 'custom', message: problem, input: text })
})

const variable = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
    error: 'is not the name of an environment variable',
  })

const bodyField = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){0,7}$/, {
    error: 'must be the name of a body field, such as "client_secret" or "auth.key"',
  })

const toolId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
  error: 'must be 1 to 64 letters, digits, "_" and "-"',
})

function list(element: z.ZodString, description: string) {
  return z
    .array(element)
    .max(MAX_ENTRIES, { error: `must hold at most ${MAX_ENTRIES} entries` })
    .superRefine(refuseDuplicates(value => value))
    .describe(description)
}

/** Absent means nothing. */
const listOf = (element: z.ZodString, description: string) => list(element, description).default([])

const permissions = z
  .strictObject({
    network: listOf(
      origin,
      'Origins that requests may go to, such as "https://api.example.com"; "https://*.example.com" means every name below.',
    ),
    env: listOf(variable, 'Environment variables that may be used: the guest gets a stand-in for the value.'),
    plainEnv: listOf(
      variable,
      'Environment variables whose value the guest may read as it is. A name stands here or in "env", not in both.',
    ),
    credentials: z
      .enum(['use', 'read'])
      .default('use')
      .describe(
        '"use": the guest gets a stand-in for the credential. "read": it gets the credential itself.',
      ),
    bodyFields: listOf(
      bodyField,
      'Fields of JSON and form bodies where the host may put a secret in: "client_secret", or "auth.key" for one inside another.',
    ),
    browser: listOf(origin, "Origins that may be opened in the user's browser."),
    tools: listOf(toolId, 'Tools of others that its own may call, by id.'),
    memoryMiB: z
      .int()
      .min(MIN_MEMORY_MIB, { error: `must be at least ${MIN_MEMORY_MIB}` })
      .max(MAX_MEMORY_MIB, { error: `must be at most ${MAX_MEMORY_MIB}` })
      .default(DEFAULT_MEMORY_MIB)
      .describe('The most memory that one instance may have.'),
  })
  .superRefine(({ env, plainEnv }, context) => {
    const index = plainEnv.findIndex(variableName => env.includes(variableName))
    if (index !== -1)
      context.addIssue({
        code: 'custom',
        path: ['plainEnv', index],
        message: 'stands in "env" too: a variable is either used or read',
        input: plainEnv[index],
      })
  })
  .prefault({})

/** Where secrets of one provider may go is bounded further where an extension brings several. */
const provider = z.strictObject({
  id,
  name,
  icon: relativePath('svg').optional(),
  network: list(
    origin,
    "Where this provider's secrets may go, of permissions.network. Default: all of it.",
  ).optional(),
  env: list(
    variable,
    "The variables that hold this provider's key, of permissions.env. Default: all of them, for every provider.",
  ).optional(),
})

/** What `extension.json` may say. */
export const manifestSchema = z
  .strictObject({
    $schema: z.string().optional(),
    id: id.describe('Lower-case letters, digits and dashes; the folder it is installed under.'),
    name: name.describe('For people.'),
    version: z
      .string()
      .max(100)
      .regex(SEMVER, { error: 'must be a version such as "1.0.0"' })
      .describe('Semantic version.'),
    contract: z
      .string()
      .regex(new RegExp(`^(${CONTRACT_VERSIONS.map(version => version.replace(/\./g, '\\.')).join('|')})$`), {
        error: `is not a contract that this host speaks: it speaks ${CONTRACT_VERSIONS.join(' and ')}`,
      })
      .describe('The contract that the component was built for.'),
    component: relativePath('wasm').describe('The WebAssembly component, relative to this file.'),
    providers: z
      .array(provider)
      .max(MAX_ENTRIES, { error: `must hold at most ${MAX_ENTRIES} entries` })
      .superRefine(refuseDuplicates(provider => provider.id))
      .default([])
      .describe('The providers that it brings.'),
    tools: z
      .array(
        z.strictObject({
          id: toolId,
          name: name.optional(),
        }),
      )
      .max(MAX_ENTRIES, { error: `must hold at most ${MAX_ENTRIES} entries` })
      .superRefine(refuseDuplicates(tool => tool.id))
      .default([])
      .describe('The tools that it brings.'),
    permissions: permissions.describe('What it may reach. Absent means nothing.'),
  })
  .superRefine(({ providers, permissions: { network, env } }, context) => {
    for (const [index, own] of providers.entries()) {
      const refuse = (key: 'network' | 'env', values: readonly string[], allowed: readonly string[]) => {
        const value = values.find(other => !allowed.includes(other))
        if (value === undefined) return
        const path = ['providers', index, key, values.indexOf(value)]
        context.addIssue({ code: 'custom', path, message: `is not in permissions.${key}`, input: value })
      }
      refuse('network', own.network ?? [], network)
      refuse('env', own.env ?? [], env)
    }
  })
  .superRefine(({ providers, tools }, context) => {
    if (providers.length === 0 && tools.length === 0)
      context.addIssue({
        code: 'custom',
        path: ['providers'],
        message: 'is empty, and "tools" too: name what the extension brings',
      })
    // A component is of one world, and each world has its own imports: what brings tools never holds a secret.
    if (providers.length > 0 && tools.length > 0)
      context.addIssue({
        code: 'custom',
        path: ['tools', 0, 'id'],
        message: 'stands beside "providers": an extension brings one or the other, so make two of it',
        input: tools[0]?.id,
      })
  })
  .superRefine(({ tools, permissions }, context) => {
    const unfit = tools.length > 0 ? FOR_PROVIDERS : FOR_TOOLS
    for (const kind of unfit) {
      const value = permissions[kind]
      if (value === 'use' || value.length === 0) continue
      const whose = tools.length > 0 ? 'providers: no secret reaches a tool' : 'tools'
      context.addIssue({
        code: 'custom',
        path: ['permissions', kind, ...(typeof value === 'string' ? [] : [0])],
        message: `is for extensions that bring ${whose}`,
        input: typeof value === 'string' ? value : value[0],
      })
    }
  })

const FOR_PROVIDERS = ['env', 'plainEnv', 'credentials', 'bodyFields', 'browser'] as const
const FOR_TOOLS = ['tools'] as const

export type Manifest = Omit<z.output<typeof manifestSchema>, '$schema' | 'permissions'> & {
  permissions: Permissions
}

/**
 * Reads the text of an `extension.json`. What it does not ask for, it does not get: absent permissions are none.
 * @throws {InvalidFileError} `invalid-manifest`, naming the file, the key and what was expected.
 */
export function parseManifest(text: string, file: string): Manifest {
  const { $schema: _, ...manifest } = checkedJson(text, file, 'invalid-manifest', manifestSchema)
  return manifest
}

function refuseDuplicates<T>(key: (value: T) => string) {
  return (values: T[], context: z.RefinementCtx): void => {
    const seen = new Set<string>()
    for (const [index, value] of values.entries()) {
      if (seen.has(key(value)))
        context.addIssue({ code: 'custom', path: [index], message: 'is there twice', input: key(value) })
      seen.add(key(value))
    }
  }
}
