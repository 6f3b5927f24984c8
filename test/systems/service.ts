import { join } from 'node:path'
import { type Airlock, type AirlockOptions, createAirlock, createMemoryStore } from '../../host/index.ts'
import { SUBJECTS } from '../conformance/extensions.ts'
import type { Json, Received, ScriptedAnswer } from '../conformance/services/service.ts'
import type { Subject } from '../conformance/subject.ts'
import {
  type Answer,
  type RecordedRequest,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../servers/scripted.ts'
import { createTestHome } from '../support/home.ts'
import { repoRoot } from '../support/repo-root.ts'

/** An airlock with one sandboxed extension, and a service that answers it as the test says. */
export interface Service extends AsyncDisposable {
  airlock: Airlock
  subject: Subject
  server: ScriptedServer
  provider: string
  /** The model's id at the provider. */
  model: string
  /** What is answered to the completions from now on, in order. Forgets those before. */
  script(...scripts: (Script | ScriptedAnswer)[]): void
  /** What is answered to anything that is no completion, from now on. */
  list(answer: Answer): void
  /** The completions that were asked for since the last script. */
  asked(): readonly RecordedRequest[]
  /** The first of them, once it comes. */
  firstAsked(): Promise<RecordedRequest>
  /** One of them, checked against the service's own schema and read. Default: the last. */
  received(index?: number): Received
  body(index?: number): Json
  /** What was asked that is no completion. */
  listings(): readonly RecordedRequest[]
  /** Waits until no completion is left in the sandbox. */
  idle(): Promise<void>
}

export interface ServiceOptions extends Omit<AirlockOptions, 'home' | 'env'> {
  /** The user names the model in the settings. Default: as the subject has it. */
  isNamed?: boolean
  /** Default: one that is stored. */
  key?: string | null
}

export async function openService(provider: string, options: ServiceOptions = {}): Promise<Service> {
  const subject = SUBJECTS.find(one => one.provider === provider)
  if (!subject) throw new Error(`no subject "${provider}"`)
  const { extension = provider, model, base = '' } = subject
  const { isNamed = subject.isNamed ?? false, key = 'sk-of-the-test', ...airlockOptions } = options
  const resources = new AsyncDisposableStack()
  let scripts: readonly (Script | ScriptedAnswer)[] = []
  let listing: Answer = json(404, {})
  let asked: RecordedRequest[] = []
  let listings: RecordedRequest[] = []
  let came = Promise.withResolvers<RecordedRequest>()
  const server = resources.use(
    await startScriptedServer(request => {
      if (request.method !== 'POST') {
        listings.push(request)
        return listing
      }
      const script = scripts[asked.push(request) - 1]
      came.resolve(request)
      if (script === undefined) return json(418, { error: { message: 'more was asked than is scripted' } })
      return typeof script === 'object' && 'pieces' in script ? says(subject, script) : script
    }),
  )
  const settings = {
    providers: {
      [provider]: {
        apiUrl: `${server.url}${base}`,
        ...(isNamed && { availableModels: [{ name: model, maxTokens: 100_000 }] }),
      },
    },
  }
  const extensions = [join(repoRoot, 'extensions', extension)]
  const home = resources.use(await createTestHome({ extensions, settings }))
  const airlock = resources.use(
    await createAirlock({
      home: home.folder,
      env: {},
      credentials: createMemoryStore(key === null ? [] : [[{ extension, provider }, key]]),
      ...airlockOptions,
    }),
  )
  const body = (index = -1): Json => {
    const request = asked.at(index)
    if (!request) throw new Error(`the service was asked ${asked.length} times`)
    return JSON.parse(request.body.toString())
  }
  return {
    airlock,
    subject,
    server,
    provider,
    model,
    script(...next) {
      scripts = next
      asked = []
      came = Promise.withResolvers()
    },
    list(answer) {
      listing = answer
      listings = []
    },
    asked: () => asked,
    firstAsked: () => came.promise,
    body,
    received: index => subject.dialect.read(subject.dialect.schema.parse(body(index))),
    listings: () => listings,
    async idle() {
      while (airlock.stats().extensions.some(({ openCompletions }) => openCompletions > 0))
        await new Promise(resolve => setTimeout(resolve, 5))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** What the service says to `answer`. */
export function says(
  { dialect }: Subject,
  answer: ScriptedAnswer,
  change: (frames: string[]) => Partial<Answer> = () => ({}),
): Answer {
  const frames = dialect.stream(answer).map(String)
  return { headers: { 'content-type': dialect.contentType }, body: frames, ...change(frames) }
}

/** A refusal, as the service words it. */
export function refuses(
  { dialect }: Subject,
  status: number,
  message: string,
  more: Record<string, string> = {},
): Answer {
  const { headers, body } = dialect.errorBody(status, message)
  return { status, headers: { 'content-type': 'application/json', ...headers, ...more }, body: [body] }
}

/** An answer that is a JSON body. */
export function json(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: [JSON.stringify(body)] }
}
