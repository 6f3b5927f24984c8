// Runs in a process of its own (fork): tells its port, then serves one answer at the pace that the model id names.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { closing, events, HOLD, modelOf } from './answer.ts'

// Framed for `transfer-encoding: chunked` beforehand and written to the socket itself: node:http would
// join the writes of one turn of the event loop, and the pace would be lost.
const framed = [...events, closing].map(frame)
const whole = frame([...events, closing].join(''))

const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
      return
    }
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    answer(readModel(body), response)
  })
})

function answer(model: string, response: ServerResponse): void {
  const { socket } = response
  if (!socket) return
  response.writeHead(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' })
  response.flushHeaders()
  switch (model) {
    case modelOf('all at once'):
      socket.write(whole)
      response.end()
      return
    case modelOf('as fast as the socket goes'):
      writeAll(socket, response)
      return
    case modelOf('one a millisecond'):
      writePaced(socket, response)
      return
    case HOLD:
      socket.write(framed[0] ?? '')
      return
    default:
      response.end(`data: ${JSON.stringify({ error: { message: `no such model: ${model}` } })}\n\n`)
  }
}

function writeAll(socket: Socket, response: ServerResponse): void {
  let next = 0
  const more = () => {
    while (next < framed.length) {
      if (!socket.write(framed[next++] ?? '')) {
        socket.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

function writePaced(socket: Socket, response: ServerResponse): void {
  const start = performance.now()
  let next = 0
  // A timer is late now and then; what is due by then is written at once, so that the rate holds.
  const timer = setInterval(() => {
    const due = Math.min(framed.length, Math.floor(performance.now() - start))
    while (next < due) socket.write(framed[next++] ?? '')
    if (next < framed.length && !socket.destroyed) return
    clearInterval(timer)
    response.end()
  }, 1)
}

function frame(text: string): Buffer {
  const body = Buffer.from(text)
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
}

function readModel(body: unknown): string {
  const model = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined
  return String(model)
}

server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
process.once('disconnect', () => process.exit())
