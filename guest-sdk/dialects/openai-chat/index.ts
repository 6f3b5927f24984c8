export { endpointUrl } from './api-url.ts'
export type { ChatService, KnownChatModel } from './chat-service.ts'
export { type ChatDecoder, type ChatDecoderOptions, createChatDecoder } from './decode.ts'
export { defineChatProvider } from './define-chat-provider.ts'
export { type ChatRequestBody, encodeChatRequest } from './encode.ts'
export {
  ASSUMED_CONTEXT_TOKENS,
  assumedModel,
  type ListedChatModel,
  readListedModels,
  readModelList,
} from './models.ts'
export { type ChatQuirks, resolveQuirks } from './quirks.ts'
