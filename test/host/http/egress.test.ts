import { getEventListeners, once } from 'node:events'
import { createServer as createTcpServer, type LookupFunction, type Server, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createPlaceholders, type Placeholders } from '../../../host/credentials/placeholders.ts'
import type { ResponseBody } from '../../../host/http/body.ts'
import {
  createEgress,
  type Egress,
  type EgressOptions,
  type OutgoingRequest,
} from '../../../host/http/egress.ts'
import { readBody } from '../../../host/http/read-body.ts'
import { parseNetworkRules, userNetworkRules } from '../../../host/policy/network.ts'
import { createGate } from '../../servers/gate.ts'
import { type Script, startScriptedServer } from '../../servers/scripted.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

function egressFor(origins: string[], options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({
    extension: 'acme',
    rules: [],
    userOrigins: origins,
    placeholders: createPlaceholders(),
    env: {},
    manifestFile: 'extensions/acme/extension.json',
    ...options,
  })
  open.push({ [Symbol.asyncDispose]: () => egress.close() })
  return egress
}

async function serverWith(script: Parameters<typeof startScriptedServer>[0]) {
  const server = await startScriptedServer(script)
  open.push(server)
  return server
}

/** A TCP server for what no HTTP server would say. */
async function tcpServer(onSocket: (socket: Socket) => void): Promise<{ url: string; server: Server }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, server }
}

function get(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return { method: 'get', url, headers: [], maxRedirects: 5, ...more }
}

async function textOf(body: ResponseBody): Promise<string> {
  return Buffer.from(await readBody(body, 100_000_000)).toString()
}

function failure(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  return promise.then(
    () => expect.fail('it was to fail'),
    (error: Error) => error,
  )
}

const closedPort = async () => {
  const { url, server } = await tcpServer(() => {})
  server.close()
  await once(server, 'close')
  server.listen = () => server
  return url
}

describe('createEgress send', () => {
  test('sends method, path, headers and body as they are, and reads the answer', async () => {
    const server = await serverWith({
      status: 201,
      headers: { 'content-type': 'text/plain', 'X-One': '1' },
      body: ['a', 'b'],
    })
    const egress = egressFor([server.url])
    const exchange = await egress.send({
      method: 'post',
      url: `${server.url}/v1/x?q=a%20b&q=c`,
      headers: [
        ['Content-Type', 'application/json'],
        ['x-many', '1'],
        ['x-many', '2'],
      ],
      body: Buffer.from('{"a":1}'),
      maxRedirects: 0,
    })
    expect(exchange.status).toBe(201)
    expect(exchange.url).toBe(`${server.url}/v1/x?q=a%20b&q=c`)
    expect(exchange.headers).toContainEqual(['x-one', '1'])
    expect(await textOf(exchange.body)).toBe('ab')
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v1/x?q=a%20b&q=c' })
    expect(request?.body.toString()).toBe('{"a":1}')
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '7',
      'x-many': '1, 2',
      'accept-encoding': 'identity',
      'user-agent': 'airlock',
    })
  })

  test('drops set-cookie', async () => {
    const server = await serverWith({ headers: { 'set-cookie': ['a=1', 'b=2'], 'x-a': '1' } })
    const exchange = await egressFor([server.url]).send(get(server.url))
    expect(exchange.headers.map(([name]) => name)).not.toContain('set-cookie')
    expect(exchange.headers).toContainEqual(['x-a', '1'])
    await textOf(exchange.body)
  })

  test('hands chunks over as they come', async () => {
    const gate = createGate()
    const server = await serverWith({ body: ['data: 1\n\n', gate.opened, 'data: 2\n\n'] })
    const { body } = await egressFor([server.url]).send(get(server.url))
    const seen: string[] = []
    await new Promise<void>((resolve, reject) =>
      body.pipe({
        data(chunk) {
          seen.push(Buffer.from(chunk).toString())
          gate.open()
        },
        end: resolve,
        error: reject,
      }),
    )
    expect(seen).toEqual(['data: 1\n\n', 'data: 2\n\n'])
  })

  test('reuses a connection', async () => {
    const server = await serverWith({ headers: { 'content-length': '1' }, body: ['x'] })
    const egress = egressFor([server.url])
    for (let i = 0; i < 5; i++) await textOf((await egress.send(get(server.url))).body)
    // undici needs a turn of the loop before it trusts a connection again, so two may take turns.
    expect(await server.connections()).toBeLessThan(3)
  })

  test('ignores 1xx and waits for the answer proper', async () => {
    const { url } = await tcpServer(socket =>
      socket.once('data', () =>
        socket.end(
          'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
        ),
      ),
    )
    const exchange = await egressFor([url]).send(get(url))
    expect(exchange.status).toBe(200)
    expect(await textOf(exchange.body)).toBe('ok')
  })
})

describe('createEgress failures', () => {
  test('connection refused: friendly, no query', async () => {
    const url = await closedPort()
    const error = await failure(egressFor([url]).send(get(`${url}/v1?key=secret-value`)))
    expect(error).toMatchObject({
      code: 'connect-failed',
      message: `Cannot reach ${url}: connection refused`,
    })
  })

  test('unknown host name', async () => {
    const lookup: LookupFunction = (hostname, _options, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), [])
    const error = await failure(
      egressFor(['http://nowhere.example'], { lookup }).send(get('http://nowhere.example')),
    )
    expect(error).toMatchObject({
      code: 'dns-failed',
      message: 'Cannot reach http://nowhere.example: no such host name',
    })
  })

  test.each<[string, Partial<EgressOptions['limits'] & object>, Script, string]>([
    ['before headers', { firstByteMs: 50 }, 'never', 'did not answer within 50 ms'],
    ['in the body', { idleMs: 50 }, { body: ['data: 1\n\n'], ending: 'hang' }, 'sent nothing for 50 ms'],
    ['in all', { totalMs: 50 }, { body: ['data: 1\n\n'], ending: 'hang' }, 'took longer than 50 ms'],
  ])('a server that hangs %s times out', async (_name, limits, script, message) => {
    const server = await serverWith(script)
    const egress = egressFor([server.url], { limits })
    const run = async () => textOf((await egress.send(get(server.url))).body)
    expect(await failure(run())).toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining(message),
    })
    expect(await server.requests[0]?.closed).toBe('client-gone')
  })

  test('a connection that is never made times out', async () => {
    const lookup: LookupFunction = () => {}
    const egress = egressFor(['http://slow.example'], { lookup, limits: { connectMs: 50 } })
    expect(await failure(egress.send(get('http://slow.example')))).toMatchObject({
      code: 'timed-out',
      message: 'Cannot reach http://slow.example: no connection within 50 ms',
    })
  })

  test.each([
    ['inside the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['before the headers', ''],
    ['inside a body of known length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n123'],
    ['inside a chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('a connection cut %s is lost', async (_name, bytes) => {
    const { url } = await tcpServer(socket => socket.once('data', () => socket.end(bytes)))
    const egress = egressFor([url])
    const run = async () => textOf((await egress.send(get(url))).body)
    expect(await failure(run())).toMatchObject({
      code: 'connection-lost',
      message: expect.stringContaining(url),
    })
  })

  test('what came before a cut is handed over first', async () => {
    const { url } = await tcpServer(socket =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
      ),
    )
    const { body } = await egressFor([url]).send(get(url))
    const seen: string[] = []
    const error = await new Promise<Error>(resolve =>
      body.pipe({
        data: chunk => void seen.push(Buffer.from(chunk).toString()),
        end: () => expect.fail('no end'),
        error: resolve,
      }),
    )
    expect(seen).toEqual(['hello'])
    expect(error).toMatchObject({ code: 'connection-lost' })
  })

  test('an answer that is not HTTP', async () => {
    const { url } = await tcpServer(socket =>
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6 secret-value\r\n\r\n')),
    )
    const error = await failure(egressFor([url]).send(get(url)))
    expect(error).toMatchObject({ code: 'invalid-response' })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-value')
  })

  test('headers without end', async () => {
    const { url } = await tcpServer(socket => {
      socket.on('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\n${`x-flood: ${'y'.repeat(1_000)}\r\n`.repeat(100)}`)
      })
    })
    expect(await failure(egressFor([url]).send(get(url)))).toMatchObject({ code: 'too-large' })
  })

  test('a server that speaks no TLS', async () => {
    const server = await serverWith({ body: ['x'] })
    const url = server.url.replace('http:', 'https:')
    expect(await failure(egressFor([url]).send(get(url)))).toMatchObject({
      code: 'tls-failed',
      message: expect.stringMatching(/no secure connection \([A-Z_]+\)$/),
    })
  })

  test('a body beyond the limit', async () => {
    const server = await serverWith({ body: ['x'.repeat(600), 'y'.repeat(600)], ending: 'hang' })
    const egress = egressFor([server.url], { limits: { maxBodyBytes: 1_000 } })
    const run = async () => textOf((await egress.send(get(server.url))).body)
    expect(await failure(run())).toMatchObject({ code: 'too-large' })
    expect(await server.requests[0]?.closed).toBe('client-gone')
  })

  test('readBody stops at its own limit and closes the connection', async () => {
    const server = await serverWith({ body: ['x'.repeat(2_000)], ending: 'hang' })
    const { body } = await egressFor([server.url]).send(get(server.url))
    expect(await failure(readBody(body, 1_000))).toMatchObject({ code: 'too-large' })
    expect(await server.requests[0]?.closed).toBe('client-gone')
  })

  test('close ends what is under way and refuses what comes', async () => {
    const server = await serverWith({ body: ['x'], ending: 'hang' })
    const egress = egressFor([server.url])
    const { body } = await egress.send(get(server.url))
    const text = failure(textOf(body))
    await egress.close()
    expect(await text).toMatchObject({ code: 'connection-lost' })
    expect(await server.requests[0]?.closed).toBe('client-gone')
    expect(await failure(egress.send(get(server.url)))).toMatchObject({ code: 'connection-lost' })
  })
})

describe('createEgress abort', () => {
  test('an aborted signal sends nothing', async () => {
    const server = await serverWith({ body: ['x'] })
    const reason = new Error('mine')
    await expect(
      egressFor([server.url]).send(get(server.url), { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason)
    expect(server.requests).toEqual([])
  })

  test('before the answer: the own reason, and the service sees it', async () => {
    const server = await serverWith('never')
    const controller = new AbortController()
    const sent = egressFor([server.url]).send(get(server.url), { signal: controller.signal })
    const request = await server.nextRequest()
    const reason = new Error('mine')
    controller.abort(reason)
    await expect(sent).rejects.toBe(reason)
    expect(await request.closed).toBe('client-gone')
  })

  test('in the body: the own reason, and the service sees it', async () => {
    const server = await serverWith({ body: ['x'], ending: 'hang' })
    const controller = new AbortController()
    const { body } = await egressFor([server.url]).send(get(server.url), { signal: controller.signal })
    const reason = new Error('mine')
    const ended = new Promise(resolve =>
      body.pipe({ data: () => controller.abort(reason), end: () => resolve('end'), error: resolve }),
    )
    expect(await ended).toBe(reason)
    expect(await server.requests[0]?.closed).toBe('client-gone')
  })

  test('while the body is paused', async () => {
    const server = await serverWith({ body: ['x'], ending: 'hang' })
    const controller = new AbortController()
    const { body } = await egressFor([server.url]).send(get(server.url), { signal: controller.signal })
    const ended = new Promise(resolve =>
      body.pipe({ data: () => {}, end: () => resolve('end'), error: resolve }),
    )
    body.pause()
    const reason = new Error('mine')
    controller.abort(reason)
    expect(await ended).toBe(reason)
    expect(await server.requests[0]?.closed).toBe('client-gone')
  })

  test('a body that is cancelled frees the socket and tells the sink once', async () => {
    const server = await serverWith({ body: ['x', 'y', 'z'], ending: 'hang' })
    const { body } = await egressFor([server.url]).send(get(server.url))
    const told: unknown[] = []
    const reason = new Error('enough')
    body.pipe({
      data: () => body.cancel(reason),
      end: () => told.push('end'),
      error: error => told.push(error),
    })
    expect(await server.requests[0]?.closed).toBe('client-gone')
    body.cancel(new Error('again'))
    expect(told).toEqual([reason])
  })

  test('one signal for 1,000 requests keeps its listener count', async () => {
    const scripts: Script[] = [
      { headers: { 'content-length': '1' }, body: ['x'] },
      { status: 302, headers: { location: '/next', 'content-length': '0' } },
      { status: 500, headers: { 'content-length': '0' } },
      { headers: { 'content-encoding': 'gzip' }, body: [gzipSync('x')] },
    ]
    const server = await serverWith((_, index) => scripts[index % scripts.length] ?? 'never')
    const refused = await closedPort()
    const egress = egressFor([server.url, refused])
    const { signal } = new AbortController()
    for (let i = 0; i < 250; i++) {
      await Promise.all([
        ...[1, 2, 3].map(async () => textOf((await egress.send(get(server.url), { signal })).body)),
        failure(egress.send(get(refused), { signal })),
      ])
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('createEgress back-pressure', () => {
  test('a reader that pauses stops the service', async () => {
    const chunk = 'x'.repeat(100_000)
    const server = await serverWith({ body: Array.from({ length: 500 }, () => chunk) })
    const { body } = await egressFor([server.url]).send(get(server.url))
    let bytes = 0
    let stalledAt = 0
    const ended = new Promise<void>((resolve, reject) =>
      body.pipe({
        data(piece) {
          bytes += piece.length
          if (stalledAt === 0) {
            stalledAt = bytes
            body.pause()
          }
        },
        end: resolve,
        error: reject,
      }),
    )
    // The service is done writing when nothing more has been written for a while of event-loop turns.
    let written = -1
    for (let quiet = 0; quiet < 50; ) {
      await new Promise(resolve => setTimeout(resolve, 2))
      const now = server.requests[0]?.bytesWritten ?? 0
      quiet = now === written ? quiet + 1 : 0
      written = now
    }
    expect(written).toBeLessThan(30_000_000)
    expect(bytes).toBe(stalledAt)
    body.resume()
    await ended
    expect(bytes).toBe(50_000_000)
  })

  test('a body that nobody pipes waits: the silence is ours, and no time-out of the service', async () => {
    const server = await serverWith({ body: Array.from({ length: 50 }, () => 'x'.repeat(100_000)) })
    const { body } = await egressFor([server.url], { limits: { idleMs: 1_000 } }).send(get(server.url))
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect((await textOf(body)).length).toBe(5_000_000)
  })
})

describe('createEgress content-encoding', () => {
  const text = 'data: hello 好\n\n'.repeat(2_000)
  test.each<[string, Buffer]>([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['Deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', Buffer.from(text)],
  ])('%s is decoded', async (coding, bytes) => {
    const server = await serverWith({
      headers: { 'content-encoding': coding },
      body: [bytes.subarray(0, 7), bytes.subarray(7, 8), bytes.subarray(8)],
    })
    const exchange = await egressFor([server.url]).send(get(server.url))
    expect(await textOf(exchange.body)).toBe(text)
  })

  test.each([
    ['gzip', gzipSync(text).subarray(0, 60), 'not valid gzip'],
    ['br', Buffer.from('this is no brotli'), 'not valid br'],
    ['compress', Buffer.from('x'), 'content-encoding'],
    ['gzip, gzip, gzip', Buffer.from('x'), 'content-encoding'],
  ])('%s that is broken or unknown is invalid-response', async (coding, bytes, message) => {
    const server = await serverWith({ headers: { 'content-encoding': coding }, body: [bytes] })
    const egress = egressFor([server.url])
    const run = async () => textOf((await egress.send(get(server.url))).body)
    expect(await failure(run())).toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining(message),
    })
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(20_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000))],
    ['zstd', zstdCompressSync(Buffer.alloc(20_000_000))],
  ])('a %s bomb is stopped', async (coding, bytes) => {
    const server = await serverWith({
      headers: { 'content-encoding': coding },
      body: [bytes],
      ending: 'hang',
    })
    const { body } = await egressFor([server.url]).send(get(server.url))
    let decoded = 0
    const ended = new Promise(resolve =>
      body.pipe({
        data(chunk) {
          decoded += chunk.length
        },
        end: () => resolve('end'),
        error: resolve,
      }),
    )
    expect(await ended).toMatchObject({ code: 'too-large' })
    expect(decoded).toBeLessThan(6_000_000)
    expect(await server.requests[0]?.closed).toBe('client-gone')
  })

  test('the answer to HEAD names a coding and has no body', async () => {
    const server = await serverWith({ headers: { 'content-encoding': 'gzip' } })
    const { body } = await egressFor([server.url]).send(get(server.url, { method: 'head' }))
    expect(await textOf(body)).toBe('')
  })

  test('abort reaches a body that is being decoded', async () => {
    const server = await serverWith({
      headers: { 'content-encoding': 'gzip' },
      body: [gzipSync('hello').subarray(0, 12)],
      ending: 'hang',
    })
    const controller = new AbortController()
    const { body } = await egressFor([server.url]).send(get(server.url), { signal: controller.signal })
    const text = failure(textOf(body))
    const reason = new Error('mine')
    controller.abort(reason)
    expect(await text).toBe(reason)
    expect(await server.requests[0]?.closed).toBe('client-gone')
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })
})

describe('createEgress redirects', () => {
  const redirect = (status: number, location: string): Script => ({
    status,
    headers: { location, 'content-length': '0' },
  })

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'body'],
    [307, 'POST', 'POST', 'body'],
    [308, 'POST', 'POST', 'body'],
    [303, 'HEAD', 'HEAD', ''],
  ])('%i of %s asks with %s', async (status, method, next, body) => {
    const server = await serverWith([redirect(status, '/next?x=1'), { body: [] }])
    const exchange = await egressFor([server.url]).send({
      method,
      url: server.url,
      headers: [['content-type', 'text/plain']],
      ...(method !== 'HEAD' && { body: Buffer.from('body') }),
      maxRedirects: 1,
    })
    await textOf(exchange.body)
    expect(server.requests[1]).toMatchObject({ method: next, path: '/next?x=1' })
    expect(server.requests[1]?.body.toString()).toBe(body)
    expect(server.requests[1]?.headers['content-type']).toBe(
      body === '' && next === 'GET' ? undefined : 'text/plain',
    )
    expect(exchange.url).toBe(`${server.url}/next?x=1`)
  })

  test('0 hands a redirect over, more is followed up to the limit', async () => {
    const server = await serverWith(() => redirect(302, '/again'))
    const egress = egressFor([server.url])
    const exchange = await egress.send(get(server.url, { maxRedirects: 0 }))
    expect(exchange.status).toBe(302)
    expect(exchange.headers).toContainEqual(['location', '/again'])
    expect(await failure(egress.send(get(server.url, { maxRedirects: 3 })))).toMatchObject({
      code: 'too-many-redirects',
    })
    expect(server.requests).toHaveLength(1 + 4)
    expect(await failure(egress.send(get(server.url, { maxRedirects: 4_000_000_000 })))).toMatchObject({
      code: 'too-many-redirects',
    })
    expect(server.requests).toHaveLength(1 + 4 + 21)
  })

  test.each([
    [
      'an undeclared origin',
      'http://evil.example/',
      'it is not in permissions.network of extensions/acme/extension.json',
    ],
    ['loopback', 'http://127.0.0.1:1/', 'permissions.network'],
    ['another scheme', 'file:///etc/passwd', 'only https and http'],
    ['a URL with a password', 'http://u:p@evil.example/', 'no user name'],
  ])('to %s is refused', async (_name, location, message) => {
    const server = await serverWith([redirect(307, location)])
    const error = await failure(egressFor([server.url]).send(get(server.url)))
    expect(error).toMatchObject({ code: 'permission-denied', message: expect.stringContaining(message) })
  })

  test('to no URL is invalid-response', async () => {
    const server = await serverWith([redirect(302, 'http://[')])
    expect(await failure(egressFor([server.url]).send(get(server.url)))).toMatchObject({
      code: 'invalid-response',
    })
  })

  test('without a location is handed over', async () => {
    const server = await serverWith({ status: 302, headers: {} })
    expect((await egressFor([server.url]).send(get(server.url))).status).toBe(302)
  })

  test('credentials die at a change of origin, and stay dead on the way back', async () => {
    const placeholders = createPlaceholders()
    const other = await serverWith(() => redirect(307, `${first.url}/back`))
    const first = await serverWith((_, index) =>
      index === 0 ? redirect(307, `${other.url}/x`) : { body: ['ok'] },
    )
    const custom = placeholders.placeholderFor(
      'credential:acme:acme',
      'real-secret-1234',
      userNetworkRules([first.url]),
    )
    const egress = egressFor([first.url, other.url], { placeholders, bodyFields: ['client_secret'] })
    const exchange = await egress.send({
      method: 'post',
      url: first.url,
      headers: [
        ['Authorization', 'Bearer plain'],
        ['x-api-key', 'plain'],
        ['x-goog-api-key', 'plain'],
        ['x-custom', custom],
        ['x-harmless', 'stays'],
        ['content-type', 'application/json'],
      ],
      body: Buffer.from(JSON.stringify({ client_secret: custom })),
      maxRedirects: 5,
    })
    expect(await textOf(exchange.body)).toBe('ok')
    expect(first.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer plain',
      'x-custom': 'real-secret-1234',
    })
    expect(first.requests[0]?.body.toString()).toContain('real-secret-1234')
    for (const request of [other.requests[0], first.requests[1]]) {
      expect(request?.headers).toMatchObject({ 'x-harmless': 'stays' })
      expect(request?.headers).not.toHaveProperty('authorization')
      expect(request?.headers).not.toHaveProperty('x-api-key')
      expect(request?.headers).not.toHaveProperty('x-goog-api-key')
      expect(request?.headers).not.toHaveProperty('x-custom')
      expect(request?.body.toString()).not.toContain('real-secret-1234')
    }
  })

  test('credentials stay on the same origin', async () => {
    const server = await serverWith([redirect(307, '/next'), { body: [] }])
    const egress = egressFor([server.url])
    await egress.send(get(server.url, { headers: [['authorization', 'Bearer plain']] }))
    expect(server.requests[1]?.headers.authorization).toBe('Bearer plain')
  })

  test('a service that puts the key into a redirect elsewhere is refused', async () => {
    const placeholders = createPlaceholders()
    const other = await serverWith({ body: [] })
    const first = await serverWith(request =>
      redirect(302, `${other.url}/?stolen=${request.headers['x-key']}`),
    )
    const key = placeholders.placeholderFor('k', 'real-secret-1234', userNetworkRules([first.url]))
    const egress = egressFor([first.url, other.url], { placeholders })
    const error = await failure(egress.send(get(first.url, { headers: [['x-key', key]] })))
    expect(error).toMatchObject({ code: 'permission-denied' })
    expect(error.message).not.toContain('real-secret-1234')
    expect(other.requests).toEqual([])
  })
})

describe('createEgress policy', () => {
  const manifest = parseNetworkRules(
    ['https://api.example.com', 'https://inner.example.com'],
    'extension.json',
  )
  const grant = parseNetworkRules(['https://api.example.com'], 'grant')
  const nothing: LookupFunction = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('no network here'), { code: 'ENOTFOUND' }), [])

  test.each([
    [
      'https://evil.example/',
      'Cannot reach "evil.example": it is not in permissions.network of extensions/acme/extension.json',
    ],
    [
      'http://api.example.com/',
      'Cannot reach "http://api.example.com": it is not in permissions.network of extensions/acme/extension.json',
    ],
    [
      'https://inner.example.com/',
      'Cannot reach "inner.example.com": the user has not granted it to acme; installing the extension again asks for it',
    ],
    ['https://api.example.com:444/', 'permissions.network'],
    ['https://api.example.com./', 'permissions.network'],
    ['https://api.example.com@evil.example/', 'a URL may hold no user name and no password'],
    ['https://u@api.example.com/', 'a URL may hold no user name and no password'],
    ['ftp://api.example.com/', 'only https and http URLs'],
  ])('%s is denied', async (url, message) => {
    const egress = egressFor([], { rules: [manifest, grant], lookup: nothing })
    const error = await failure(egress.send(get(url)))
    expect(error).toMatchObject({ code: 'permission-denied', message: expect.stringContaining(message) })
  })

  test('what both allow is tried', async () => {
    const egress = egressFor([], { rules: [manifest, grant], lookup: nothing })
    expect(await failure(egress.send(get('https://api.example.com/')))).toMatchObject({ code: 'dns-failed' })
  })

  test('no rules allow nothing', async () => {
    const egress = egressFor([], { lookup: nothing })
    expect(await failure(egress.send(get('https://api.example.com/')))).toMatchObject({
      code: 'permission-denied',
    })
  })

  test.each([
    'https://127.0.0.1',
    'https://10.0.0.1',
    'https://169.254.169.254',
    'https://[::1]',
    'https://localhost',
    'https://[::ffff:7f00:1]',
  ])('a granted %s is still no public address', async origin => {
    const rules = [parseNetworkRules([origin], 'extension.json')]
    const error = await failure(egressFor([], { rules }).send(get(origin)))
    expect(error).toMatchObject({
      code: 'permission-denied',
      message: expect.stringMatching(/it is a .* address/),
    })
  })

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    'fe80::1',
    'fd00::1',
    '64:ff9b::7f00:1',
    '0.0.0.0',
  ])('a granted name that resolves to %s is not connected to', async address => {
    const family = address.includes(':') ? 6 : 4
    const lookup: LookupFunction = (_hostname, _options, callback) => callback(null, [{ address, family }])
    const error = await failure(
      egressFor([], { rules: [manifest], lookup }).send(get('https://api.example.com/')),
    )
    expect(error).toMatchObject({
      code: 'permission-denied',
      message: expect.stringMatching(/"api\.example\.com": it resolves to a .* address/),
    })
  })

  test('the address that was checked is the one that is connected to', async () => {
    const server = await serverWith({ body: ['inside'] })
    let asked = 0
    // A rebinding resolver: a public address first, this machine from the second question on.
    const lookup: LookupFunction = (_hostname, _options, callback) => {
      asked++
      callback(null, [{ address: asked === 1 ? '192.88.99.1' : '127.0.0.1', family: 4 }])
    }
    const origin = `https://api.example.com:${server.port}`
    const rules = [parseNetworkRules([origin], 'extension.json')]
    const egress = egressFor([], { rules, lookup, limits: { connectMs: 200 } })
    for (let i = 0; i < 3; i++) {
      expect(await failure(egress.send(get(origin)))).toMatchObject({ code: 'permission-denied' })
    }
    expect(await server.connections()).toBe(0)
  })

  test('of several addresses only public ones are connected to', async () => {
    const server = await serverWith({ body: ['x'] })
    const origin = `http://llm.example:${server.port}`
    const lookup: LookupFunction = (_hostname, _options, callback) =>
      callback(null, [
        { address: '169.254.169.254', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])
    // The user set this origin: loopback is allowed, the metadata address never is.
    const exchange = await egressFor([origin], { lookup }).send(get(origin))
    expect(await textOf(exchange.body)).toBe('x')
    const onlyMetadata: LookupFunction = (_hostname, _options, callback) =>
      callback(null, [{ address: '169.254.169.254', family: 4 }])
    expect(await failure(egressFor([origin], { lookup: onlyMetadata }).send(get(origin)))).toMatchObject({
      code: 'permission-denied',
    })
  })

  test('an origin that the user set does not open its neighbours', async () => {
    const server = await serverWith({ body: ['x'] })
    const egress = egressFor([server.url])
    expect(await failure(egress.send(get(`http://127.0.0.1:${server.port + 1}/`)))).toMatchObject({
      code: 'permission-denied',
    })
    expect(await failure(egress.send(get(`http://localhost:${server.port}/`)))).toMatchObject({
      code: 'permission-denied',
    })
  })

  test.each<[string, Partial<OutgoingRequest>]>([
    ['a forbidden header', { headers: [['host', 'evil.example']] }],
    ['CRLF in a header', { headers: [['x-a', 'b\r\nhost: evil.example']] }],
    ['a method of its own', { method: 'CONNECT' }],
    ['no URL', { url: '/v1/models' }],
    ['a long URL', { url: `https://api.example.com/${'x'.repeat(20_000)}` }],
    ['a long body', { method: 'post', body: new Uint8Array(11) }],
  ])('%s is refused before anything is sent', async (_name, request) => {
    const server = await serverWith({ body: ['x'] })
    const egress = egressFor([server.url], { limits: { maxRequestBytes: 10 } })
    expect(await failure(egress.send({ ...get(server.url), ...request }))).toMatchObject({
      code: 'invalid-request',
    })
    expect(server.requests).toEqual([])
  })
})

describe('createEgress credentials', () => {
  async function echo() {
    return serverWith(request => ({
      headers: {
        'content-type': 'application/json',
        'x-echo': String(request.headers.authorization ?? ''),
      },
      body: [JSON.stringify({ headers: request.headers, path: request.path, body: request.body.toString() })],
    }))
  }
  const key = (placeholders: Placeholders, url: string) =>
    placeholders.placeholderFor('credential:acme:acme', 'sk-real+secret/1234', userNetworkRules([url]))

  test('the service gets the secret, the guest gets none of it back', async () => {
    const server = await echo()
    const placeholders = createPlaceholders()
    const stand = key(placeholders, server.url)
    const exchange = await egressFor([server.url], { placeholders }).send(
      get(`${server.url}/v1?key=${stand}`, { headers: [['authorization', `Bearer ${stand}`]] }),
    )
    const body = await textOf(exchange.body)
    const [request] = server.requests
    expect(request?.headers.authorization).toBe('Bearer sk-real+secret/1234')
    expect(request?.path).toBe('/v1?key=sk-real%2Bsecret%2F1234')
    expect(body).toContain('Bearer [redacted]')
    expect(JSON.stringify([exchange.headers, exchange.url, body])).not.toMatch(/sk-real|secret/)
    expect(exchange.url).toBe(`${server.url}/v1?key=${stand}`)
  })

  test('a Basic value is opened, filled and closed again, and redacted as it is', async () => {
    const server = await echo()
    const placeholders = createPlaceholders()
    const stand = key(placeholders, server.url)
    const exchange = await egressFor([server.url], { placeholders }).send(
      get(server.url, { headers: [['authorization', `Basic ${btoa(`user:${stand}`)}`]] }),
    )
    const real = btoa('user:sk-real+secret/1234')
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${real}`)
    expect(JSON.stringify([exchange.headers, await textOf(exchange.body)])).not.toContain(real)
  })

  test.each<[string, (stand: string) => Partial<OutgoingRequest>]>([
    ['header', stand => ({ headers: [['x-any', stand]] })],
    ['query', stand => ({ url: `?k=${stand}` })],
    ['Basic', stand => ({ headers: [['authorization', `Basic ${btoa(`:${stand}`)}`]] })],
    ['percent-encoded query', stand => ({ url: `?k=${stand.replaceAll('_', '%5f')}` })],
  ])(
    'bound for another origin in a %s it is refused, though that origin is granted',
    async (_name, change) => {
      const own = await echo()
      const other = await echo()
      const placeholders = createPlaceholders()
      const stand = key(placeholders, own.url)
      const { url = '', ...more } = change(stand)
      const error = await failure(
        egressFor([own.url, other.url], { placeholders }).send(get(`${other.url}/${url}`, more)),
      )
      expect(error).toMatchObject({ code: 'permission-denied' })
      expect(error.message).toBe(
        `Cannot send credential:acme:acme to ${other.url}: it may go to ${own.url} only`,
      )
      expect(other.requests).toEqual([])
    },
  )

  test('a secret with a line break is refused by the name of its header', async () => {
    const server = await echo()
    const placeholders = createPlaceholders()
    const stand = placeholders.placeholderFor('k', 'line\r\nhost: evil', userNetworkRules([server.url]))
    const error = await failure(
      egressFor([server.url], { placeholders }).send(get(server.url, { headers: [['x-key', stand]] })),
    )
    expect(error).toMatchObject({ code: 'invalid-request', message: expect.stringContaining('"x-key"') })
    expect(error.message).not.toContain('evil')
    expect(server.requests).toEqual([])
  })

  test('without a known secret the body passes through untouched', async () => {
    const server = await echo()
    const exchange = await egressFor([server.url]).send(
      get(server.url, { headers: [['authorization', 'Bearer x']] }),
    )
    expect(await textOf(exchange.body)).toContain('Bearer x')
  })
})

describe('createEgress proxies', () => {
  async function proxy() {
    const seen: string[] = []
    const { url } = await tcpServer(socket =>
      socket.once('data', data => {
        seen.push(data.toString().split('\r\n')[0] ?? '')
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nproxy')
      }),
    )
    return { url, seen }
  }

  test.each(['HTTP_PROXY', 'http_proxy'])('%s is honoured', async name => {
    const { url, seen } = await proxy()
    const egress = egressFor(['http://llm.example'], { env: { [name]: url } })
    const exchange = await egress.send(get('http://llm.example/v1?x=1'))
    expect(await textOf(exchange.body)).toBe('proxy')
    expect(seen).toEqual(['GET http://llm.example/v1?x=1 HTTP/1.1'])
  })

  test('https goes through a tunnel', async () => {
    const { url, seen } = await proxy()
    const rules = [parseNetworkRules(['https://api.example.com'], 'm')]
    const egress = egressFor([], { rules, env: { HTTPS_PROXY: url } })
    await failure(egress.send(get('https://api.example.com/v1?key=secret-value')))
    expect(seen).toEqual(['CONNECT api.example.com:443 HTTP/1.1'])
  })

  test('loopback is never proxied, and NO_PROXY is honoured', async () => {
    const { url, seen } = await proxy()
    const server = await serverWith({ body: ['direct'] })
    const lookup: LookupFunction = (_hostname, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }])
    const named = `http://llm.example:${server.port}`
    const egress = egressFor([server.url, named], {
      lookup,
      env: { HTTP_PROXY: url, NO_PROXY: 'llm.example' },
    })
    expect(await textOf((await egress.send(get(server.url))).body)).toBe('direct')
    expect(await textOf((await egress.send(get(named))).body)).toBe('direct')
    expect(seen).toEqual([])
  })

  test('literal private addresses are refused before the proxy sees them', async () => {
    const { url, seen } = await proxy()
    const rules = [parseNetworkRules(['https://10.0.0.1'], 'm')]
    const egress = egressFor([], { rules, env: { HTTPS_PROXY: url } })
    expect(await failure(egress.send(get('https://10.0.0.1/')))).toMatchObject({ code: 'permission-denied' })
    expect(seen).toEqual([])
  })

  test('a proxy that is no URL is named, its password is not', async () => {
    const egress = egressFor(['http://llm.example'], { env: { HTTP_PROXY: 'user:secret-value@:' } })
    const error = await failure(egress.send(get('http://llm.example/')))
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining('HTTP_PROXY') })
    expect(error.message).not.toContain('secret-value')
  })
})
