import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { describeIssue, knownKeys } from '../contract/describe-issue.ts'
import { nearestNames } from '../contract/nearest-names.ts'
import { InvalidFileError, InvalidOptionError, UnknownNameError } from '../errors.ts'
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '../policy/limits.ts'
import { checkedJson, checkedValue } from './checked-json.ts'
import { withLock } from './lock.ts'
import { mcpServerName, mcpServerSettings } from './mcp-settings.ts'
import { writePrivate } from './write-private.ts'

/** Settings are written by hand: anything longer is some other file. */
const MAX_SETTINGS_BYTES = 1024 * 1024

const tokens = z.int().positive({ error: 'must be more than 0' })

const apiUrl = z.string().superRefine((text, context) => {
  const url = URL.parse(text)
  const problem =
    url === null || !/^https?:$/.test(url.protocol)
      ? 'must be a URL that begins with http:// or https://'
      : url.username !== '' || url.password !== ''
        ? 'must hold no user name and no password: keep them with `airlock login`'
        : url.hash !== ''
          ? 'must not hold a "#"'
          : undefined
  if (problem) context.addIssue({ code: 'custom', message: problem, input: withoutUserinfo(text) })
})

const customModel = z.strictObject({
  /** What the service calls it. */
  name: z.string().min(1, { error: 'must not be empty' }),
  displayName: z.string().optional(),
  /** Input context window, tokens. */
  maxTokens: tokens,
  /** Longest answer, tokens. */
  maxOutputTokens: tokens.optional(),
  /** Tokens; absent leaves it to the provider. */
  thinkingBudget: tokens.max(0xffff_ffff, { error: 'must be below 2^32' }).optional(),
})

const providerSettings = z.strictObject({
  /** Where the service is. Reachable for this provider, loopback and plain http included, since the user said so. */
  apiUrl: apiUrl.optional(),
  availableModels: z.array(customModel).optional(),
})

const count = z.int().positive({ error: 'must be more than 0' })

const httpLimits = Object.fromEntries(
  Object.keys(DEFAULT_HTTP_LIMITS).map(name => [name, count.optional()]),
) as Record<keyof HttpLimits, z.ZodOptional<typeof count>>

/** What one extension may use up, of this machine and of the network. Absent leaves the default, which stands where the limit is enforced. */
const limits = z.strictObject({
  /** Longest that one call may compute, ms; waiting for the host does not count. */
  computeMs: count.optional(),
  /** Longest that a start may take, ms. */
  startMs: count.optional(),
  /** Memory of one instance, MiB, where it is less than what was granted. */
  memoryMiB: count.optional(),
  /** Longest frame of a body that is handed to the guest, bytes. */
  frameBytes: count.optional(),
  eventsPerCall: count.optional(),
  /** Size of one event, UTF-16 units. */
  eventUnits: count.optional(),
  logLinesPerSecond: count.optional(),
  /** Events of one answer. */
  answerEvents: count.optional(),
  /** Text of all events of one answer, UTF-16 units. */
  answerUnits: count.optional(),
  openCompletions: count.optional(),
  pendingRequests: count.optional(),
  /** Instances of one component. */
  instances: count.optional(),
  /** Deaths in a row after which an extension is held back. */
  deaths: count.optional(),
  ...httpLimits,
})

const modelReference = z
  .string()
  .regex(/^[^/]+\/.+$/s, { error: 'must be a model, as "<provider>/<model id>"' })

const settingsSchema = z.strictObject({
  /** By provider, as `<provider>` or `<extension>:<provider>`. */
  providers: record(providerSettings),
  /** By extension: the environment variables that it may use without asking again. */
  allowedEnv: record(
    z.array(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'is not the name of an environment variable' }),
    ),
  ),
  /** Short names for models: `{ "fast": "<provider>/<model id>" }`. */
  aliases: record(modelReference),
  /** The models that are meant where none is named. */
  defaults: z.strictObject({ model: modelReference.optional(), fast: modelReference.optional() }).optional(),
  /** What stands between an extension and this machine. */
  isolation: z.enum(['thread', 'process']).optional(),
  limits: limits.optional(),
  /** By provider: how much it is asked. */
  rateLimits: optionalRecord(
    z.strictObject({
      /** Completions at once. */
      concurrency: count.optional(),
      requestsPerMinute: count.optional(),
      /** Input and output together. */
      tokensPerMinute: count.optional(),
    }),
  ),
  /** What tools may run, by `<id>`, `<source>` or `<source>/<id>`; see `ToolPolicy`. */
  tools: optionalRecord(z.enum(['ask', 'allow', 'deny'])),
  /** MCP servers whose tools are offered, by name. One is started, or reached, when tools are first needed. */
  mcpServers: z.record(mcpServerName, mcpServerSettings).optional(),
})

export type Settings = z.output<typeof settingsSchema>
export type ProviderSettings = z.output<typeof providerSettings>
export type CustomModelSettings = z.output<typeof customModel>

/** The settings of someone who has written none. */
export function defaultSettings(): Settings {
  return settingsSchema.parse({})
}

/**
 * Reads `settings.json`. A file that is not there means the defaults.
 * @throws {InvalidFileError} `invalid-settings`, naming the file, the key, and what was expected.
 */
export async function readSettings(file: string): Promise<Settings> {
  return checkedJson(await readText(file), file, 'invalid-settings', settingsSchema)
}

/**
 * What a program says in place of the file.
 * @throws {InvalidOptionError} naming the key, and what was expected.
 */
export function overrideSettings(settings: Settings, own: Partial<Settings> = {}): Settings {
  const parsed = settingsSchema.safeParse({ ...settings, ...own }, { reportInput: true })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const options = { whole: 'settings', repeatsValues: true }
  throw new InvalidOptionError(
    `Cannot use these settings: ${issue ? describeIssue(issue, settingsSchema, options) : 'they are not valid'}`,
  )
}

/**
 * Sets one value of `settings.json`, e.g. at `['providers', 'openai-compatible', 'apiUrl']`, and keeps the rest.
 * `undefined` takes it out. The file is replaced as a whole or not at all.
 * @throws {UnknownNameError} `unknown-setting`, with the nearest known names, where `path` leads nowhere.
 * @throws {InvalidFileError} where the value does not fit, or the file was broken before.
 */
export async function writeSetting(file: string, path: readonly string[], value: unknown): Promise<void> {
  checkPath(path)
  await withLock(`${file}.lock`, async assertHeld => {
    const text = await readText(file)
    checkedJson(text, file, 'invalid-settings', settingsSchema)
    const whole = JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>
    const changed = setAt(whole, path, value)
    checkedValue(changed, file, 'invalid-settings', settingsSchema)
    assertHeld()
    await writePrivate(file, `${JSON.stringify(changed, null, 2)}\n`)
  })
}

async function readText(file: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '{}'
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new InvalidFileError('invalid-settings', file, `Cannot read ${file}: ${reason}`, { cause })
  }
  if (bytes.length > MAX_SETTINGS_BYTES)
    throw new InvalidFileError(
      'invalid-settings',
      file,
      `Cannot read ${file}: settings hold at most ${MAX_SETTINGS_BYTES} bytes: this file has ${bytes.length}`,
    )
  return bytes.toString('utf8')
}

function checkPath(path: readonly string[]): void {
  for (const [index, key] of path.entries()) {
    const known = knownKeys(settingsSchema, path.slice(0, index))
    const isOpen = known.length === 0
    if ((isOpen && key !== '__proto__' && key !== '') || known.includes(key)) continue
    const near = nearestNames(key, known)
    const hint = near[0] ? `did you mean "${near[0]}"?` : `known are ${known.join(', ')}`
    const name = path.slice(0, index + 1).join('.')
    throw new UnknownNameError('unknown-setting', `There is no setting "${name}": ${hint}`, near)
  }
  if (path.length === 0) throw new UnknownNameError('unknown-setting', 'Name a setting, e.g. "aliases.fast"')
}

function setAt(node: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (Array.isArray(node) && /^\d{1,4}$/.test(key))
    return node.toSpliced(Number(key), 1, ...withValue(setAt(node[Number(key)], rest, value)))
  const fields = typeof node === 'object' && node !== null && !Array.isArray(node) ? { ...node } : {}
  const held: Record<string, unknown> = fields
  const present = Object.hasOwn(held, key) ? held[key] : undefined
  const next = setAt(present, rest, value)
  if (next === undefined) delete held[key]
  else held[key] = next
  return held
}

function withValue(value: unknown): unknown[] {
  return value === undefined ? [] : [value]
}

/** As `record`, and absent where the user wrote nothing. */
function optionalRecord<V extends z.ZodType>(value: V) {
  return z
    .record(z.string(), value)
    .transform((entries): Record<string, z.output<V>> => Object.assign(Object.create(null), entries))
    .optional()
}

/** Names come from the user, and may be `constructor`: the record must hold nothing that the user did not write. */
function record<V extends z.ZodType>(value: V) {
  return z
    .record(z.string(), value)
    .default({})
    .transform((entries): Record<string, z.output<V>> => Object.assign(Object.create(null), entries))
}

function withoutUserinfo(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//...@')
}
