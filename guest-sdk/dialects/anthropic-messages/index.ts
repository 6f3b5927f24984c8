export { createMessagesDecoder, type MessagesDecoder, type MessagesDecoderOptions } from './decode.ts'
export { encodeCountRequest, encodeMessagesRequest, messagesToolNames, readBetas } from './encode.ts'
export { type ListedModel, readModelPage } from './models.ts'
export type { Effort, MessagesOptions, MessagesRules } from './rules.ts'
