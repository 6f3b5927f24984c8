import type { DeviceFlow, DeviceFlowStatus, SignInContext } from '@airlock/guest-sdk'
import {
  deviceAuthorizationRequest,
  deviceTokenRequest,
  readDeviceAuthorization,
  readDeviceToken,
  toDeviceFlow,
  toDeviceFlowStatus,
} from '@airlock/guest-sdk/oauth'
import { storeCopilotToken } from './credential.ts'
import { addresses, identity } from './service.ts'

/** GitHub's own client for Copilot in editors: no other gets tokens for it. It is public and has no secret. */
const client = { id: 'Iv1.b507a08c87ecfe98' }
const SCOPES = 'read:user'

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow */
export function startDeviceFlow(context: SignInContext): DeviceFlow {
  const request = deviceAuthorizationRequest({
    endpoint: `${addresses(context).site}/login/device/code`,
    client,
    scopes: SCOPES,
  })
  const response = context.fetch(request.url, { ...request, headers: { ...request.headers, ...identity } })
  return toDeviceFlow(readDeviceAuthorization(response), {
    headline: 'Sign in to GitHub Copilot',
    description: 'Enter this code on GitHub, and allow GitHub Copilot.',
    connectButtonLabel: 'Open GitHub',
    successHeadline: 'Signed in',
    successMessage: 'GitHub Copilot is ready to use.',
  })
}

export function pollDeviceFlow(deviceCode: string, context: SignInContext): DeviceFlowStatus {
  const request = deviceTokenRequest({
    endpoint: `${addresses(context).site}/login/oauth/access_token`,
    client,
    deviceCode,
  })
  const response = context.fetch(request.url, { ...request, headers: { ...request.headers, ...identity } })
  const answer = readDeviceToken(response, { now: context.now(), scopes: SCOPES })
  if (answer.status === 'complete') storeCopilotToken(context, answer.tokens.accessToken)
  return toDeviceFlowStatus(answer)
}
