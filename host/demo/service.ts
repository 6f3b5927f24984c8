import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { answerTo, DEMO_MODELS, type DemoModel } from './answer.ts'
import { readChatRequest } from './chat-request.ts'
import { answerChunks, wholeAnswer } from './chunks.ts'
import { createSignInService, type SignInAnswer } from './sign-in-service.ts'

export interface DemoServiceOptions {
  /** Requests without `Authorization: Bearer <key>` get 401. Default: no key is asked for. */
  key?: string
  /**
   * Gives the key to whoever signs in with a device code: at `/oauth/device` and `/oauth/token`, confirmed on the page
   * `/device`, or by itself after this many milliseconds. Default: there is no signing in.
   */
  signIn?: { confirmAfterMs?: number }
  /** When the pieces of a streamed answer leave. Default: `'socket'`. */
  pacing?: Pacing
  /** Answer with exactly this many text pieces instead of words about the prompt. For measuring. */
  pieces?: number
  /** Default: 0, any free port. */
  port?: number
}

export type Pacing =
  /** Everything in one write. */
  | 'at-once'
  /** Each piece its own write, the next as soon as the socket takes it. */
  | 'socket'
  /** This many milliseconds between two pieces. */
  | { everyMs: number }

export interface DemoService extends AsyncDisposable {
  /** Base address that clients append `/chat/completions` to, e.g. `http://127.0.0.1:4711/v1`. */
  readonly url: string
  /** What came in, oldest first. */
  readonly requests: readonly ReceivedRequest[]
  close(): Promise<void>
}

export interface ReceivedRequest {
  method: string
  path: string
  headers: NodeJS.Dict<string | string[]>
  body: string
  /** `dropped`: the client closed the connection before the answer's end. */
  outcome: 'open' | 'answered' | 'dropped'
}

const MAX_BODY_BYTES = 16 * 1024 * 1024
/** A service that runs for days, or a bench, must not keep every request. */
const MAX_KEPT_REQUESTS = 1_000

/** A small OpenAI-compatible service on the loopback interface, with models that are a few rules each. */
export async function createDemoService(options: DemoServiceOptions = {}): Promise<DemoService> {
  const { key, signIn, pacing = 'socket', pieces, port = 0 } = options
  const requests: ReceivedRequest[] = []
  let served = 0

  const signInService =
    signIn &&
    createSignInService({
      accessToken: key ?? 'demo',
      page: () => `http://127.0.0.1:${portOf(server)}/device`,
      ...signIn,
    })
  const server: Server = createServer((incoming, response) => {
    void handle(incoming, response).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else sendError(response, 400, 'invalid_request_error', 'bad_request', error.message)
    })
  })

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://127.0.0.1').pathname
    const { method = 'GET', headers } = incoming
    const received: ReceivedRequest = { method, path, headers, body: '', outcome: 'open' }
    requests.push(received)
    if (requests.length > MAX_KEPT_REQUESTS) requests.shift()
    response.on('close', () => {
      received.outcome = response.writableFinished ? 'answered' : 'dropped'
    })
    received.body = await readBody(incoming)

    const answer = signInService?.answer(method, path, new URLSearchParams(received.body))
    if (answer) return sendSignIn(response, answer)

    if (key !== undefined && headers.authorization !== `Bearer ${key}`)
      return sendError(response, 401, 'authentication_error', 'invalid_api_key', 'The API key is not right.')
    if (path === '/v1/models' && method === 'GET')
      return sendJson(response, 200, { object: 'list', data: DEMO_MODELS.map(describe) })
    if (path === '/v1/chat/completions' && method === 'POST') return chat(received.body, response)
    sendError(response, 404, 'invalid_request_error', 'not_found', `There is no ${method} ${path} here.`)
  }

  async function chat(body: string, response: ServerResponse): Promise<void> {
    const request = readChatRequest(body)
    const model = DEMO_MODELS.find(({ id }) => id === request.model)
    if (!model) {
      const message = `The model "${request.model}" does not exist.`
      return sendError(response, 404, 'invalid_request_error', 'model_not_found', message)
    }
    const id = `chatcmpl-${++served}`
    const answer = pieces === undefined ? answerTo(request, model) : { text: 'word '.repeat(pieces) }
    const unlimited = pieces === undefined ? model : { ...model, maxOutputTokens: pieces }
    if (!request.stream) return sendJson(response, 200, wholeAnswer(answer, unlimited, request, id))
    const chunks = answerChunks(answer, unlimited, request, id)
    const frames = [...chunks.map(chunk => JSON.stringify(chunk)), '[DONE]'].map(data => `data: ${data}\n\n`)
    await sendFrames(response, frames, pacing)
  }

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  async function close(): Promise<void> {
    signInService?.close()
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The demo service has no port.')
  return address.port
}

function sendSignIn(response: ServerResponse, { status, body }: SignInAnswer): void {
  if (typeof body !== 'string') {
    sendJson(response, status, body)
    return
  }
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  response.end(body)
}

async function sendFrames(
  response: ServerResponse,
  frames: readonly string[],
  pacing: Pacing,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.socket?.setNoDelay(true)
  if (pacing === 'at-once') {
    response.end(frames.join(''))
    return
  }
  const closed = new AbortController()
  response.on('close', () => closed.abort())
  const { signal } = closed
  try {
    for (const frame of frames) {
      if (signal.aborted) return
      if (!response.write(frame)) await once(response, 'drain', { signal })
      // Writes of one turn would leave together.
      if (pacing === 'socket') await nextTurn()
      else await sleep(pacing.everyMs, undefined, { signal })
    }
    response.end()
  } catch (error) {
    // The client has gone; there is nobody to tell.
    if (!signal.aborted) throw error
  }
}

function describe(model: DemoModel) {
  return {
    id: model.id,
    object: 'model',
    created: 0,
    owned_by: 'airlock-demo',
    name: model.name,
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    architecture: { input_modalities: ['text'], output_modalities: ['text'] },
    supported_parameters: [
      'max_tokens',
      ...(model.tools ? ['tools', 'tool_choice'] : []),
      ...(model.reasoning ? ['reasoning'] : []),
    ],
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of incoming) {
    size += part.length
    if (size > MAX_BODY_BYTES) throw new Error(`The body is larger than ${MAX_BODY_BYTES} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function sendError(
  response: ServerResponse,
  status: number,
  type: string,
  code: string,
  message: string,
): void {
  sendJson(response, status, { error: { message, type, param: null, code } })
}
