import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { CallbackRequest } from './callback-request.ts'
import { PAGE_SECURITY_POLICY } from './page.ts'
import { SignInError } from './sign-in-error.ts'

export interface CallbackReply {
  status: number
  /** Default: no body. */
  html?: string
  /** Called once: the browser has the page, or has gone. */
  flushed?(): void
}

export interface CallbackServerOptions {
  /** Default: one that the system chooses. */
  port?: number | undefined
  /** Listen on ::1 as well, where this machine has it. Default: false. */
  ipv6?: boolean | undefined
  /** Called for every request that is HTTP. */
  handle(request: CallbackRequest): CallbackReply
}

/** Listens on the loopback addresses of this machine and nowhere else. */
export interface CallbackServer extends AsyncDisposable {
  readonly port: number
  /** A process that has nothing else to do may end. */
  unref(): void
  /** Frees the port at once; a page that is under way gets `FLUSH_MS` to arrive. */
  close(): Promise<void>
}

// A code may be a signed token of some kilobytes, with cookies of other programs on localhost around it.
const MAX_HEADER_BYTES = 64 * 1024
// Browsers open sockets ahead and leave them idle; a request on loopback takes milliseconds.
const REQUEST_MS = 10_000
// Only one browser is expected. More are strangers, and each costs a file descriptor.
const MAX_CONNECTIONS = 128
const FLUSH_MS = 1_000
// The chance that a port that is free on 127.0.0.1 is taken on ::1 is small.
const PORT_ATTEMPTS = 8

/**
 * Binds once and keeps the port: probing first and binding later would leave a gap for another program.
 * @throws {SignInError} `sign-in-port-in-use` or `sign-in-cannot-listen`
 */
export async function createCallbackServer(options: CallbackServerOptions): Promise<CallbackServer> {
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = []
    const open = new Set<Socket>()
    let background = false
    const track = (socket: Socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      if (background) socket.unref()
    }
    try {
      const v4 = createListener(options, track)
      servers.push(v4)
      await listen(v4, '127.0.0.1', options.port ?? 0)
      const { port } = v4.address() as AddressInfo
      if (options.ipv6) {
        const v6 = createListener(options, track)
        if (await listenWhereThere(v6, port)) servers.push(v6)
      }
      let closing: Promise<void> | undefined
      const close = () => (closing ??= closeAll(servers, open))
      return {
        port,
        unref() {
          background = true
          for (const server of servers) server.unref()
          for (const socket of open) socket.unref()
        },
        close,
        [Symbol.asyncDispose]: close,
      }
    } catch (error) {
      await closeAll(servers, open)
      const inUse = codeOf(error) === 'EADDRINUSE'
      if (inUse && options.port === undefined && attempt < PORT_ATTEMPTS) continue
      throw toSignInError(error, options.port)
    }
  }
}

function createListener(options: CallbackServerOptions, track: (socket: Socket) => void): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: REQUEST_MS / 2,
    },
    (request, response) => {
      request.resume() // A body means nothing here.
      const { method = '', url: target = '', headers } = request
      reply(response, options.handle({ method, target, headers }))
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', track)
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  return server
}

function reply(response: ServerResponse, { status, html, flushed }: CallbackReply): void {
  const body = Buffer.from(html ?? '')
  response.writeHead(status, {
    // One request a connection: then nothing idle holds the port's last sockets.
    Connection: 'close',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 && { Allow: 'GET' }),
    ...(html !== undefined && {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': PAGE_SECURITY_POLICY,
    }),
    ...(status !== 204 && { 'Content-Length': String(body.length) }),
  })
  if (flushed !== undefined) {
    let told = false
    const tell = () => {
      if (told) return
      told = true
      flushed()
    }
    response.once('finish', tell)
    response.once('close', tell)
  }
  response.end(body)
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port, exclusive: true, ipv6Only: host === '::1' })
  await once(server, 'listening')
  // E.g. no file descriptor left for a connection: that connection is lost, the next may succeed.
  server.on('error', () => {})
}

/** False where this machine has no ::1. A port that is taken there is an error, so that another is tried. */
async function listenWhereThere(server: Server, port: number): Promise<boolean> {
  try {
    await listen(server, '::1', port)
    return true
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') throw error
    return false
  }
}

async function closeAll(servers: readonly Server[], open: ReadonlySet<Socket>): Promise<void> {
  const closed = servers
    .filter(server => server.listening)
    .map(server => {
      const closing = once(server, 'close')
      server.close()
      return closing
    })
  for (const socket of open) {
    // Bytes that have left this process still arrive; destroying a socket that writes would cut them off.
    if (socket.bytesWritten === 0) socket.destroy()
  }
  const timer = setTimeout(() => {
    for (const socket of open) socket.destroy()
  }, FLUSH_MS)
  await Promise.all(closed)
  clearTimeout(timer)
}

function toSignInError(error: unknown, port: number | undefined): SignInError {
  if (port !== undefined && codeOf(error) === 'EADDRINUSE') {
    return new SignInError(
      'sign-in-port-in-use',
      `Cannot wait for the sign-in on port ${port}: another program uses it, and the service allows no other; end that program (or an earlier sign-in) and try again`,
      { cause: error },
    )
  }
  return new SignInError(
    'sign-in-cannot-listen',
    `Cannot wait for the sign-in on 127.0.0.1${port === undefined ? '' : `:${port}`}: the system refuses it (${codeOf(error)})`,
    { cause: error },
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
