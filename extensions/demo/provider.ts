import {
  type Context,
  defineProvider,
  errorFromResponse,
  ProviderError,
  type RequestHeaders,
} from '@airlock/guest-sdk'
import { createChatDecoder, encodeChatRequest, readModelList } from '@airlock/guest-sdk/dialects/openai-chat'
import {
  deviceAuthorizationRequest,
  deviceTokenRequest,
  parseTokens,
  readDeviceAuthorization,
  readDeviceToken,
  readTokenResponse,
  refreshRequest,
  toDeviceFlow,
  toDeviceFlowStatus,
} from '@airlock/guest-sdk/oauth'

const client = { id: 'airlock-demo' }

/** The service of `airlock demo`, which runs on this machine: what a device sign-in needs, and nothing else. */
export default defineProvider({
  id: 'demo',
  name: 'Demo',
  icon: 'icons/demo.svg',

  models(context) {
    const response = context.fetch(at(context, 'v1/models'), { headers: authorization(context) })
    if (!response.ok) throw new ProviderError(errorFromResponse(response))
    return readModelList(response.json())
  },

  request: (request, model, context) => ({
    url: at(context, 'v1/chat/completions'),
    headers: authorization(context),
    body: encodeChatRequest(request, model),
  }),

  decode: () => createChatDecoder(),

  signInOptions: () => [{ id: 'device', label: 'Device code', method: { type: 'device-flow' } }],

  startDeviceFlow(_, context) {
    const request = deviceAuthorizationRequest({ endpoint: at(context, 'oauth/device'), client })
    return toDeviceFlow(readDeviceAuthorization(context.fetch(request.url, request)), {
      headline: 'Sign in to the demo service',
      description: 'Enter this code on its page, on any device.',
      connectButtonLabel: 'Open the page',
      successHeadline: 'Signed in',
      successMessage: 'The demo service knows you now.',
    })
  },

  pollDeviceFlow(deviceCode, context) {
    const request = deviceTokenRequest({ endpoint: at(context, 'oauth/token'), client, deviceCode })
    const now = context.now()
    const answer = readDeviceToken(context.fetch(request.url, request), { now })
    if (answer.status === 'complete') context.storeCredential(JSON.stringify(answer.tokens))
    return toDeviceFlowStatus(answer)
  },

  refreshCredential(context) {
    const previous = parseTokens(context.credential() ?? '')
    if (previous?.refreshToken === undefined) return false
    const { refreshToken } = previous
    const request = refreshRequest({ endpoint: at(context, 'oauth/token'), client, refreshToken })
    const now = context.now()
    const tokens = readTokenResponse(context.fetch(request.url, request), { now, previous })
    context.storeCredential(JSON.stringify(tokens))
    return true
  },
})

function at(context: Context, path: string): string {
  const url = context.settings()?.apiUrl?.replace(/\/+$/, '')
  if (url) return `${url}/${path}`
  throw new ProviderError({
    kind: 'invalid-request',
    message:
      'The demo service does not run: start it with "airlock demo --keep", and use the settings that it prints.',
  })
}

function authorization(context: Context): RequestHeaders {
  const tokens = parseTokens(context.credential() ?? '')
  return { authorization: tokens && `Bearer ${tokens.accessToken}` }
}
