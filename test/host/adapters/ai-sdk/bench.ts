import { join } from 'node:path'
import { createMemoryStore } from '../../../../host/credentials/memory-store.ts'
import { type Airlock, createAirlock } from '../../../../host/index.ts'
import { SUBJECTS } from '../../../conformance/extensions.ts'
import type { Received, ScriptedAnswer } from '../../../conformance/services/service.ts'
import type { Subject } from '../../../conformance/subject.ts'
import {
  type Answer,
  type RecordedRequest,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../../servers/scripted.ts'
import { createTestHome } from '../../../support/home.ts'
import { repoRoot } from '../../../support/repo-root.ts'

/** An airlock with one sandboxed extension, and the service that it talks to. */
export interface Bench extends AsyncDisposable {
  airlock: Airlock
  subject: Subject
  server: ScriptedServer
  /** `<provider>/<model>`. */
  model: string
  /** What the service answers to the requests from now on, in order. Forgets the requests before. */
  script(...scripts: (Script | ((request: RecordedRequest) => Script))[]): void
  /** The requests for a completion since then. */
  requests(): readonly RecordedRequest[]
  /** One of them, checked against the service's own schema and read. Default: the last. */
  received(index?: number): Received
  body(index?: number): Record<string, unknown>
  /** Waits until no completion is left in the sandbox. */
  idle(): Promise<void>
}

export async function openBench(
  provider: string,
  {
    settings = {},
    listed,
  }: {
    settings?: Record<string, unknown>
    /** What the service's own list says of the model. Default: the settings name it. */
    listed?: Record<string, unknown>
  } = {},
): Promise<Bench> {
  const subject = SUBJECTS.find(one => one.provider === provider)
  if (!subject) throw new Error(`no subject "${provider}"`)
  const { extension = provider, model, base = '' } = subject
  const isNamed = subject.isNamed === true && !listed
  const resources = new AsyncDisposableStack()
  let scripts: readonly (Script | ((request: RecordedRequest) => Script))[] = []
  let asked: RecordedRequest[] = []
  const server = resources.use(
    await startScriptedServer(request => {
      const headers = { 'content-type': 'application/json' }
      // Its list of models, which some extensions read before their first completion.
      if (request.method !== 'POST') {
        const list = { data: [{ id: model, name: model, context_length: 100_000, ...listed }] }
        return listed ? { headers, body: [JSON.stringify(list)] } : { status: 404, headers, body: ['{}'] }
      }
      const count = asked.push(request)
      const script = scripts[count - 1] ?? {
        status: 418,
        headers,
        body: [`{"error":{"message":"request ${count} came, ${scripts.length} are scripted"}}`],
      }
      return typeof script === 'function' ? script(request) : script
    }),
  )
  const providers = {
    [provider]: {
      apiUrl: `${server.url}${base}`,
      ...(isNamed && { availableModels: [{ name: model, maxTokens: 100_000 }] }),
    },
  }
  const extensions = [join(repoRoot, 'extensions', extension)]
  const home = resources.use(await createTestHome({ extensions, settings: { providers, ...settings } }))
  const airlock = resources.use(
    await createAirlock({
      home: home.folder,
      env: {},
      credentials: createMemoryStore([[{ extension, provider }, 'sk-of-the-test']]),
    }),
  )
  const body = (index = -1): Record<string, unknown> => {
    const request = asked.at(index)
    if (!request) throw new Error(`the service was asked ${asked.length} times`)
    return JSON.parse(request.body.toString())
  }

  return {
    airlock,
    subject,
    server,
    model: `${provider}/${model}`,
    script(...next) {
      scripts = next
      asked = []
    },
    requests: () => asked,
    body,
    received: index => subject.dialect.read(subject.dialect.schema.parse(body(index))),
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
  change?: (frames: string[]) => Answer,
): Answer {
  const frames = dialect.stream(answer).map(String)
  const headers = { 'content-type': dialect.contentType }
  return { headers, ...(change?.(frames) ?? { body: frames }) }
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
