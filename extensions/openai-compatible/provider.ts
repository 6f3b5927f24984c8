import { defineProviders } from '@airlock/guest-sdk'
import { defineChatProvider } from '@airlock/guest-sdk/dialects/openai-chat'
import { SERVERS } from './servers.ts'

export default defineProviders(SERVERS.map(defineChatProvider))
