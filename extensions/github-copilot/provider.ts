import { defineProvider } from '@airlock/guest-sdk'
import {
  type ChatQuirks,
  createChatDecoder,
  encodeChatRequest,
} from '@airlock/guest-sdk/dialects/openai-chat'
import { copilot, isSignedIn, refreshCopilotToken } from './credential.ts'
import { listModels } from './list-models.ts'
import { completionHeaders } from './service.ts'
import { pollDeviceFlow, startDeviceFlow } from './sign-in.ts'

const quirks: Partial<ChatQuirks> = { files: false }

export default defineProvider({
  id: 'github-copilot',
  name: 'GitHub Copilot',
  icon: 'icons/github-copilot.svg',

  models: listModels,

  request(request, model, context) {
    const { apiUrl, headers } = copilot(context)
    return {
      url: `${apiUrl}/chat/completions`,
      headers: { ...headers, ...completionHeaders(request) },
      body: encodeChatRequest(request, model, quirks, context.log),
    }
  },

  decode: () => createChatDecoder(),

  signInOptions: () => [{ id: 'github', label: 'GitHub account', method: { type: 'device-flow' } }],
  isAuthenticated: isSignedIn,
  startDeviceFlow: (_, context) => startDeviceFlow(context),
  pollDeviceFlow,
  refreshCredential: refreshCopilotToken,

  settingsMarkdown: () =>
    'Sign in with a GitHub account that has Copilot. Requests count as those of an editor, and models are offered ' +
    'as the plan and its administrators allow.',
})
