import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import type { LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompletionEvent } from '../../host/contract/events.ts'
import { createMemoryStore } from '../../host/credentials/memory-store.ts'
import { readPackage } from '../../host/extension/package.ts'
import type { Settings } from '../../host/home/settings.ts'
import { type Airlock, createAirlock, type ModelInfo } from '../../host/index.ts'
import { dangerouslyReplace } from '../../host/runtime/dangerous.ts'
import { createExtensionHost, type ExtensionHost } from '../../host/runtime/extension-host.ts'
import type { LogEntry } from '../../host/runtime/log.ts'
import { openProcess } from '../../host/sandbox/process-channel.ts'
import { openThread } from '../../host/sandbox/thread-channel.ts'
import {
  type Answer,
  type RecordedRequest,
  type ScriptedServer,
  startScriptedServer,
} from '../servers/scripted.ts'
import { repoRoot } from '../support/repo-root.ts'
import { type Attack, stoppedBy } from './attack.ts'
import { attacks } from './attacks/index.ts'
import { buildHostile, HOSTILE } from './build-hostile.ts'
import { createHonestStream, type HonestStream, honestAnswer } from './honest-stream.ts'

export type Isolation = 'thread' | 'process'

/** What one attack ended in: events, and the error that stopped them. */
export interface Ending {
  events: CompletionEvent[]
  error: unknown
}

/** Where attacks are run: a service that the user trusts, a canary that nobody may reach, a key, an honest stream. */
export interface Stage extends AsyncDisposable {
  readonly isolation: Isolation
  /** For files; gone afterwards. */
  readonly folder: string
  readonly airlock: Airlock
  /** Where the user told the provider under attack to go. `answers` decides what it says. */
  readonly service: ScriptedServer
  answers(answer: Answer | ((request: RecordedRequest) => Answer)): void
  /** An origin that nothing is granted for. Whatever comes here got out. */
  readonly canary: ScriptedServer
  /** The secret, which no guest may see. */
  readonly key: string
  readonly log: LogEntry[]
  /** Names that the resolver under test control knows: each list is one answer, the last stays. */
  readonly names: Map<string, string[][]>
  /** Loads the attack's extension, runs it, and checks what must hold whatever it tried. */
  perform(attack: Attack): Promise<string>
  /** Calls `models`; rejects with what stopped it. */
  models(): Promise<ModelInfo[]>
  /** A completion to its end, whichever that is. */
  complete(model?: string): Promise<Ending>
  /** Waits for a line of the log with this in it. */
  logged(text: string): Promise<string>
  /** The extension under attack, each export of which can be called. */
  openHost(): Promise<ExtensionHost>
  /** `complete`, for attacks that must end in an error. */
  completionError(model?: string): Promise<unknown>
}

/** Of the environment of the host: never a guest's. */
const ENV_SECRET = 'env-secret-5f1d3b9a7c'

export async function createStage(isolation: Isolation): Promise<Stage> {
  await using cleanup = new AsyncDisposableStack()
  const key = `sk-${randomBytes(24).toString('hex')}`
  const folder = await mkdtemp(join(tmpdir(), 'airlock-escape-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  await shareCache(folder)

  let answer: Answer | ((request: RecordedRequest) => Answer) = {}
  const service = cleanup.use(
    await startScriptedServer(request =>
      request.path.startsWith('/honest')
        ? honestAnswer()
        : typeof answer === 'function'
          ? answer(request)
          : answer,
    ),
  )
  const canary = cleanup.use(await startScriptedServer({ body: ['got out'] }))
  const log: LogEntry[] = []
  const names = new Map<string, string[][]>()
  const lookup: LookupFunction = (name, options, callback) => {
    const answers = names.get(name) ?? []
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    if (addresses.length === 0)
      return callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }

  let attacked = ''
  const providers: Record<string, Settings['providers'][string]> = {}
  for (const { id, providers: others = [] } of attacks) {
    // How the guest is told where the canary is.
    providers[id] = { apiUrl: service.url, availableModels: [{ name: canary.url, maxTokens: 1 }] }
    for (const other of others) providers[other] = { apiUrl: canary.url }
  }
  const credentials = createMemoryStore()
  const shared = {
    home: folder,
    env: { AIRLOCK_SECRET: ENV_SECRET, PATH: '/usr/bin' },
    isolation,
    credentials,
    log: (entry: LogEntry) => log.push(entry),
    [dangerouslyReplace]: { lookup },
  }
  const airlock = cleanup.use(
    await createAirlock({
      ...shared,
      settings: { providers },
      limits: { computeMs: 500, deaths: 1_000_000, answerEvents: 100_000, answerUnits: 16 << 20 },
    }),
  )
  // The honest one is not held to limits that were made small to save time.
  const honestAirlock = cleanup.use(
    await createAirlock({
      ...shared,
      settings: {
        providers: {
          'openai-compatible': {
            apiUrl: `${service.url}/honest`,
            availableModels: [{ name: 'm', maxTokens: 1000 }],
          },
        },
      },
    }),
  )
  await honestAirlock.load(join(repoRoot, 'extensions/openai-compatible'))
  let honest: HonestStream | undefined
  cleanup.defer(() => honest?.cancel())

  function leaked(what: string, value: unknown): void {
    for (const text of textsOf(value)) {
      if (text.includes(key)) throw new Error(`the key is in ${what}`)
      if (text.includes(ENV_SECRET)) throw new Error(`a variable of the environment is in ${what}`)
    }
  }

  const stage: Stage = {
    isolation,
    folder,
    airlock,
    service,
    answers: next => {
      answer = next
    },
    canary,
    key,
    log,
    names,
    async perform(attack) {
      attacked = attack.id
      answer = {}
      log.length = 0
      service.requests.length = 0
      names.clear()
      honest ??= createHonestStream(honestAirlock)
      const before = honest.events
      await credentials.set({ extension: HOSTILE, provider: attack.id }, key)
      const extension = await buildHostile(attack, folder, canary)
      const refused = await airlock.load(extension).then(
        () => undefined,
        (error: unknown) => stoppedBy(error),
      )
      if (refused !== undefined && attack.component === undefined) throw new Error(refused)
      const stopped = refused ?? (await attack.run(stage))
      if (canary.requests.length > 0) throw new Error(`it reached ${canary.requests[0]!.path} of the canary`)
      leaked('the log', log)
      leaked('the report', stopped)
      for (const { path, body } of service.requests)
        leaked('a request', `${decodeURIComponent(path)} ${body.toString()}`)
      await honest.expectUndisturbed(before)
      return stopped
    },
    async models() {
      const { models, failures } = await airlock.models({ provider: attacked })
      leaked('a list of models', models)
      if (failures[0]) {
        leaked('an error', failures[0].error)
        throw failures[0].error
      }
      return models
    },
    async complete(model = 'm') {
      const events: CompletionEvent[] = []
      const completion = airlock.complete({
        model: `${attacked}/${model}`,
        messages: [{ role: 'user', content: 'Go.' }],
      })
      let error: unknown
      try {
        for await (const event of completion) if (events.push(event) > 20_000) events.length = 1_000
      } catch (thrown) {
        error = thrown
      }
      leaked('an event', events)
      leaked('an error', error)
      return { events, error }
    },
    async logged(text) {
      for (;;) {
        const line = log.find(({ message }) => message.includes(text))
        if (line) return line.message
        await sleep(20)
      }
    },
    async openHost() {
      const extension = await readPackage(join(folder, 'hostile', attacked))
      return createExtensionHost({
        package: extension,
        granted: extension.manifest.permissions,
        settings: { providers, allowedEnv: {}, aliases: {} },
        credentials,
        env: {},
        cacheFolder: join(folder, 'cache'),
        ownsName: () => true,
        open: (isolation === 'thread' ? openThread : openProcess)(join(folder, 'cache')),
        limits: { computeMs: 100, deaths: 1_000_000 },
        log: entry => log.push(entry),
      })
    },
    async completionError(model) {
      const { error } = await stage.complete(model)
      if (error === undefined) throw new Error('the completion ended well')
      return error
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
  const moved = cleanup.move()
  return stage
}

/** Transpiled components depend on their bytes alone: once is enough for all runs. */
async function shareCache(home: string): Promise<void> {
  const shared = join(repoRoot, 'node_modules/.cache/airlock-tests')
  await mkdir(shared, { recursive: true, mode: 0o700 })
  await symlink(shared, join(home, 'cache'), 'dir')
  await writeFile(join(home, 'settings.json'), '{}')
}

/** Every text in a value, hidden fields, keys, causes and stacks of errors too. */
function* textsOf(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null || depth > 8) return
  for (const name of Object.getOwnPropertyNames(value)) {
    yield name
    yield* textsOf((value as Record<string, unknown>)[name], depth + 1)
  }
}
