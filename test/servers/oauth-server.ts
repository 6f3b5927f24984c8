import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'

export interface OAuthServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at its end: its issuer, too. */
  url: string
  clientId: string
  authorizationEndpoint: string
  tokenEndpoint: string
  deviceEndpoint: string
  /** Codes that were exchanged, refresh tokens that were used, families that were revoked after a second use. */
  counts: { exchanged: number; refreshed: number; revoked: number }
  close(): Promise<void>
}

const CLIENT_ID = 'airlock-test'

/**
 * A real authorization server on loopback: authorization code with PKCE, device flow, refresh tokens that rotate.
 * Any name signs in; its pages are forms with buttons called "Sign in", "Allow" and "Deny".
 */
export async function startOAuthServer(
  options: {
    /** Default: 3,600. */
    accessTokenSeconds?: number
  } = {},
): Promise<OAuthServer> {
  let serve: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const provider = await quietly(
    ({ Provider }) => new Provider(url, configuration(options.accessTokenSeconds ?? 3600)),
  )
  const counts = { exchanged: 0, refreshed: 0, revoked: 0 }
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.grant_type === 'refresh_token') counts.refreshed++
    else counts.exchanged++
  })
  provider.on('grant.revoked', () => counts.revoked++)
  const answer = provider.callback()
  serve = (request, response) => {
    const interaction = /^\/interaction\/[\w-]+/.test(request.url ?? '')
    const work = interaction ? interact(provider, request, response) : answer(request, response)
    work.catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error))
    })
  }

  async function close(): Promise<void> {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return {
    url,
    clientId: CLIENT_ID,
    authorizationEndpoint: `${url}/auth`,
    tokenEndpoint: `${url}/token`,
    deviceEndpoint: `${url}/device/auth`,
    counts,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The library warns on the console of a Node that it does not know, and of state that lives in memory. */
async function quietly<T>(run: (library: typeof import('oidc-provider')) => T): Promise<T> {
  const { warn } = console
  console.warn = () => {}
  try {
    return run(await import('oidc-provider'))
  } finally {
    console.warn = warn
  }
}

function configuration(accessTokenSeconds: number): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_name: 'Airlock',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
        // RFC 8252, 7.3: any port of the loopback address.
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
    cookies: { keys: ['not a secret: this server lives for one test'] },
    jwks: { keys: [signingKey] },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    clientBasedCORS: () => false,
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (context, form) => {
          context.body = page(`${form}<button form="op.deviceInputForm">Continue</button>`)
        },
        userCodeConfirmSource: (context, form, _client, _device, userCode) => {
          context.body = page(
            `<p>Code: ${userCode}</p>${form}<button form="op.deviceConfirmForm">Confirm</button>`,
          )
        },
        successSource: (context: KoaContextWithOIDC) => {
          context.body = page('<p>Device signed in</p>')
        },
      },
    },
    renderError: (context, out) => {
      context.type = 'html'
      context.body = page(`<p>Error: ${out.error}</p>`)
    },
  }
}

/** Sign in, then allow or deny; or deny at once. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  if (request.method === 'GET') {
    const form =
      prompt.name === 'login'
        ? '<input name="account" aria-label="Name" value="ada"><button name="answer" value="allow">Sign in</button>'
        : '<button name="answer" value="allow">Allow</button>'
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(page(`<form method="post">${form}<button name="answer" value="deny">Deny</button></form>`))
    return
  }
  const fields = new URLSearchParams((await readAll(request)).toString())
  if (fields.get('answer') === 'deny') {
    await provider.interactionFinished(request, response, {
      error: 'access_denied',
      error_description: 'The user said <no> & left',
    })
    return
  }
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, {
      login: { accountId: fields.get('account') ?? 'ada' },
    })
    return
  }
  const grant =
    (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
    new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) })
  grant.addOIDCScope(String(params.scope ?? 'openid'))
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  )
}

function page(body: string): string {
  return `<!doctype html><html lang="en"><title>Service</title><body>${body}</body></html>`
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
  'sign',
  'verify',
])
const signingKey = {
  ...(await crypto.subtle.exportKey('jwk', privateKey)),
  alg: 'ES256',
  use: 'sig',
  kid: 'k',
}
