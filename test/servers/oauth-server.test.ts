import { expect, test } from 'vitest'
import { createHttpResponse } from '../../guest-sdk/http-response.ts'
import {
  authorizationUrl,
  createPkce,
  createState,
  deviceAuthorizationRequest,
  deviceTokenRequest,
  type OAuthRequest,
  readCallback,
  readDeviceAuthorization,
  readDeviceToken,
  readTokenResponse,
  redirectUriOf,
  refreshRequest,
  tokenRequest,
} from '../../guest-sdk/oauth/index.ts'
import { ProviderError } from '../../host/errors.ts'
import { runDeviceFlow } from '../../host/oauth/device-flow.ts'
import { runWebAuth } from '../../host/oauth/web-auth.ts'
import { userNetworkRules } from '../../host/policy/network.ts'
import { type OAuthServer, startOAuthServer } from './oauth-server.ts'
import { createOAuthUser, type Visit } from './oauth-user.ts'

const redirectTemplate = 'http://127.0.0.1:{port}/callback'

const permissionFor = (server: OAuthServer) => ({
  rules: userNetworkRules([server.url]),
  manifestFile: 'extension.json',
})

async function signIn(server: OAuthServer, answer: 'allow' | 'deny' = 'allow') {
  const pkce = createPkce()
  const state = createState()
  const user = createOAuthUser()
  let page: Promise<Visit> | undefined
  const auth = runWebAuth({
    authUrl: authorizationUrl({
      endpoint: server.authorizationEndpoint,
      clientId: server.clientId,
      redirectUri: redirectTemplate,
      scopes: ['openid', 'offline_access'],
      state,
      pkce,
      extra: { prompt: 'consent' },
    }),
    callbackPath: '/callback',
    permission: permissionFor(server),
    openBrowser: async url => {
      page = user.visit(url, answer)
      await page
    },
  })
  const { callbackUrl, port, close } = await auth
  await close()
  const { code } = readCallback(callbackUrl, state, { issuer: server.url })
  const request = tokenRequest({
    endpoint: server.tokenEndpoint,
    client: { id: server.clientId },
    code,
    redirectUri: redirectUriOf(redirectTemplate, port),
    verifier: pkce.verifier,
  })
  return { request, page: await page }
}

test('authorization code with PKCE, then refreshes that rotate; a second use revokes the family', async () => {
  await using server = await startOAuthServer()
  const { request, page } = await signIn(server)
  expect(page?.body).toContain('You can close this tab')
  const first = readTokenResponse(await send(request), { now: 0 })
  expect(first).toMatchObject({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresAt: 3_540_000,
    scopes: ['openid', 'offline_access'],
  })

  const refresh = (refreshToken = '') =>
    send(
      refreshRequest({ endpoint: server.tokenEndpoint, client: { id: server.clientId }, refreshToken }),
    ).then(response => readTokenResponse(response, { now: 0, previous: first }))
  const second = await refresh(first.refreshToken)
  expect(second.refreshToken).not.toBe(first.refreshToken)
  expect(server.counts).toEqual({ exchanged: 1, refreshed: 1, revoked: 0 })

  await expect(refresh(first.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
  expect(server.counts.revoked).toBe(1)
  await expect(refresh(second.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
})

test('a code that is exchanged twice revokes what it gave: why the callback counts once', async () => {
  await using server = await startOAuthServer()
  const { request } = await signIn(server)
  readTokenResponse(await send(request), { now: 0 })
  await expect(send(request).then(response => readTokenResponse(response, { now: 0 }))).rejects.toMatchObject(
    { code: 'invalid_grant', kind: 'authentication' },
  )
  expect(server.counts.revoked).toBe(1)
})

test('the user denies', async () => {
  await using server = await startOAuthServer()
  await expect(signIn(server, 'deny')).rejects.toMatchObject({
    code: 'sign-in-denied',
    serviceCode: 'access_denied',
  })
})

test.each([
  ['allow', undefined],
  ['deny', 'sign-in-denied'],
] as const)('device flow: %s', async (answer, code) => {
  await using server = await startOAuthServer()
  const client = { id: server.clientId }
  const user = createOAuthUser()
  let tokens: unknown
  const work = runDeviceFlow({
    async start() {
      const request = deviceAuthorizationRequest({
        endpoint: server.deviceEndpoint,
        client,
        scopes: 'openid',
      })
      const {
        deviceCode,
        userCode,
        verificationUrlComplete = '',
      } = readDeviceAuthorization(await send(request))
      return {
        prompt: {
          userCode,
          verificationUrl: verificationUrlComplete,
          headline: '',
          description: '',
          connectButtonLabel: '',
          successHeadline: '',
          successMessage: '',
        },
        state: deviceCode,
        pollIntervalSecs: 1,
        expiresInSecs: 600,
      }
    },
    async poll(deviceCode) {
      const response = await send(deviceTokenRequest({ endpoint: server.tokenEndpoint, client, deviceCode }))
      try {
        const token = readDeviceToken(response, { now: 0 })
        if (token.status === 'complete') tokens = token.tokens
        return token.status === 'slow-down' ? { tag: token.status, val: 0 } : { tag: token.status }
      } catch (error) {
        const { message, code: providerCode } = error as { message: string; code: string }
        throw new ProviderError({ kind: 'other', message, providerCode })
      }
    },
    permission: permissionFor(server),
    openBrowser: url => user.visit(url, answer),
    // A pause is a turn of the event loop; the watch over a poll, which lasts as long as the code, never ends.
    clock: { now: () => 0, sleep: ms => new Promise(resolve => ms < 60_000 && setImmediate(resolve)) },
  })
  if (code === undefined) {
    await work
    expect(tokens).toMatchObject({ accessToken: expect.any(String) })
  } else await expect(work).rejects.toMatchObject({ code })
})

async function send(request: OAuthRequest) {
  const { url, headers, body } = request
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return createHttpResponse({ status: response.status, headers: [...response.headers], body: bytes })
}
