import { onTestFinished } from 'vitest'
import {
  type Airlock,
  type AirlockOptions,
  type CompletionEvent,
  createAirlock,
} from '../../../../host/index.ts'
import {
  type RecordedRequest,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../../servers/scripted.ts'
import { createTestHome } from '../../../support/home.ts'

export const messages = [{ role: 'user' as const, content: 'What is an airlock?' }]
export const ask = { model: 'openai-compatible/m', messages }

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const delta = (content: object, id = 'a') =>
  frame({ id, model: 'm', choices: [{ index: 0, delta: content }] })

/** Says only which answer it is. */
export const head = (id: string) => delta({ role: 'assistant', content: '' }, id)
export const text = (words: string, id = 'a') => delta({ content: words }, id)
const end = [
  frame({ id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  frame({ id: 'a', choices: [], usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } }),
  'data: [DONE]\n\n',
]

export const answer = (words = 'Two doors.', id = 'a'): Script => ({
  body: [head(id), text(words, id), ...end],
})

export function refusal(status: number, headers: Record<string, string> = {}, error: object = {}): Script {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [JSON.stringify({ error: { message: `Status ${status}`, ...error } })],
  }
}

/** Comes back in a moment. */
export const limited = refusal(429, { 'retry-after-ms': '1' })

export interface Setting {
  airlock: Airlock
  server: ScriptedServer
  /** Requests for a completion, in order. */
  asked: RecordedRequest[]
}

/** An airlock whose `openai-compatible` asks a service that follows the script. Both end with the test. */
export async function setUp(
  script:
    | Script
    | readonly Script[]
    | ((request: RecordedRequest, index: number) => Script | Promise<Script>),
  options: AirlockOptions = {},
  models: readonly string[] = ['m'],
): Promise<Setting> {
  const resources = new AsyncDisposableStack()
  onTestFinished(() => resources.disposeAsync())
  const asked: RecordedRequest[] = []
  const server = resources.use(
    await startScriptedServer(async request => {
      if (request.method === 'GET')
        return { headers: { 'content-type': 'application/json' }, body: ['{"data":[]}'] }
      const index = asked.push(request) - 1
      if (typeof script === 'function') return script(request, index)
      if (!Array.isArray(script)) return script as Script
      return (script as readonly Script[])[index] ?? refusal(500, {}, { message: 'the script has ended' })
    }),
  )
  const home = resources.use(await createTestHome({ serviceUrl: server.url, models }))
  const airlock = resources.use(await createAirlock({ home: home.folder, env: {}, ...options }))
  return { airlock, server, asked }
}

/** The model that a request asks for. */
export function modelOf({ body }: RecordedRequest): string {
  return (JSON.parse(body.toString()) as { model: string }).model
}

/** What a reader saw, and the error at the end. */
export async function read(
  completion: AsyncIterable<CompletionEvent>,
): Promise<{ events: CompletionEvent[]; error?: unknown }> {
  const events: CompletionEvent[] = []
  try {
    for await (const event of completion) events.push(event)
    return { events }
  } catch (error) {
    return { events, error }
  }
}
