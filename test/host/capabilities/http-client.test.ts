import { afterEach, describe, expect, test } from 'vitest'
import { createHttpClient, type HttpClient } from '../../../host/capabilities/http-client.ts'
import type { HttpRequest } from '../../../host/contract/generated/interfaces/airlock-llm-http-client.js'
import { createPlaceholders } from '../../../host/credentials/placeholders.ts'
import { createEgress } from '../../../host/http/egress.ts'
import type { HttpLimits } from '../../../host/policy/limits.ts'
import { userNetworkRules } from '../../../host/policy/network.ts'
import { createGate } from '../../servers/gate.ts'
import { startScriptedServer } from '../../servers/scripted.ts'

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function setUp(script: Parameters<typeof startScriptedServer>[0], limits?: Partial<HttpLimits>) {
  const server = await startScriptedServer(script)
  const placeholders = createPlaceholders()
  const key = placeholders.placeholderFor(
    'credential:acme:acme',
    'sk-real-secret-1234',
    userNetworkRules([server.url]),
  )
  const egress = createEgress({
    extension: 'acme',
    rules: [],
    userOrigins: [server.url],
    placeholders,
    env: {},
    manifestFile: 'extensions/acme/extension.json',
    ...(limits && { limits }),
  })
  const client = createHttpClient(egress, limits)
  open.push(
    () => server.close(),
    () => egress.close(),
    () => client.close(),
  )
  return { server, client, key }
}

function request(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'get', url, headers: [], redirectPolicy: { tag: 'follow-all' }, ...more }
}

async function chunks(client: HttpClient, handle: number): Promise<string> {
  let text = ''
  for (;;) {
    const next = await client.nextChunk(handle)
    if (!next.ok) throw new Error(next.error)
    if (next.value === undefined) return text
    text += Buffer.from(next.value).toString()
  }
}

describe('fetch and fetchFallible', () => {
  test('give body and headers, without cookies and without the secret', async () => {
    const { server, client, key } = await setUp(({ headers }) => ({
      headers: { 'content-type': 'text/plain', 'set-cookie': 'a=1', 'x-echo': String(headers['x-key']) },
      body: ['got ', String(headers['x-key'])],
    }))
    const answer = await client.fetch(request(server.url, { headers: [['x-key', key]] }))
    expect(server.requests[0]?.headers['x-key']).toBe('sk-real-secret-1234')
    if (!answer.ok) throw new Error(answer.error)
    expect(Buffer.from(answer.value.body).toString()).toBe(`got ${key}`)
    expect(answer.value.headers).toContainEqual(['x-echo', key])
    expect(answer.value.headers.map(([name]) => name)).not.toContain('set-cookie')
  })

  test('a status outside 200-299 is an error that names it, or a success', async () => {
    const { server, client } = await setUp({ status: 404, body: ['no such model'] })
    expect(await client.fetch(request(server.url))).toEqual({ ok: false, error: 'The service answered 404' })
    const answer = await client.fetchFallible(request(server.url))
    expect(answer).toMatchObject({ ok: true, value: { status: 404 } })
  })

  test('the method and body of the contract are sent', async () => {
    const { server, client } = await setUp({ body: [] })
    await client.fetchFallible(request(server.url, { method: 'patch', body: Buffer.from('x') }))
    expect(server.requests[0]).toMatchObject({ method: 'PATCH' })
    expect(server.requests[0]?.body.toString()).toBe('x')
  })

  test.each([
    [{ tag: 'no-follow' } as const, { ok: true, value: { status: 302 } }, 1],
    [{ tag: 'follow-limit', val: 0 } as const, { ok: true, value: { status: 302 } }, 1],
    [
      { tag: 'follow-limit', val: 2 } as const,
      { ok: false, error: expect.stringContaining('redirected more than 2') },
      3,
    ],
    [
      { tag: 'follow-all' } as const,
      { ok: false, error: expect.stringContaining('redirected more than 4') },
      5,
    ],
  ])('redirect policy %o', async (redirectPolicy, expected, requests) => {
    const { server, client } = await setUp(() => ({ status: 302, headers: { location: '/again' } }), {
      maxRedirects: 4,
    })
    expect(await client.fetchFallible(request(server.url, { redirectPolicy }))).toMatchObject(expected)
    expect(server.requests).toHaveLength(requests)
  })

  test('errors hold no query, no header and no secret', async () => {
    const { server, client, key } = await setUp({ body: [] })
    await server.close()
    const answer = await client.fetch(request(`${server.url}/?key=${key}`, { headers: [['x-key', key]] }))
    expect(answer).toEqual({ ok: false, error: `Cannot reach ${server.url}: connection refused` })
  })

  test('what policy denies is an error of the result', async () => {
    const { client } = await setUp({ body: [] })
    expect(await client.fetch(request('https://evil.example/'))).toEqual({
      ok: false,
      error:
        'Cannot reach "evil.example": it is not in permissions.network of extensions/acme/extension.json',
    })
  })

  test('a body longer than what is held is an error', async () => {
    const { server, client } = await setUp(
      { body: ['x'.repeat(200)], ending: 'hang' },
      { maxWholeBytes: 100 },
    )
    expect(await client.fetchFallible(request(server.url))).toMatchObject({
      ok: false,
      error: expect.stringContaining('longer than 100 bytes'),
    })
    expect(await server.requests[0]?.closed).toBe('client-gone')
  })

  test('abort ends the call', async () => {
    const { server, client } = await setUp('never')
    const controller = new AbortController()
    const answer = client.fetch(request(server.url), { signal: controller.signal })
    const seen = await server.nextRequest()
    controller.abort()
    expect(await answer).toEqual({ ok: false, error: 'The call was stopped' })
    expect(await seen.closed).toBe('client-gone')
  })
})

describe('fetchStream', () => {
  async function opened(client: HttpClient, url: string) {
    const answer = await client.fetchStream(request(url))
    if (!answer.ok) throw new Error(answer.error)
    return answer.value
  }

  test('gives status and headers first, then the body as it is asked for', async () => {
    const gate = createGate()
    const { server, client } = await setUp({
      status: 418,
      headers: { 'x-a': '1' },
      body: ['one', gate.opened, 'two'],
    })
    const head = await opened(client, server.url)
    expect(head).toMatchObject({ status: 418, headers: expect.arrayContaining([['x-a', '1']]) })
    expect(await client.nextChunk(head.handle)).toEqual({
      ok: true,
      value: new Uint8Array(Buffer.from('one')),
    })
    gate.open()
    expect(await chunks(client, head.handle)).toBe('two')
    // Past the end it stays at the end.
    expect(await client.nextChunk(head.handle)).toEqual({ ok: true, value: undefined })
  })

  test('a large body comes whole', async () => {
    const { server, client } = await setUp({ body: Array.from({ length: 100 }, () => 'x'.repeat(50_000)) })
    const { handle } = await opened(client, server.url)
    expect((await chunks(client, handle)).length).toBe(5_000_000)
  })

  test('dropping it frees the socket, and its handle is gone', async () => {
    const { server, client } = await setUp({ body: ['x'], ending: 'hang' })
    const { handle } = await opened(client, server.url)
    client.drop(handle)
    client.drop(handle)
    expect(await server.requests[0]?.closed).toBe('client-gone')
    expect(await client.nextChunk(handle)).toMatchObject({
      ok: false,
      error: expect.stringContaining('dropped'),
    })
  })

  test('a lost connection is an error after what had come', async () => {
    const { server, client } = await setUp({ body: ['x'], ending: 'destroy' })
    const { handle } = await opened(client, server.url)
    await expect(chunks(client, handle)).rejects.toThrow(/was lost/)
  })

  test('only so many are open at once', async () => {
    const { server, client } = await setUp({ body: ['x'], ending: 'hang' }, { maxOpenStreams: 2 })
    const [first, , third] = await Promise.all([1, 2, 3].map(() => client.fetchStream(request(server.url))))
    expect(third).toMatchObject({ ok: false, error: expect.stringContaining('2 are open') })
    if (first?.ok) client.drop(first.value.handle)
    expect(await client.fetchStream(request(server.url))).toMatchObject({ ok: true })
  })

  test('close ends them all', async () => {
    const { server, client } = await setUp({ body: ['x'], ending: 'hang' })
    await opened(client, server.url)
    await opened(client, server.url)
    client.close()
    expect(await Promise.all(server.requests.map(({ closed }) => closed))).toEqual([
      'client-gone',
      'client-gone',
    ])
  })

  test('a handle of nobody is an error', async () => {
    const { client } = await setUp({ body: [] })
    expect(await client.nextChunk(7)).toMatchObject({ ok: false })
    client.drop(7)
  })
})
