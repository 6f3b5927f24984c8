import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createMcpTools } from './mcp-tools.ts'

export interface McpHttpServer extends AsyncDisposable {
  url: string
  /** Headers of the requests that came. */
  headers: IncomingMessage['headers'][]
  readonly sessions: number
  /** Why calls were cancelled, as the client says. */
  cancelled: string[]
  /** Forgets every session, as a server that is started anew does. */
  forget(): void
  /** Cuts every connection. */
  cut(): void
}

/** A loopback server that speaks MCP over streamable HTTP. */
export async function startMcpHttp(port = 0): Promise<McpHttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const headers: IncomingMessage['headers'][] = []
  const cancelled: string[] = []
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    const session = request.headers['mcp-session-id']
    let transport = typeof session === 'string' ? sessions.get(session) : undefined
    if (session !== undefined && !transport) {
      response.writeHead(404).end('no such session')
      return
    }
    if (!transport) {
      const created = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => void sessions.set(id, created),
        onsessionclosed: id => void sessions.delete(id),
      })
      transport = created
      await createMcpTools({ cancelled: reason => cancelled.push(reason) }).connect(created as Transport)
    }
    await transport.handleRequest(request, response)
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers,
    cancelled,
    get sessions() {
      return sessions.size
    },
    forget: () => sessions.clear(),
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
