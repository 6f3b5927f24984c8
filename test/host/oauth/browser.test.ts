import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, describe, expect } from 'vitest'
import { createHttpResponse } from '../../../guest-sdk/http-response.ts'
import {
  authorizationUrl,
  createPkce,
  createState,
  readCallback,
  readTokenResponse,
  redirectUriOf,
  tokenRequest,
} from '../../../guest-sdk/oauth/index.ts'
import { userNetworkRules } from '../../../host/policy/network.ts'
import { type OAuthServer, startOAuthServer } from '../../servers/oauth-server.ts'
import { needs } from '../../support/needs.ts'
import { signIn } from './web-sign-in.ts'

const REDIRECT = 'http://127.0.0.1:{port}/callback'
// A cold start on a busy machine takes most of it.
const BROWSER_MS = 60_000

let browser: Browser | undefined
afterAll(() => browser?.close())

/** A window of its own, without the cookies of others. What it logs as an error is in `errors`. */
async function openWindow(): Promise<
  { context: BrowserContext; page: Page; errors: string[] } & AsyncDisposable
> {
  browser ??= await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
  const context = await browser.newContext()
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return { context, page, errors, [Symbol.asyncDispose]: () => context.close() }
}

/** Signs in at the service in this window. */
async function begin(server: OAuthServer, open: (url: string) => Promise<unknown>) {
  const pkce = createPkce()
  const state = createState()
  const attempt = await signIn({
    authUrl: authorizationUrl({
      endpoint: server.authorizationEndpoint,
      clientId: server.clientId,
      redirectUri: REDIRECT,
      scopes: ['openid', 'offline_access'],
      state,
      pkce,
      extra: { prompt: 'consent' },
    }),
    permission: { rules: userNetworkRules([server.url]), manifestFile: 'extension.json' },
    openBrowser: open,
  })
  return {
    ...attempt,
    state,
    /** What an extension does with the answer. */
    async exchange() {
      const { callbackUrl, port } = await attempt.result
      const { code } = readCallback(callbackUrl, state, { issuer: server.url })
      const { url, headers, body } = tokenRequest({
        endpoint: server.tokenEndpoint,
        client: { id: server.clientId },
        code,
        redirectUri: redirectUriOf(REDIRECT, port),
        verifier: pkce.verifier,
      })
      const response = await fetch(url, { method: 'POST', headers, body })
      return readTokenResponse(createHttpResponse({ status: response.status, body: await response.text() }), {
        now: 0,
      })
    },
  }
}

describe('a browser', () => {
  const test = needs('chromium')

  test(
    'signs in, consents, sees a page that is styled, reloads it, and the code is exchanged once',
    async () => {
      await using server = await startOAuthServer()
      await using window = await openWindow()
      const { page, errors } = window
      await using attempt = await begin(server, url => page.goto(url))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByRole('heading', { name: 'You can close this tab' }).waitFor()
      expect(await page.title()).toBe('You can close this tab - Airlock')
      expect(await page.evaluate("getComputedStyle(document.querySelector('main')).borderTopWidth")).toBe(
        '4px',
      )
      expect(await attempt.exchange()).toMatchObject({ refreshToken: expect.any(String) })

      await page.reload()
      await page.getByRole('heading', { name: 'You can close this tab' }).waitFor()
      await page.goBack()
      await page.goForward()
      await page.getByRole('heading', { name: 'You can close this tab' }).waitFor()
      expect(server.counts).toEqual({ exchanged: 1, refreshed: 0, revoked: 0 })
      expect(attempt.events.filter(event => event.type === 'received')).toHaveLength(1)
      expect(errors.filter(text => /policy/i.test(text))).toEqual([])
    },
    BROWSER_MS,
  )

  test(
    'denies: the page says so, and what the service said is text',
    async () => {
      await using server = await startOAuthServer()
      await using window = await openWindow()
      const { page } = window
      await using attempt = await begin(server, url => page.goto(url))
      await page.getByRole('button', { name: 'Deny' }).click()
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
      expect(await page.locator('blockquote').textContent()).toBe('The user said <no> & left (access_denied)')
      await expect(attempt.result).rejects.toMatchObject({ code: 'sign-in-denied' })
    },
    BROWSER_MS,
  )

  test(
    'closes the tab: the sign-in waits, and the URL that is shown still works in another',
    async () => {
      await using server = await startOAuthServer()
      await using window = await openWindow()
      const { page, context } = window
      await using attempt = await begin(server, url => page.goto(url))
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await page.close()
      expect(attempt.ended()).toBeUndefined()

      const visit = attempt.events.find(event => event.type === 'visit')
      const second = await context.newPage()
      await second.goto(visit?.url ?? '')
      await second.getByRole('button', { name: 'Sign in' }).click()
      await second.getByRole('button', { name: 'Allow' }).click()
      await attempt.result
    },
    BROWSER_MS,
  )

  test(
    'prefetches the callback: nothing is used up',
    async () => {
      await using window = await openWindow()
      const { page } = window
      await using attempt = await signIn()
      const callback = `http://127.0.0.1:${attempt.port}/callback?code=c1&state=state-of-this-attempt`
      await using site = await servePage(
        `<link rel="prefetch" href="${callback.replace('&', '&amp;')}"><a href="${callback.replace('&', '&amp;')}">on</a>`,
      )
      const prefetched = page.waitForResponse(callback)
      await page.goto(site.url)
      expect((await prefetched).status()).toBe(204)
      expect(attempt.ended()).toBeUndefined()
      await page.getByRole('link').click()
      await page.getByRole('heading', { name: 'You can close this tab' }).waitFor()
      await attempt.result
    },
    BROWSER_MS,
  )

  test(
    'comes from an older tab: the page says what to do, and the new tab still counts',
    async () => {
      await using window = await openWindow()
      const { page } = window
      await using attempt = await signIn()
      const callback = `http://127.0.0.1:${attempt.port}/callback?code=c1&state=`
      await page.goto(`${callback}of-the-day-before`)
      await page.getByRole('heading', { name: 'This is not the sign-in that is waiting' }).waitFor()
      expect(await page.getByText('You are not signed in yet').isVisible()).toBe(true)
      expect(attempt.events.at(-1)).toMatchObject({ type: 'ignored', reason: 'wrong-state' })
      await page.goto(`${callback}state-of-this-attempt`)
      await attempt.result
    },
    BROWSER_MS,
  )

  test(
    "a stranger's page can neither end a sign-in nor read what it is told",
    async () => {
      await using window = await openWindow()
      const { page } = window
      await using attempt = await signIn()
      await using site = await servePage('<p>hello</p>')
      await page.goto(site.url)
      // As text: this project's types know no DOM.
      const seen = await page.evaluate(`(async () => {
        const base = 'http://127.0.0.1:${attempt.port}/callback'
        const read = await fetch(base + '?code=x&state=guess').then(response => response.text(), () => 'blocked')
        await fetch(base + '?error=access_denied', { mode: 'no-cors' }).catch(() => {})
        await fetch(base, { method: 'POST', headers: { 'x-custom': '1' } }).catch(() => {})
        const frame = document.createElement('iframe')
        frame.src = base + '?error=access_denied&state=guess'
        document.body.append(frame)
        await new Promise(resolve => frame.addEventListener('load', resolve))
        return read
      })()`)
      expect(seen).toBe('blocked')
      expect(attempt.ended()).toBeUndefined()
    },
    BROWSER_MS,
  )
})

async function servePage(body: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><link rel="icon" href="data:,"><title>x</title><body>${body}`),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
