import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RotatingTokens extends AsyncDisposable {
  url: string
  /** Exchanges that succeeded. */
  exchanges: number
  /** Somebody sent a token that had been exchanged: the whole family is dead, as RFC 9700, 4.14.2 has it. */
  isRevoked: boolean
}

/**
 * A token server on loopback. `POST /token` exchanges the token of its body for the next, `POST /use` says whether
 * one is good, `POST /meet` answers when `parties` have asked.
 */
export async function serveRotatingTokens(first: string, parties: number): Promise<RotatingTokens> {
  let good = first
  let waiting: ServerResponse[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = await text(request)
    switch (request.url) {
      case '/meet':
        waiting.push(response)
        if (waiting.length < parties) return
        for (const party of waiting) party.end()
        waiting = []
        return
      case '/token':
        if (token !== good) served.isRevoked = true
        if (served.isRevoked) {
          response.writeHead(400).end('{"error":"invalid_grant"}')
          return
        }
        good = `${first}-${++served.exchanges}`
        response.end(good)
        return
      case '/use':
        response.writeHead(token === good && !served.isRevoked ? 200 : 401).end()
        return
      default:
        response.writeHead(404).end()
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const served: RotatingTokens = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges: 0,
    isRevoked: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return served
}
