import { join } from 'node:path'
import type { RequestMessage } from '../../../../host/contract/request.ts'
import { createMemoryStore } from '../../../../host/credentials/memory-store.ts'
import { type Airlock, type AirlockOptions, createAirlock, type NamedTool } from '../../../../host/index.ts'
import { answering } from '../../../conformance/bench.ts'
import { SUBJECTS } from '../../../conformance/extensions.ts'
import type { Piece, Received, ScriptedAnswer } from '../../../conformance/services/service.ts'
import { type RecordedRequest, type Script, startScriptedServer } from '../../../servers/scripted.ts'
import { createTestHome } from '../../../support/home.ts'
import { repoRoot } from '../../../support/repo-root.ts'

type Line = ScriptedAnswer | Script

/** An airlock before a service that says what a test tells it to, and refuses what the real one would. */
export interface Stage extends AsyncDisposable {
  airlock: Airlock
  model: string
  /** What the service says from now on, one line for each request. Forgets the requests that came before. */
  script(...lines: Line[]): void
  requests: RecordedRequest[]
  /** What the service understood of a request. @throws where it would have refused it */
  received(index: number): Received
  /** The service takes a next request that begins with these messages. */
  accepts(messages: readonly RequestMessage[]): Promise<Received>
}

export const call = (id: string, name: string, input: string): Piece => ({ call: { id, name, input } })
export const said = (text: string): ScriptedAnswer => ({ pieces: [{ text }], stop: 'end-turn' })
export const calling = (...pieces: Piece[]): ScriptedAnswer => ({ pieces, stop: 'tool-use' })
export const user = (content: string): RequestMessage => ({ role: 'user', content })

/** A tool of the program that needs no answer, and echoes. */
export const look: NamedTool = {
  id: 'look',
  description: 'Looks at a thing',
  inputSchema: { type: 'object', properties: { id: { type: 'number' } } },
  readOnly: true,
  invoke: ({ parameters }) => `saw ${JSON.stringify(parameters)}`,
}

export async function startStage(provider: string, options: AirlockOptions = {}): Promise<Stage> {
  const subject = SUBJECTS.find(one => one.provider === provider)!
  const { extension = provider, base = '', model, dialect, isNamed } = subject
  const resources = new AsyncDisposableStack()
  let lines: Line[] = []
  let requests: RecordedRequest[] = []
  const server = resources.use(
    await startScriptedServer((request): Script => {
      if (request.method === 'GET')
        return { status: 404, headers: { 'content-type': 'application/json' }, body: ['{"error":{}}'] }
      requests.push(request)
      const checked = dialect.schema.safeParse(JSON.parse(request.body.toString()))
      const refusal = checked.error?.issues
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('; ')
      const { headers = {}, body } = dialect.errorBody(400, refusal ?? 'the script has ended')
      const line = lines.shift()
      if (refusal !== undefined || line === undefined)
        return { status: 400, headers: { 'content-type': 'application/json', ...headers }, body: [body] }
      return line !== 'never' && 'pieces' in line ? answering(subject, line) : line
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
  const folder = join(repoRoot, 'extensions', extension)
  const home = resources.use(await createTestHome({ extensions: [folder], settings }))
  const airlock = resources.use(
    await createAirlock({
      home: home.folder,
      env: {},
      credentials: createMemoryStore([
        [{ extension, provider }, subject.credential?.(server.url) ?? 'sk-test'],
      ]),
      limits: { computeMs: 60_000 },
      retry: false,
      ...options,
    }),
  )
  const received = (index: number) => dialect.read(JSON.parse(requests[index]!.body.toString()))

  return {
    airlock,
    model: `${provider}/${model}`,
    script(...next) {
      lines = next
      requests = []
    },
    get requests() {
      return requests
    },
    received,
    async accepts(messages) {
      lines = [said('Fine.')]
      requests = []
      const tools = [{ name: look.id, description: look.description, inputSchema: look.inputSchema! }]
      const next = [...messages, user('And now?')]
      await airlock.complete({ model: `${provider}/${model}`, messages: next, tools }).result()
      return received(0)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The first frames of an answer, and then nothing more. */
export function breakingOff(provider: string, answer: ScriptedAnswer, ending: 'hang' | 'destroy'): Script {
  const subject = SUBJECTS.find(one => one.provider === provider)!
  const { headers } = answering(subject, answer)
  const frames = subject.dialect.stream(answer)
  return { headers: headers!, body: frames.slice(0, subject.dialect.needed(frames) - 1), ending }
}
