import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { runWebAuth } from '../../../host/oauth/web-auth.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { askPort, authUrlWith, permission, STATE, signIn } from './web-sign-in.ts'

const CALLBACK = `/callback?code=c1&state=${STATE}`

afterEach(() => void vi.useRealTimers())

describe('runWebAuth: the redirect', () => {
  test('resolves with the whole callback URL and the port', async () => {
    await using attempt = await signIn()
    const reply = await attempt.ask(`${CALLBACK}&scope=a%20b`)
    expect(reply.status).toBe(200)
    expect(reply.body).toContain('You can close this tab')
    const { callbackUrl, port } = await attempt.result
    expect(callbackUrl).toBe(`http://127.0.0.1:${attempt.port}${CALLBACK}&scope=a%20b`)
    expect(port).toBe(attempt.port)
    expect(attempt.events.at(-1)).toEqual({ type: 'received', by: 'browser' })
  })

  test('the URL is told and opened with the port in every place, encoded or not, after the port listens', async () => {
    let opened = ''
    let answered: number | undefined
    await using attempt = await signIn({
      authUrl: `https://accounts.example.com/a?state=${STATE}&x={port}&redirect_uri=http%3A%2F%2F127.0.0.1%3A%7Bport%7D%2Fcallback&deep=%257bport%257D`,
      async openBrowser(url) {
        opened = url
        const { port } = new URL(new URL(url).searchParams.get('redirect_uri') ?? '')
        answered = (await askPort(Number(port), '/favicon.ico')).status
      },
    })
    await expect.poll(() => answered).toBe(404)
    const { port } = attempt
    expect(opened).toBe(
      `https://accounts.example.com/a?state=${STATE}&x=${port}&redirect_uri=http%3A%2F%2F127.0.0.1%3A${port}%2Fcallback&deep=${port}`,
    )
    expect(attempt.events.slice(0, 2)).toEqual([
      { type: 'listening', port },
      { type: 'visit', url: opened },
    ])
  })

  test('the page stands on its own: no script, nothing stored, nothing loaded', async () => {
    await using attempt = await signIn()
    const { headers, body } = await attempt.ask(`/callback?code=the-code&state=${STATE}`)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/)
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(body).not.toMatch(/<script|src=|href=|the-code/)
  })

  test('a service that answers with something else than a code is left to the extension', async () => {
    await using attempt = await signIn()
    await attempt.ask(`/callback?state=${STATE}&auth_token=t`)
    expect((await attempt.result).callbackUrl).toContain('auth_token=t')
  })
})

describe('runWebAuth: what does not count', () => {
  const FOREIGN: [what: string, target: string, options: Parameters<typeof askPort>[2], status: number][] = [
    ['favicon', '/favicon.ico', {}, 404],
    ['root', '/', {}, 404],
    ['HEAD of the root', '/', { method: 'HEAD' }, 404],
    ['HEAD of the callback', CALLBACK, { method: 'HEAD' }, 404],
    ['preflight', CALLBACK, { method: 'OPTIONS' }, 204],
    ['POST', CALLBACK, { method: 'POST' }, 405],
    ['PUT', CALLBACK, { method: 'PUT' }, 405],
    ['prefetch (Sec-Purpose)', CALLBACK, { headers: { 'sec-purpose': 'prefetch;prerender' } }, 204],
    ['prefetch (Purpose)', CALLBACK, { headers: { purpose: 'prefetch' } }, 204],
    ['prefetch (X-Moz)', CALLBACK, { headers: { 'x-moz': 'prefetch' } }, 204],
    ['preview (X-Purpose)', CALLBACK, { headers: { 'x-purpose': 'preview' } }, 204],
    ['a path below', `/callback/?code=c1&state=${STATE}`, {}, 404],
    ['a path in capitals', `/CALLBACK?code=c1&state=${STATE}`, {}, 404],
    ['a path spelled otherwise', `/%63allback?code=c1&state=${STATE}`, {}, 404],
    ['two slashes', `/${CALLBACK}`, {}, 404],
    ['an absolute target', `http://127.0.0.1${CALLBACK}`, {}, 404],
    ['no query', '/callback', {}, 400],
    ['no state', '/callback?code=c1', {}, 400],
    ['an empty state', '/callback?code=c1&state=', {}, 400],
    ['a wrong state', '/callback?code=c1&state=other', {}, 400],
    ['a state that begins like ours', `/callback?code=c1&state=${STATE}x`, {}, 400],
    ['a forged error', '/callback?error=access_denied', {}, 400],
    ['a forged error with a wrong state', '/callback?error=access_denied&state=other', {}, 400],
    ['two states', `/callback?code=c1&state=${STATE}&state=x`, {}, 400],
    ['two codes', `${CALLBACK}&code=c2`, {}, 400],
    ['state alone', `/callback?state=${STATE}`, {}, 400],
    ['an empty code', `/callback?code=&state=${STATE}`, {}, 400],
    ['another host', CALLBACK, { headers: { host: 'evil.example' } }, 421],
    ['another host with our port', CALLBACK, { headers: { host: 'evil.example:{port}' } }, 421],
    ['our host with another port', CALLBACK, { headers: { host: '127.0.0.1:1' } }, 421],
    ['a host that begins like ours', CALLBACK, { headers: { host: '127.0.0.1.evil.example:{port}' } }, 421],
  ]

  test('each is answered, none ends the sign-in, and the real redirect still counts', async () => {
    await using attempt = await signIn()
    const statuses: [string, number][] = []
    for (const [what, target, options = {}] of FOREIGN) {
      const headers = Object.fromEntries(
        Object.entries(options.headers ?? {}).map(([name, value]) => [
          name,
          value.replace('{port}', String(attempt.port)),
        ]),
      )
      const reply = await attempt.ask(target, { ...options, headers })
      expect(reply.headers['cache-control'], what).toBe('no-store')
      expect(reply.headers['access-control-allow-origin'], what).toBeUndefined()
      statuses.push([what, reply.status])
    }
    expect(statuses).toEqual(FOREIGN.map(([what, , , status]) => [what, status]))
    expect(attempt.ended()).toBeUndefined()
    await attempt.ask(CALLBACK)
    expect((await attempt.result).callbackUrl).toContain('code=c1')
  })

  test('a wrong state says on the page and in an event what to do', async () => {
    await using attempt = await signIn()
    const reply = await attempt.ask('/callback?code=c1&state=%3Cscript%3E')
    expect(reply.status).toBe(400)
    expect(reply.body).toContain('You are not signed in yet')
    expect(reply.body).not.toMatch(/<script>|can close this tab/)
    expect(attempt.events.at(-1)).toEqual({
      type: 'ignored',
      reason: 'wrong-state',
      message: expect.stringContaining('Still waiting'),
    })
  })

  test('a flood of wrong states is told five times', async () => {
    await using attempt = await signIn()
    for (let i = 0; i < 20; i++) await attempt.ask('/callback?code=c&state=x')
    expect(attempt.events.filter(event => event.type === 'ignored')).toHaveLength(5)
  })

  test('stray sockets neither end it nor keep it: silent, half a request, no HTTP, gone', async () => {
    await using attempt = await signIn()
    const sockets = await Promise.all(
      [
        '',
        'GET /callback?code=c1 HTTP/1.1\r\nHost: ',
        '\x16\x03\x01\x02\x00\x01',
        'GET / HTTP/1.1\r\n\r\n',
      ].map(async bytes => {
        const socket = connect(attempt.port, '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'connect')
        socket.write(bytes)
        socket.resume()
        return socket
      }),
    )
    sockets[1]?.destroy()
    await attempt.ask(CALLBACK)
    const { close } = await attempt.result
    const closed = sockets.map(socket => (socket.closed ? undefined : once(socket, 'close')))
    await close()
    await Promise.all(closed)
  })

  test('headers that are too long end their connection and nothing else', async () => {
    await using attempt = await signIn()
    const reply = await attempt.ask('/', { headers: { cookie: 'x'.repeat(70_000) } }).catch(() => undefined)
    expect(reply?.status ?? 400).toBe(400)
    await attempt.ask(CALLBACK, { headers: { cookie: 'x'.repeat(20_000) } })
    await attempt.result
  })
})

describe('runWebAuth: after the answer', () => {
  test('the same code again gets the same page, another one does not, and neither changes anything', async () => {
    await using attempt = await signIn()
    const first = await attempt.ask(CALLBACK)
    const { callbackUrl, close } = await attempt.result
    expect(await attempt.ask(CALLBACK)).toMatchObject({ status: 200, body: first.body })
    const other = await attempt.ask(`/callback?code=c2&state=${STATE}`)
    expect(other.status).toBe(400)
    expect(other.body).toContain('This sign-in is over')
    expect(callbackUrl).toContain('code=c1')
    expect(attempt.events.filter(event => event.type === 'received')).toHaveLength(1)
    await close()
    await expect(attempt.ask(CALLBACK)).rejects.toThrow('ECONNREFUSED')
  })

  test('two at once: one exchange, two pages', async () => {
    await using attempt = await signIn()
    const replies = await Promise.all([attempt.ask(CALLBACK), attempt.ask(CALLBACK)])
    expect(replies.map(reply => reply.status)).toEqual([200, 200])
    expect(attempt.events.filter(event => event.type === 'received')).toHaveLength(1)
  })

  test('the page arrives whole though the port is freed at once', async () => {
    await using attempt = await signIn()
    const reply = attempt.ask(CALLBACK)
    await (await attempt.result).close()
    expect((await reply).body).toMatch(/<\/html>\s*$/)
  })

  test('a process that has nothing else to do ends, though nobody closes', async () => {
    const script = `
      import { runWebAuth } from './host/oauth/web-auth.ts'
      import { userNetworkRules } from './host/policy/network.ts'
      const { callbackUrl } = await runWebAuth({
        authUrl: 'https://a.example/?state=s',
        callbackPath: '/callback',
        permission: { rules: userNetworkRules(['https://a.example']), manifestFile: 'extension.json' },
        onEvent(event) {
          if (event.type === 'listening') fetch('http://127.0.0.1:' + event.port + '/callback?code=c&state=s')
        },
      })
      console.log(callbackUrl.includes('code=c'))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: repoRoot,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    expect({ output, code }).toEqual({ output: 'true\n', code: 0 })
  })

  test('the port is freed after a minute where nobody closes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await using attempt = await signIn()
    await attempt.ask(CALLBACK)
    await attempt.result
    vi.advanceTimersByTime(60_000)
    await expect(attempt.ask(CALLBACK)).rejects.toThrow('ECONNREFUSED')
  })

  test('the signal frees the port as well', async () => {
    const stop = new AbortController()
    await using attempt = await signIn({ signal: stop.signal })
    await attempt.ask(CALLBACK)
    await attempt.result
    stop.abort()
    await expect(attempt.ask(CALLBACK)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('runWebAuth: ends', () => {
  test('access_denied with the right state ends it, with a page that says so', async () => {
    await using attempt = await signIn()
    const reply = await attempt.ask(
      `/callback?error=access_denied&error_description=%3Cb%3Eno%1b[2J%3C/b%3E&state=${STATE}`,
    )
    expect(reply.status).toBe(200)
    expect(reply.body).toContain('You are not signed in')
    expect(reply.body).toContain('&lt;b&gt;no [2J&lt;/b&gt; (access_denied)')
    await expect(attempt.result).rejects.toMatchObject({
      code: 'sign-in-denied',
      serviceCode: 'access_denied',
      message: 'accounts.example.com did not allow the sign-in: <b>no [2J</b> (access_denied)',
    })
    await expect(attempt.ask(CALLBACK)).rejects.toThrow('ECONNREFUSED')
  })

  test('another error ends it as refused; an error counts before a code', async () => {
    await using attempt = await signIn()
    await attempt.ask(`${CALLBACK}&error=invalid_scope`)
    await expect(attempt.result).rejects.toMatchObject({
      code: 'sign-in-refused',
      serviceCode: 'invalid_scope',
    })
  })

  test('the time limit ends it and frees the port, idle sockets included', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await using attempt = await signIn({ timeoutMs: 300_000 })
    const idle = connect(attempt.port, '127.0.0.1')
    await once(idle, 'connect')
    vi.advanceTimersByTime(299_999)
    expect(attempt.ended()).toBeUndefined()
    vi.advanceTimersByTime(1)
    await expect(attempt.result).rejects.toMatchObject({ code: 'sign-in-timed-out' })
    await expect(attempt.ask(CALLBACK)).rejects.toThrow('ECONNREFUSED')
    if (!idle.closed) await once(idle, 'close')
  })

  test('the signal ends it with its own reason and takes the question back', async () => {
    const stop = new AbortController()
    let asked: AbortSignal | undefined
    await using attempt = await signIn({
      signal: stop.signal,
      readPasted: signal => {
        asked = signal
        return new Promise(() => {})
      },
    })
    stop.abort(new Error('the user pressed Ctrl-C'))
    await expect(attempt.result).rejects.toThrow('the user pressed Ctrl-C')
    expect(asked?.aborted).toBe(true)
    await expect(attempt.ask(CALLBACK)).rejects.toThrow('ECONNREFUSED')
  })

  test('a signal that has been aborted: nothing is opened', async () => {
    const opened = vi.fn(async () => {})
    const options = { authUrl: authUrlWith(), callbackPath: '/callback', permission, openBrowser: opened }
    await expect(
      runWebAuth({ ...options, signal: AbortSignal.abort(new Error('too late')) }),
    ).rejects.toThrow('too late')
    expect(opened).not.toHaveBeenCalled()
  })

  test('a listener that throws ends it with that error, not the process', async () => {
    const attempt = signIn({
      onEvent(event) {
        if (event.type === 'visit') throw new Error('the screen is gone')
      },
    })
    await using started = await attempt
    await expect(started.result).rejects.toThrow('the screen is gone')
  })

  test('a second sign-in works at once, also while the first one waits', async () => {
    await using first = await signIn()
    await using second = await signIn()
    await second.ask(CALLBACK)
    await second.result
    await first.ask(CALLBACK)
    await first.result
  })
})

describe('runWebAuth: browsers', () => {
  test('one that fails is an event and no failure', async () => {
    await using attempt = await signIn({
      openBrowser: async () => {
        throw new Error('xdg-open:\u001b[31m not found')
      },
    })
    await expect
      .poll(() => attempt.events.at(-1))
      .toEqual({ type: 'browser-failed', reason: 'xdg-open: [31m not found' })
    await attempt.ask(CALLBACK)
    await attempt.result
  })

  test('one that never says whether it opened holds up nothing', async () => {
    await using attempt = await signIn({ openBrowser: () => new Promise(() => {}) })
    await attempt.ask(CALLBACK)
    await attempt.result
  })
})

describe('runWebAuth: addresses and ports', () => {
  test('listens on 127.0.0.1 alone where the redirect says so', async () => {
    await using attempt = await signIn()
    await expect(attempt.ask(CALLBACK, { address: '::1' })).rejects.toThrow()
    for (const { address, internal, family } of Object.values(networkInterfaces()).flatMap(
      all => all ?? [],
    )) {
      if (internal || family !== 'IPv4') continue
      await expect(attempt.ask(CALLBACK, { address }), address).rejects.toThrow()
    }
    expect(attempt.ended()).toBeUndefined()
  })

  test('answers on both loopback addresses where the redirect says localhost', async ({ skip }) => {
    if (!(await hasIPv6())) skip('this machine has no ::1')
    await using attempt = await signIn({
      authUrl: authUrlWith({ redirect_uri: 'http://localhost:{port}/callback', state: STATE }),
    })
    const host = `localhost:${attempt.port}`
    expect((await attempt.ask('/', { headers: { host } })).status).toBe(404)
    await attempt.ask(CALLBACK, { address: '::1', headers: { host } })
    expect((await attempt.result).callbackUrl).toBe(`http://${host}${CALLBACK}`)
  })

  test('a port that the service insists on is used; where it is taken the error says so', async () => {
    const port = await freePort()
    const authUrl = authUrlWith({ redirect_uri: `http://localhost:${port}/callback`, state: STATE })
    {
      await using attempt = await signIn({ authUrl })
      expect(attempt.port).toBe(port)
      await expect(signIn({ authUrl })).rejects.toMatchObject({
        code: 'sign-in-port-in-use',
        message: expect.stringContaining(`port ${port}`),
      })
      await attempt.ask(CALLBACK)
      await (await attempt.result).close()
    }
    await using again = await signIn({ authUrl })
    expect(again.port).toBe(port)
  })
})

describe('runWebAuth: what an extension asks for', () => {
  const bad: [what: string, authUrl: string, code: string][] = [
    ['another origin', 'https://phish.example/?state=s', 'permission-denied'],
    ['another scheme', 'http://accounts.example.com/?state=s', 'permission-denied'],
    ['another port', 'https://accounts.example.com:{port}/?state=s', 'permission-denied'],
    ['a user name', 'https://accounts.example.com@accounts.example.com/?state=s', 'permission-denied'],
    ['a file', 'file:///etc/passwd?state=s', 'sign-in-invalid-url'],
    ['a script', 'javascript:alert(1)//?state=s', 'sign-in-invalid-url'],
    ['no URL', 'accounts.example.com', 'sign-in-invalid-url'],
    ['a line end', 'https://accounts.example.com/?state=s\n', 'sign-in-invalid-url'],
    ['an escape', 'https://accounts.example.com/?state=s\u001b[2J', 'sign-in-invalid-url'],
    ['too long', `https://accounts.example.com/?state=${'s'.repeat(9000)}`, 'sign-in-invalid-url'],
    ['two states', 'https://accounts.example.com/?state=a&state=b', 'sign-in-invalid-url'],
    ['neither state nor challenge', 'https://accounts.example.com/?client_id=x', 'sign-in-invalid-url'],
  ]
  for (const [what, authUrl, code] of bad) {
    test(`is refused before a browser opens: ${what}`, async () => {
      const openBrowser = vi.fn(async () => {})
      const work = runWebAuth({ authUrl, callbackPath: '/callback', permission, openBrowser })
      await expect(work).rejects.toMatchObject({ code })
      await expect(work).rejects.not.toThrow(/\u001b/)
      expect(openBrowser).not.toHaveBeenCalled()
    })
  }

  test('a refusal names origin, permission and file', async () => {
    const work = runWebAuth({
      authUrl: 'https://phish.example/?state=s',
      callbackPath: '/callback',
      permission,
    })
    await expect(work).rejects.toThrow(
      'Cannot open a page of "https://phish.example" in the browser: it is not in permissions.browser of extensions/acme/extension.json',
    )
  })

  for (const callbackPath of ['callback', '', '//evil.example?x', '/a?b', '/a#b', '/a b']) {
    test(`callback path ${JSON.stringify(callbackPath)} is refused`, async () => {
      await expect(runWebAuth({ authUrl: authUrlWith(), callbackPath, permission })).rejects.toMatchObject({
        code: 'sign-in-invalid-url',
      })
    })
  }

  for (const timeoutMs of [0, -1, Number.NaN]) {
    test(`timeoutMs ${timeoutMs} is refused`, async () => {
      await expect(
        runWebAuth({ authUrl: authUrlWith(), callbackPath: '/callback', permission, timeoutMs }),
      ).rejects.toMatchObject({ code: 'invalid-option' })
    })
  }
})

describe('runWebAuth: services without a state', () => {
  test('the state may stand in the redirect URI', async () => {
    await using attempt = await signIn({
      authUrl: `https://accounts.example.com/auth?callback_url=${encodeURIComponent('http://localhost:{port}/callback?state=mine')}`,
    })
    expect((await attempt.ask('/callback?code=c1')).status).toBe(400)
    await attempt.ask('/callback?state=mine&code=c1')
    expect((await attempt.result).callbackUrl).toContain('code=c1')
  })

  test('with PKCE alone a code counts, but only where a person went there', async () => {
    await using attempt = await signIn({ authUrl: authUrlWith({ code_challenge: 'x' }) })
    for (const headers of [{ 'sec-fetch-mode': 'no-cors' }, { 'sec-fetch-dest': 'iframe' }]) {
      expect((await attempt.ask('/callback?error=access_denied', { headers })).status).toBe(400)
    }
    expect((await attempt.ask('/callback?other=1')).status).toBe(400)
    await attempt.ask('/callback?code=c1', {
      headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    })
    expect((await attempt.result).callbackUrl).toContain('code=c1')
  })
})

describe('runWebAuth: pasting', () => {
  const paste = (...texts: string[]) => {
    const queue = [...texts]
    return async () => queue.shift()
  }

  test('the whole address', async () => {
    await using attempt = await signIn({
      readPasted: paste(` http://127.0.0.1:9/callback?code=c%2B1&state=${STATE}\n`),
    })
    const { callbackUrl } = await attempt.result
    expect(callbackUrl).toBe(`http://127.0.0.1:${attempt.port}/callback?code=c%2B1&state=${STATE}`)
    expect(attempt.events.at(-1)).toEqual({ type: 'received', by: 'paste' })
  })

  test('code#state', async () => {
    await using attempt = await signIn({ readPasted: paste(`c1#${STATE}`) })
    expect((await attempt.result).callbackUrl).toContain(`?code=c1&state=${STATE}`)
  })

  test('what is of no use is told, and the next one counts', async () => {
    await using attempt = await signIn({
      readPasted: paste('c1#wrong', 'hello', authUrlWith(), '', `c1#${STATE}`),
    })
    await attempt.result
    expect(
      attempt.events.filter(event => event.type === 'paste-refused').map(event => event.message),
    ).toEqual([
      expect.stringContaining('belongs to another sign-in'),
      expect.stringContaining('paste the whole address'),
      expect.stringContaining('brings no code'),
      expect.stringContaining('nothing was pasted'),
    ])
  })

  test('an error that is pasted ends it', async () => {
    await using attempt = await signIn({
      readPasted: paste(`http://127.0.0.1:9/callback?error=access_denied&state=${STATE}`),
    })
    await expect(attempt.result).rejects.toMatchObject({ code: 'sign-in-denied' })
  })

  test('input that ends or fails leaves the browser', async () => {
    for (const readPasted of [
      async () => undefined,
      async () => {
        throw new Error('stdin was closed')
      },
    ]) {
      await using attempt = await signIn({ readPasted })
      await attempt.ask(CALLBACK)
      await attempt.result
    }
  })

  test('after a paste the browser still gets its page', async () => {
    await using attempt = await signIn({ readPasted: paste(`c1#${STATE}`) })
    await attempt.result
    expect((await attempt.ask(CALLBACK)).status).toBe(200)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function hasIPv6(): Promise<boolean> {
  const server = createServer().listen(0, '::1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
