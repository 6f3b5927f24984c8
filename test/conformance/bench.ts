import { join } from 'node:path'
import type { CompletionEvent } from '../../host/contract/events.ts'
import type { CompletionRequest } from '../../host/contract/request.ts'
import { createMemoryStore } from '../../host/credentials/memory-store.ts'
import { createAirlock } from '../../host/index.ts'
import type { CompletionResult } from '../../host/runtime/collect-result.ts'
import {
  type Answer,
  type RecordedRequest,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../servers/scripted.ts'
import { createTestHome } from '../support/home.ts'
import { repoRoot } from '../support/repo-root.ts'
import type { Frame, Received, ScriptedAnswer } from './services/service.ts'
import type { Subject } from './subject.ts'

/** What a caller saw of one completion, and what the service got. */
export interface Seen {
  events: readonly CompletionEvent[]
  result?: CompletionResult
  error?: unknown
  /** Requests for a completion, in order. */
  requests: readonly RecordedRequest[]
  /** The last of them, as the service understands it. @throws where its schema does not take it */
  received(): Received
}

/** An extension at work against a service of its own. */
export interface Bench extends AsyncDisposable {
  subject: Subject
  /** Whether a request says who asks, with the secret and not with what stands for it. */
  isSignedIn(request: RecordedRequest): boolean
  /** Asks with the request's messages, which `tag` has marked, and has it answered by the script. */
  ask(request: BenchRequest, script: Script | ((request: RecordedRequest) => Script)): Promise<Seen>
}

export type BenchRequest = Omit<CompletionRequest, 'model'>

let tags = 0
const KEY = 'sk-conformance-0123456789'
const TAG = /#cell-\d+#/

/** Starts an extension and its service. `limits` are those of `createAirlock`. */
export async function startBench(subject: Subject, limits: Record<string, number> = {}): Promise<Bench> {
  const { provider, extension = provider, model, base = '', isNamed = false, others, signedBy } = subject
  const resources = new AsyncDisposableStack()
  const scripts = new Map<string, (request: RecordedRequest) => Script>()
  const server: ScriptedServer = resources.use(
    await startScriptedServer((request): Script => {
      const tag = TAG.exec(request.body.toString())?.[0]
      const script = tag === undefined ? undefined : scripts.get(tag)
      if (script) return script(request)
      const list = others?.(server.url)[request.path.split('?')[0]!]
      const headers = { 'content-type': 'application/json' }
      return list === undefined
        ? { status: 404, headers, body: ['{"error":{"message":"Not found"}}'] }
        : { headers, body: [JSON.stringify(list)] }
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
  const key = subject.credential?.(server.url) ?? KEY
  const airlock = resources.use(
    await createAirlock({
      home: home.folder,
      env: {},
      credentials: createMemoryStore([[{ extension, provider }, key]]),
      limits,
    }),
  )

  return {
    subject,
    isSignedIn: ({ headers }) =>
      Object.values(headers).some(value =>
        signedBy ? signedBy.test(String(value)) : String(value).endsWith(KEY),
      ),
    async ask(request, script) {
      const tag = `#cell-${++tags}#`
      const requests: RecordedRequest[] = []
      scripts.set(tag, incoming => {
        requests.push(incoming)
        return typeof script === 'function' ? script(incoming) : script
      })
      const messages = [...request.messages]
      const last = messages.at(-1)!
      const text = { type: 'text' as const, text: tag }
      const content = typeof last.content === 'string' ? [{ ...text, text: last.content }] : last.content
      messages[messages.length - 1] = { ...last, content: [...content, text] }
      // What is proved is what one request brings.
      const completion = airlock.complete(
        { ...request, messages, model: `${provider}/${model}` },
        { retry: false },
      )
      const events: CompletionEvent[] = []
      const seen = { events, requests, received: () => readRequest(subject, requests.at(-1)) }
      try {
        for await (const event of completion) events.push(event)
        return { ...seen, result: await completion.result() }
      } catch (error) {
        return { ...seen, error }
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A script that answers as the service would, whole. */
export function answering(
  subject: Subject,
  answer: ScriptedAnswer,
  change?: (frames: Frame[]) => Answer['body'],
): Answer {
  const frames = subject.dialect.stream(answer)
  return { headers: { 'content-type': subject.dialect.contentType }, body: change?.(frames) ?? frames }
}

function readRequest({ dialect }: Subject, request: RecordedRequest | undefined): Received {
  if (!request) throw new Error('the service received no request')
  const body: unknown = JSON.parse(request.body.toString())
  const checked = dialect.schema.safeParse(body)
  if (!checked.success) {
    const [issue] = checked.error.issues
    throw new Error(
      `the service does not take this request: ${issue?.path.join('.')}: ${issue?.message}: ${request.body.toString().slice(0, 2_000)}`,
    )
  }
  return dialect.read(body)
}
