import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What goes over the wire next: bytes in a write of their own, or a promise that the test keeps. */
export type Step = string | Uint8Array | PromiseLike<unknown>

export interface Answer {
  /** Default: 200. */
  status?: number
  /** Default: `content-type: text/event-stream`. A body is sent chunked unless `content-length` is set here. */
  headers?: Record<string, string | string[]>
  /** Each chunk is its own write in its own turn of the event loop, so that its cut reaches the client. */
  body?: Iterable<Step> | AsyncIterable<Step>
  /** After the body: end well (default), tear the connection down, or keep it open for ever. */
  ending?: 'end' | 'destroy' | 'hang'
}

/** `never`: the request is read, and not a byte comes back. */
export type Script = Answer | 'never'

export interface RecordedRequest {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingMessage['headers']
  body: Buffer
  /** Settles when the exchange is over: `finished`, or `client-gone` where the client closed first. */
  closed: Promise<'finished' | 'client-gone'>
  /** Body bytes handed to the socket so far. */
  bytesWritten: number
}

export interface ScriptedServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  url: string
  port: number
  /** In the order in which they came. */
  requests: RecordedRequest[]
  /** Connections open now. */
  connections(): Promise<number>
  /** The next request, or one that has come and was not taken yet. */
  nextRequest(): Promise<RecordedRequest>
  close(): Promise<void>
}

/**
 * A loopback HTTP server that says exactly what a test tells it to say.
 * One answer serves every request, a list serves them in order, and a function sees the request first.
 */
export async function startScriptedServer(
  script:
    | Script
    | readonly Script[]
    | ((request: RecordedRequest, index: number) => Script | Promise<Script>),
  options: {
    /** Default: one that is free. */
    port?: number
  } = {},
): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = []
  const waiting: ((request: RecordedRequest) => void)[] = []
  let taken = 0

  const answerTo = (request: RecordedRequest, index: number): Script | Promise<Script> => {
    if (typeof script === 'function') return script(request, index)
    if (!Array.isArray(script)) return script as Script
    return (
      (script as readonly Script[])[index] ??
      failure(`request ${index + 1} came, ${script.length} are scripted`)
    )
  }

  const server = createServer({ noDelay: true }, (incoming, response) => {
    void serve(incoming, response).catch((error: unknown) => {
      // A script that throws must show up in the test as more than a hang.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
      response.end(`the test's script failed: ${String(error)}`)
    })
  })

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = Promise.withResolvers<'finished' | 'client-gone'>()
    response.once('close', () => closed.resolve(response.writableFinished ? 'finished' : 'client-gone'))
    response.on('error', () => {})
    const body = await readAll(incoming)
    if (body === undefined) return
    const request: RecordedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body,
      closed: closed.promise,
      bytesWritten: 0,
    }
    const index = requests.push(request) - 1
    const waiter = waiting.shift()
    if (waiter) {
      taken++
      waiter(request)
    }
    const answer = await answerTo(request, index)
    if (answer !== 'never') await send(answer, request, response)
  }

  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function close(): Promise<void> {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    nextRequest() {
      const request = requests[taken]
      if (request) {
        taken++
        return Promise.resolve(request)
      }
      return new Promise(resolve => waiting.push(resolve))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function send(answer: Answer, request: RecordedRequest, response: ServerResponse): Promise<void> {
  const {
    status = 200,
    headers = { 'content-type': 'text/event-stream' },
    body = [],
    ending = 'end',
  } = answer
  response.writeHead(status, headers)
  for await (const step of body) {
    if (response.destroyed) return
    if (typeof step !== 'string' && !(step instanceof Uint8Array)) continue // for await has waited for it
    const bytes = typeof step === 'string' ? Buffer.from(step) : step
    if (bytes.length === 0) continue
    request.bytesWritten += bytes.length
    const room = response.write(bytes)
    // Client and server may share one event loop: two turns, for the first may end before it has polled.
    for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve))
    if (!room && response.writableNeedDrain) await drained(response)
  }
  if (response.destroyed || ending === 'hang') return
  if (ending === 'destroy') response.destroy()
  else response.end()
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
    if (response.destroyed) done()
  })
}

/** Undefined where the client went away inside its request. */
async function readAll(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks)
}

function failure(message: string): Answer {
  return {
    status: 500,
    headers: { 'content-type': 'text/plain' },
    body: [`the script has ended: ${message}`],
  }
}
