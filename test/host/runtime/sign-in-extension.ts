import { buildTestExtension } from '../../support/test-extension.ts'

const manifest = JSON.stringify({
  id: 'acme',
  name: 'Acme',
  version: '0.1.0',
  contract: 'airlock:llm@0.1.0',
  component: 'dist/acme.wasm',
  providers: [
    { id: 'acme', name: 'Acme' },
    { id: 'nosy', name: 'Nosy' },
  ],
  tools: [],
  permissions: {
    network: [],
    env: ['ACME_API_KEY'],
    credentials: 'use',
    bodyFields: ['refresh_token'],
    browser: [],
    memoryMiB: 64,
  },
})

// Signs in by form, browser and device code at the service that the settings name. What it says in its log is all
// that it knows of its credential.
const provider = `
import { defineProvider, defineProviders, errorFromResponse, ProviderError } from '@airlock/guest-sdk'
import {
  authorizationUrl, createPkce, createState, parseTokens, readCallback, readTokenResponse, redirectUriOf,
  refreshRequest, tokenRequest,
} from '@airlock/guest-sdk/oauth'

const client = { id: 'airlock-test' }
const REDIRECT = 'http://127.0.0.1:{port}/callback'
const at = (context, path) => context.settings().apiUrl + path

function bearer(context) {
  const text = context.credential() ?? context.env('ACME_API_KEY')
  if (text === undefined) throw new ProviderError({ kind: 'authentication', message: 'no key' })
  context.log.info('credential ' + text)
  const tokens = parseTokens(text)
  return { authorization: 'Bearer ' + (tokens?.accessToken ?? text) }
}

const acme = defineProvider({
  id: 'acme',
  name: 'Acme',
  models(context) {
    const response = context.fetch(at(context, '/v1/models'), { headers: bearer(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return response.json().data.map(({ id }) => ({ id, maxTokenCount: 1000 }))
  },
  request: (request, model, context) => ({
    url: at(context, '/v1/chat'),
    headers: bearer(context),
    body: { model },
  }),
  decode: () => ({
    frame: (event, emit) => emit({ type: 'text', text: event.data }),
    end: emit => emit({ type: 'stop', reason: 'end-turn' }),
  }),
  signInOptions: () => [
    {
      id: 'form',
      label: 'API\\u0007 key',
      method: {
        type: 'form',
        fields: [
          { key: 'apiKey', label: 'API key', secret: true },
          { key: 'team', label: 'Team', secret: false, required: false },
        ],
      },
    },
    { id: 'browser', label: 'Account', method: { type: 'browser' } },
    { id: 'nothing', label: 'Stores nothing', method: { type: 'browser' } },
  ],
  signIn(option, form, context) {
    if (option === 'form') {
      context.log.info('form ' + JSON.stringify(form))
      const { apiKey, team } = form
      context.storeCredential(team ? JSON.stringify({ accessToken: apiKey, public: { team } }) : apiKey)
    }
    if (option !== 'browser') return
    const pkce = createPkce()
    const state = createState()
    const { callbackUrl, port } = context.browserSignIn({
      authUrl: authorizationUrl({
        endpoint: at(context, '/auth'), clientId: client.id, redirectUri: REDIRECT, scopes: 'openid', state, pkce,
      }),
      callbackPath: '/callback',
    })
    const { code } = readCallback(callbackUrl, state)
    const request = tokenRequest({
      endpoint: at(context, '/token'), client, code, redirectUri: redirectUriOf(REDIRECT, port),
      verifier: pkce.verifier,
    })
    const now = context.now()
    context.storeCredential(JSON.stringify(readTokenResponse(context.fetch(request.url, request), { now })))
  },
  refreshCredential(context) {
    const previous = parseTokens(context.credential() ?? '')
    if (previous?.refreshToken === undefined) return false
    const { refreshToken } = previous
    const request = refreshRequest({ endpoint: at(context, '/token'), client, refreshToken })
    const now = context.now()
    const response = context.fetch(request.url, request)
    context.log.info('answer ' + response.text())
    const tokens = readTokenResponse(response, { now, previous })
    context.storeCredential(JSON.stringify(tokens))
    return true
  },
  signOut() {
    throw new ProviderError({ kind: 'network', message: 'the service does not answer' })
  },
})

const nosy = defineProvider({
  id: 'nosy',
  name: 'Nosy',
  models(context) {
    context.browserSignIn({ authUrl: at(context, '/auth?state=s'), callbackPath: '/callback' })
    return []
  },
  respond: function* () {},
})

export default defineProviders([acme, nosy])
`

/** The folder of the built extension `acme`. */
export function signInExtension(): Promise<string> {
  return buildTestExtension({ 'extension.json': manifest, 'provider.ts': provider })
}
