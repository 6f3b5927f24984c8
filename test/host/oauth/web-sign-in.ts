import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { BrowserPermission } from '../../../host/oauth/browser-url.ts'
import { runWebAuth, type WebAuthEvent, type WebAuthOptions } from '../../../host/oauth/web-auth.ts'
import { userNetworkRules } from '../../../host/policy/network.ts'

export const permission: BrowserPermission = {
  rules: userNetworkRules(['https://accounts.example.com']),
  manifestFile: 'extensions/acme/extension.json',
}

export const STATE = 'state-of-this-attempt'

export function authUrlWith(parameters: Record<string, string> = { state: STATE }): string {
  const query = new URLSearchParams({ redirect_uri: 'http://127.0.0.1:{port}/callback', ...parameters })
  return `https://accounts.example.com/authorize?${query}`
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface SignIn extends AsyncDisposable {
  port: number
  events: WebAuthEvent[]
  /** Settles as `runWebAuth` does. */
  result: ReturnType<typeof runWebAuth>
  /** Undefined while the sign-in waits. */
  ended(): string | undefined
  ask(target: string, options?: AskOptions): Promise<Reply>
}

export interface AskOptions {
  method?: string
  headers?: Record<string, string>
  address?: string
}

/** Starts a sign-in and waits until it listens. It ends with the test. */
export async function signIn(options: Partial<WebAuthOptions> = {}): Promise<SignIn> {
  const events: WebAuthEvent[] = []
  const listening = Promise.withResolvers<number>()
  const stop = new AbortController()
  const result = runWebAuth({
    authUrl: authUrlWith(),
    callbackPath: '/callback',
    permission,
    ...options,
    signal: options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal,
    onEvent(event) {
      events.push(event)
      if (event.type === 'listening') listening.resolve(event.port)
      options.onEvent?.(event)
    },
  })
  let ended: string | undefined
  result.then(
    ({ callbackUrl }) => {
      ended = callbackUrl
    },
    (error: unknown) => {
      ended = String(error)
      listening.reject(error)
    },
  )
  const port = await listening.promise
  return {
    port,
    events,
    result,
    ended: () => ended,
    ask: (target, ask) => askPort(port, target, ask),
    async [Symbol.asyncDispose]() {
      stop.abort()
      const { close } = await result.catch(() => ({ close: async () => {} }))
      await close()
    },
  }
}

/** One request exactly as it is written: paths are not tidied, and any header may be set. */
export function askPort(port: number, target: string, options: AskOptions = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, address = '127.0.0.1' } = options
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: address, port, path: target, method, headers: { host: `127.0.0.1:${port}`, ...headers } },
      response => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', chunk => {
          body += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        )
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end()
  })
}
