import { defineProviders } from '@airlock/guest-sdk'
import { defineChatProvider } from '@airlock/guest-sdk/dialects/openai-chat'
import { SERVICES } from './services.ts'

export default defineProviders(SERVICES.map(defineChatProvider))
