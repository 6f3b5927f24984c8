import type { RequestBody } from '../../context.ts'
import type { Decoder } from '../../decoder.ts'
import type { CompletionStart } from '../../provider.ts'
import type { CompletionRequest } from '../../request.ts'
import { createChatDecoder } from '../openai-chat/decode.ts'
import { encodeChatRequest } from '../openai-chat/encode.ts'
import { chatQuirksOf } from './chat-quirks.ts'
import { createResponsesDecoder } from './decode.ts'
import { encodeResponsesRequest, responsesToolNames } from './encode.ts'
import type { OpenAiApi } from './endpoint.ts'
import type { ResponsesOptions } from './rules.ts'

/** Where each API answers, behind the base URL. */
export const OPENAI_ENDPOINTS: Readonly<Record<OpenAiApi, string>> = {
  responses: 'responses',
  'chat-completions': 'chat/completions',
}

/** The body of a request, for a service that serves its models through either API. */
export function encodeOpenAiRequest(
  api: OpenAiApi,
  request: CompletionRequest,
  model: string,
  options: ResponsesOptions,
): RequestBody {
  return api === 'responses'
    ? encodeResponsesRequest(request, model, options)
    : encodeChatRequest(request, model, chatQuirksOf(options.rules), options.log)
}

/** What reads the answer to such a request. */
export function createOpenAiDecoder(
  api: OpenAiApi,
  { request, model, context }: CompletionStart,
  service: string,
): Decoder<'server-sent-events'> {
  return api === 'responses'
    ? createResponsesDecoder({ service, model, toolNames: responsesToolNames(request), log: context.log })
    : createChatDecoder()
}
