import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpAnswer, type RunningComponent, runComponent } from '../run-component.ts'

const REDIRECT = 'http://127.0.0.1:{port}/callback'

/** An extension that signs in both ways, written as an author would. */
const provider = `
  import { defineProvider, ProviderError } from '@airlock/guest-sdk'
  import {
    authorizationUrl, createPkce, createState, deviceAuthorizationRequest, deviceTokenRequest, isExpired,
    parseTokens, readCallback, readDeviceAuthorization, readDeviceToken, readTokenResponse, redirectUriOf,
    refreshRequest, toDeviceFlow, toDeviceFlowStatus, tokenRequest,
  } from '@airlock/guest-sdk/oauth'

  const client = { id: 'acme-cli' }
  const endpoint = 'https://acme.test/token'
  const keep = (context, tokens) => context.storeCredential(JSON.stringify(tokens))
  const ask = (context, request) => context.fetch(request.url, request)

  export default defineProvider({
    id: 'acme',
    name: 'Acme',
    models: () => [{ id: 'm', maxTokenCount: 1000 }],
    request: () => ({ url: 'https://acme.test/v1' }),
    decode: () => ({ frame() {} }),
    signInOptions: () => [
      { id: 'browser', label: 'Browser', method: { type: 'browser' } },
      { id: 'device', label: 'Device', method: { type: 'device-flow' } },
    ],
    signIn(option, form, context) {
      const pkce = createPkce()
      const state = createState()
      const authUrl = authorizationUrl({
        endpoint: 'https://acme.test/auth', clientId: client.id, redirectUri: '${REDIRECT}', scopes: ['a', 'b'], state, pkce,
      })
      context.log.info(authUrl)
      const { callbackUrl, port } = context.browserSignIn({ authUrl, callbackPath: '/callback' })
      const { code } = readCallback(callbackUrl + '&state=' + state, state)
      const redirectUri = redirectUriOf('${REDIRECT}', port)
      const now = context.now()
      const request = tokenRequest({ endpoint, client, code, redirectUri, verifier: pkce.verifier })
      keep(context, readTokenResponse(ask(context, request), { now, scopes: ['a', 'b'] }))
    },
    refreshCredential(context) {
      const previous = parseTokens(context.credential() ?? '')
      if (previous?.refreshToken === undefined || !isExpired(previous, context.now())) return false
      const request = refreshRequest({ endpoint, client, refreshToken: previous.refreshToken })
      keep(context, readTokenResponse(ask(context, request), { now: context.now(), previous }))
      return true
    },
    startDeviceFlow(option, context) {
      const request = deviceAuthorizationRequest({ endpoint: 'https://acme.test/device', client })
      return toDeviceFlow(readDeviceAuthorization(ask(context, request)), {
        headline: 'h', description: 'd', connectButtonLabel: 'c', successHeadline: 's', successMessage: 'm',
      })
    },
    pollDeviceFlow(deviceCode, context) {
      const request = deviceTokenRequest({ endpoint, client, deviceCode })
      const answer = readDeviceToken(ask(context, request), { now: context.now() })
      if (answer.status === 'complete') keep(context, answer.tokens)
      return toDeviceFlowStatus(answer)
    },
  })`

let component: RunningComponent
let now = 1_700_000_000_000
let next: { status?: number; body: string }
let sent: { url: string; headers: Record<string, string>; body: URLSearchParams }
const credentials = new Map<string, string>()

beforeAll(async () => {
  component = await runComponent(
    { 'provider.ts': provider },
    {
      credentials,
      now: () => now,
      fetch({ url, headers, body }): HttpAnswer {
        const text = new TextDecoder().decode(body)
        sent = { url, headers: Object.fromEntries(headers), body: new URLSearchParams(text) }
        return { status: next.status ?? 200, headers: [], body: new TextEncoder().encode(next.body) }
      },
    },
  )
})
afterAll(() => component[Symbol.asyncDispose]())

const stored = () => JSON.parse(credentials.get('acme') ?? '') as unknown

test('a browser sign-in: PKCE, state and exchange, inside a component', async () => {
  next = { body: '{"access_token":"a1","refresh_token":"r1","expires_in":600}' }
  await component.provider.signIn('acme', 'browser', undefined)
  const authUrl = new URL(component.log.find(line => line.message.startsWith('https:'))?.message ?? '')
  expect(authUrl.searchParams.get('state')).toMatch(/^[\w-]{43}$/)
  const verifier = sent.body.get('code_verifier') ?? ''
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  expect(authUrl.searchParams.get('code_challenge')).toBe(Buffer.from(digest).toString('base64url'))
  expect(Object.fromEntries(sent.body)).toMatchObject({
    code: '1',
    redirect_uri: 'http://127.0.0.1:4321/callback',
    client_id: 'acme-cli',
  })
  expect(sent.headers).toMatchObject({ accept: 'application/json' })
  expect(stored()).toEqual({
    accessToken: 'a1',
    refreshToken: 'r1',
    expiresAt: now + 540_000,
    scopes: ['a', 'b'],
  })
})

test('a refresh, when it is time, keeps what the answer does not have', async () => {
  expect(await component.provider.refreshCredential('acme')).toBe(false)
  now += 540_000
  next = { body: 'access_token=a2&expires_in=600' }
  expect(await component.provider.refreshCredential('acme')).toBe(true)
  expect(sent.body.get('refresh_token')).toBe('r1')
  expect(stored()).toMatchObject({ accessToken: 'a2', refreshToken: 'r1', scopes: ['a', 'b'] })
})

test('a device sign-in', async () => {
  next = { body: '{"device_code":"d","user_code":"U","verification_uri":"https://acme.test/d"}' }
  const { state, prompt, pollIntervalSecs } = await component.provider.startDeviceFlow('acme', 'device')
  expect({ state, pollIntervalSecs }).toEqual({ state: 'd', pollIntervalSecs: 5 })
  expect(prompt).toMatchObject({ userCode: 'U', verificationUrl: 'https://acme.test/d' })
  next = { body: '{"error":"authorization_pending"}' }
  expect(await component.provider.pollDeviceFlow('acme', state)).toEqual({ tag: 'pending' })
  next = { body: '{"error":"slow_down"}' }
  expect(await component.provider.pollDeviceFlow('acme', state)).toEqual({ tag: 'slow-down', val: 0 })
  next = { body: '{"access_token":"a3"}' }
  expect(await component.provider.pollDeviceFlow('acme', state)).toMatchObject({ tag: 'complete' })
  expect(stored()).toEqual({ accessToken: 'a3' })
})

test('an error reaches the host with the code of the service', async () => {
  next = { status: 400, body: '{"error":"access_denied"}' }
  await expect(component.provider.pollDeviceFlow('acme', 'd')).rejects.toMatchObject({
    kind: 'permission',
    code: 'access_denied',
    status: 400,
  })
})
