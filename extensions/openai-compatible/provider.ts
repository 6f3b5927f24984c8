import { defineProviders } from '@airlock/guest-sdk'
import { type ChatService, defineChatProvider } from '@airlock/guest-sdk/dialects/openai-chat'
import { PRESETS } from './presets.ts'

const ownServer: ChatService = {
  id: 'openai-compatible',
  name: 'OpenAI-compatible server',
  icon: 'icons/openai-compatible.svg',
  exampleUrl: 'http://127.0.0.1:8080/v1',
  keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
  // A server that wants one says so itself.
  keyRequired: false,
}

export default defineProviders([ownServer, ...PRESETS].map(defineChatProvider))
