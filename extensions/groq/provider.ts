import { defineChatProvider } from '@airlock/guest-sdk/dialects/openai-chat'
import { service } from './service.ts'

export default defineChatProvider(service)
