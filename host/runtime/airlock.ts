import { isDeepStrictEqual } from 'node:util'
import type { CacheConfiguration, ModelInfo, ProviderInfo } from '../contract/models.ts'
import { type AnswerSchema, type CompletionRequest, parseRequest } from '../contract/request.ts'
import type { SignInOption } from '../contract/sign-in.ts'
import { toGuestRequest } from '../contract/to-guest.ts'
import { createDefaultStore } from '../credentials/default-store.ts'
import { createReplayStore } from '../credentials/replay-store.ts'
import type { InstalledExtension, InstalledExtensions, InstallOptions } from '../extension/installed.ts'
import { resolveHome } from '../home/home.ts'
import { readSettings, writeSetting } from '../home/settings.ts'
import { watchSettings } from '../home/watch-settings.ts'
import type { Permissions } from '../policy/permissions.ts'
import { createTelemetry } from '../telemetry/create-telemetry.ts'
import { createTools } from '../tools/create-tools.ts'
import { mcpServer } from '../tools/mcp/mcp-server.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import {
  type AirlockOptions,
  channelFor,
  KNOWN_OPTIONS,
  openTape,
  withOwnSettings,
} from './airlock-options.ts'
import { type ListOptions, MODELS_AGE_MS } from './catalogue.ts'
import { checkOptionNames } from './check-option-names.ts'
import { complete } from './complete.ts'
import { type CompleteOptions, checkCompleteOptions } from './complete-options.ts'
import type { Completion } from './completion.ts'
import { countTokens, type TokenCount } from './count-tokens.ts'
import { dangerouslyReplace } from './dangerous.ts'
import { chooseDefault, noDefaultModel } from './default-model.ts'
import { createLoadedExtensions, type ExtensionStats, wasClosed } from './loaded-extensions.ts'
import { resolveLog } from './log.ts'
import { createModelChanges, type ModelsChange } from './model-changes.ts'
import { checkModelFilter, type ModelFilter } from './model-filter.ts'
import type { ModelList } from './model-lists.ts'
import { cacheConfigurationOf, isAuthenticated, readSettingsMarkdown } from './provider-facts.ts'
import { createCredentialRefresh } from './refresh.ts'
import { createRateLimiter } from './retry/rate-limiter.ts'
import { resolveRetry } from './retry/retry-policy.ts'
import { createRun } from './run/create-run.ts'
import type { Run, RunOptions, RunRequest } from './run/run.ts'
import { readSignInOptions, type SignInRequest, type SignInResult, signIn } from './sign-in.ts'
import { type SignOutResult, signOut } from './sign-out.ts'
import { type AirlockStatus, readStatus } from './status.ts'
import type { AnswerOf, WrittenOf } from './structured/answer-types.ts'

/** Nobody is spared by waiting for a recording. */
const REPLAY_WAIT_MS = 10

/** Loads extensions and talks to models through them. */
export interface Airlock extends AsyncDisposable {
  /** What is installed: list, remove, permissions, revoke. */
  readonly extensions: InstalledExtensions
  /** Installs an extension and loads it. `agree` is shown what it wants to be allowed. */
  install(source: string, options: InstallOptions): Promise<InstalledExtension>
  /**
   * Loads an extension's folder for the life of this object, without installing it: the caller vouches for it.
   * `granted` narrows what its manifest asks for.
   */
  load(folder: string, options?: { granted?: Permissions }): Promise<void>
  /** The tools that there are: the program's own, those of extensions and of MCP servers. */
  readonly tools: ToolRegistry
  providers(): Promise<ProviderInfo[]>
  /**
   * Asks the services for their models, those of all or of those that `filter` names. One provider's failure never
   * hides the others'.
   * @throws {InvalidOptionError} where the filter names what there is not.
   */
  models(filter?: ModelFilter, options?: ListOptions): Promise<ModelList>
  /**
   * One model that fits: the user's default where it is among them, else a provider's own default, else the first.
   * `fast` chooses where a quick, cheap answer is wanted.
   * @throws {UnknownNameError} where none fits.
   */
  selectModel(filter?: ModelFilter & { fast?: boolean }, options?: ListOptions): Promise<ModelInfo>
  /**
   * Input tokens of a request, or of a text as a user's message: the provider's own count where it has one, else an
   * estimate by a tokenizer of a common model, for images and files by their size.
   * @throws {ProviderError} where the provider counts and could not be asked
   */
  countTokens(
    model: string,
    what: string | Omit<CompletionRequest, 'model'>,
    options?: { signal?: AbortSignal },
  ): Promise<TokenCount>
  /** Tells when models may not be what they were: after signing in or out, and when settings or an extension change. */
  onModelsChange(listener: (change: ModelsChange) => void): Disposable
  /**
   * Begins a completion. Never throws: what is wrong reaches the reader of the events or of `result()`.
   */
  complete<Schema extends AnswerSchema = never>(
    request: CompletionRequest<Schema>,
    options?: CompleteOptions,
  ): Completion<AnswerOf<Schema>, WrittenOf<Schema>>
  /**
   * Completes, runs the tools that the model calls, tells it what came of them, and so on until it calls none. Never
   * throws: what is wrong reaches the reader of the events or of `result()`.
   */
  run(request: RunRequest, options?: RunOptions): Run
  /** The ways in that a provider offers; none where it needs no signing in. */
  signInOptions(provider: string): Promise<SignInOption[]>
  /**
   * Signs in to a provider, by a form, in the browser or with a device code; `ui` shows and asks. Afterwards the
   * service is asked for its models.
   * @throws {SignInError} it was denied, ran out of time, or could not begin
   * @throws {ProviderError} what the service or the extension said
   */
  signIn(provider: string, request: SignInRequest): Promise<SignInResult>
  /** Whether its extension has what it needs to be asked. Asks no service: a key may still be refused. */
  isAuthenticated(provider: string): Promise<boolean>
  /** What its extension says of its settings, for a settings page. Markdown from a stranger: render it without HTML. */
  settingsMarkdown(provider: string): Promise<string | undefined>
  /** How the model's service caches prompts. Absent where cache anchors mean nothing to it. */
  cacheConfiguration(model: string): Promise<CacheConfiguration | undefined>
  /** Forgets the credential, after the extension has told its service. */
  signOut(provider: string, options?: { signal?: AbortSignal }): Promise<SignOutResult>
  /** Who is signed in, how and since when, and where each key comes from. Holds no secret, starts no extension. */
  status(): Promise<AirlockStatus>
  stats(): { extensions: ExtensionStats[] }
  /** Ends everything that runs and frees what it held. Idempotent. */
  close(): Promise<void>
}

/**
 * @throws {InvalidFileError} where `settings.json` is not valid.
 * @throws {InvalidOptionError} where an option is not.
 */
export async function createAirlock(options: AirlockOptions = {}): Promise<Airlock> {
  checkOptionNames(options, Object.keys(KNOWN_OPTIONS), 'create an airlock')
  const { env = process.env } = options
  const log = resolveLog(options.log)
  const warn = (message: string) => log({ level: 'warn', message, time: Date.now() })
  const telemetry = createTelemetry({
    openTelemetry: options.telemetry,
    onEvent: options.onEvent,
    write: options.log && ((level, message, facts) => log({ level, message, ...facts, time: Date.now() })),
    warn,
  })
  const home = resolveHome({ ...(options.home !== undefined && { home: options.home }), env })
  let settings = withOwnSettings(await readSettings(home.settingsFile), options)
  const isolation = options.isolation ?? settings.isolation ?? 'thread'
  const { lookup, channel } = options[dangerouslyReplace] ?? {}
  const ownChannel = channelFor(isolation, home.cache)
  const open = channel?.(ownChannel) ?? ownChannel
  const tape = openTape(options)
  const credentials =
    options.credentials ??
    (options.replay === undefined
      ? createDefaultStore({ home, env, notice: options.notice ?? warn })
      : createReplayStore())
  const refresh = createCredentialRefresh(credentials, log)
  resolveRetry(options.retry)
  const limiter = createRateLimiter({ ...settings.rateLimits, ...options.rateLimits })
  const running = new Set<Completion>()
  const modelChanges = createModelChanges(error =>
    warn(
      `What listens to changes of models failed: ${error instanceof Error ? error.message : String(error)}`,
    ),
  )
  modelChanges.onChange(({ providers }) => telemetry.tell({ type: 'models-changed', providers }))
  const tools = createTools({
    settings: () => settings.tools,
    toolPolicy: options.toolPolicy,
    confirmTool: options.confirmTool,
    remember: key => writeSetting(home.settingsFile, ['tools', key], 'allow'),
    discover: () => extensions.discoverTools(),
    observers: telemetry.observers,
    warn,
  })
  const extensions = createLoadedExtensions({
    home,
    settings,
    credentials,
    refresh,
    env,
    open,
    limits: settings.limits ?? {},
    log,
    idle: () => whenOver([...running], completion => running.has(completion)),
    changed: modelChanges.changed,
    tape,
    tools: tools.registry,
    ...(lookup && { lookup }),
  })
  const { installed, catalogue } = extensions
  for (const [name, server] of Object.entries(settings.mcpServers ?? {})) {
    const source = `mcp:${name}`
    const tell = (level: 'info' | 'warn', message: string) =>
      log({ level, extension: source, message, time: Date.now() })
    tools.registry.add(mcpServer({ name, ...server }, { env, log: tell }))
  }
  /** Providers, variables, aliases and defaults of a changed file count at once; the rest when an airlock is made. */
  async function readSettingsAgain(): Promise<void> {
    try {
      const next = withOwnSettings(await readSettings(home.settingsFile), options)
      if (isDeepStrictEqual(next, settings)) return
      settings = next
      await extensions.applySettings(next)
    } catch (error) {
      warn(`The settings stay as they were: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const watching = watchSettings(home.settingsFile, () => void readSettingsAgain())
  async function close(): Promise<void> {
    watching[Symbol.dispose]()
    await Promise.all([tools.close(), extensions.close()])
    // Those that wait: for another attempt, or for their turn.
    for (const completion of running) completion.cancel(wasClosed())
  }

  const airlock: Airlock = {
    extensions: installed,
    tools: tools.registry,
    install: extensions.install,
    load: extensions.load,
    providers: async () => (await catalogue()).providers(),
    models: async (filter = {}, how = {}) => (await catalogue()).models(checkModelFilter(filter), how),
    async selectModel({ fast = false, ...filter } = {}, how = {}) {
      const list = await (await catalogue()).models(checkModelFilter(filter), {
        maxAgeMs: MODELS_AGE_MS,
        ...how,
      })
      const chosen = chooseDefault(list.models, fast, settings.defaults)
      if (!chosen) throw noDefaultModel(list, 'this choice')
      return chosen
    },
    onModelsChange: modelChanges.onChange,
    async countTokens(model, what, how = {}) {
      const counted =
        typeof what === 'string' ? { messages: [{ role: 'user' as const, content: what }] } : what
      const request = toGuestRequest(parseRequest({ ...counted, model }))
      const target = await (await catalogue()).resolve(model)
      return countTokens(target, request, { withCredential: refresh.withCredential, ...how })
    },
    complete(request, how = {}) {
      const observer = telemetry.completion({ request }, how.onRetry && { retry: how.onRetry })
      const completion = observer.within(() =>
        complete({
          asked: request,
          parse: () => ({ request: parseRequest(request), options: checkCompleteOptions(how) }),
          find: async model => (await catalogue()).resolve(model),
          withCredential: refresh.withCredential,
          limiter,
          retry: options.retry,
          ...(options.replay !== undefined && { longestWaitMs: REPLAY_WAIT_MS }),
          signal: how.signal,
          observer,
          running,
        }),
      )
      // What `object()` gives has been held to the request's own schema.
      return completion as Completion<never>
    },
    run(request, how = {}) {
      const { within, end: ended } = telemetry.run({ request })
      const host = { complete: airlock.complete, tools, ...(ended && { ended }) }
      return within(() => createRun(request, how, host))
    },
    signInOptions: async provider => readSignInOptions((await catalogue()).findProvider(provider)),
    async signIn(provider, request) {
      const known = await catalogue()
      const target = known.findProvider(provider)
      const result = await signIn(target, request, async () => {
        known.forget(target.reference)
        const { models, failures } = await known.models(
          { provider: target.reference },
          { signal: request.signal },
        )
        return { models, ...(failures[0] && { failure: failures[0].error }) }
      })
      modelChanges.changed([target.reference])
      telemetry.tell({ type: 'signed-in', provider: target.reference })
      return result
    },
    isAuthenticated: async provider => isAuthenticated((await catalogue()).findProvider(provider)),
    settingsMarkdown: async provider => readSettingsMarkdown((await catalogue()).findProvider(provider)),
    async cacheConfiguration(name) {
      const target = (await catalogue()).find(name)
      return cacheConfigurationOf(target, target.model)
    },
    async signOut(provider, how = {}) {
      const known = await catalogue()
      const target = known.findProvider(provider)
      const result = await signOut(target, credentials, how.signal)
      if (!result.wasSignedIn) return result
      known.forget(target.reference)
      modelChanges.changed([target.reference])
      telemetry.tell({ type: 'signed-out', provider: target.reference })
      return result
    },
    async status() {
      const { targets } = await catalogue()
      return readStatus({ targets, installed: await installed.list(), credentials, settings, env })
    },
    stats: () => ({ extensions: extensions.stats() }),
    close,
    [Symbol.asyncDispose]: close,
  }
  return airlock
}

// What runs on with settings of before is looked after this often.
const LOOK_MS = 100

async function whenOver<Item>(items: readonly Item[], isRunning: (item: Item) => boolean): Promise<void> {
  while (items.some(isRunning)) await new Promise(resolve => setTimeout(resolve, LOOK_MS).unref())
}
