import * as z from 'zod'

/** What each service's API reference says of a request, as far as these requests go. */
function chatRequest(options: {
  id: z.ZodString
  /** Fields of the model's own message besides content and calls. */
  own: z.ZodRawShape
  content: z.ZodType
  fields: z.ZodRawShape
}) {
  const { id, own, content, fields } = options
  const call = z.strictObject({
    id,
    type: z.literal('function'),
    function: z.strictObject({ name: z.string(), arguments: z.string() }),
  })
  const message = z.discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), content: z.string() }),
    z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(z.looseObject({}))]) }),
    z.strictObject({
      role: z.literal('assistant'),
      content: z.union([z.string(), z.null(), content]),
      tool_calls: z.array(call).min(1).optional(),
      ...own,
    }),
    z.strictObject({ role: z.literal('tool'), tool_call_id: id, content: z.string() }),
  ])
  return z.strictObject({
    model: z.string(),
    messages: z.array(message).min(1),
    stream: z.literal(true),
    tools: z.array(z.looseObject({ type: z.literal('function') })).min(1),
    ...fields,
  })
}

const includeUsage = { stream_options: z.strictObject({ include_usage: z.literal(true) }) }
const thinkingPart = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1),
})
const textPart = z.strictObject({ type: z.literal('text'), text: z.string() })

export const chatRequests: Readonly<Record<string, z.ZodType>> = {
  // https://docs.mistral.ai/api/endpoint/chat
  mistral: chatRequest({
    id: z.string().regex(/^[a-zA-Z0-9]{9}$/),
    own: { prefix: z.boolean().optional() },
    content: z.array(z.union([thinkingPart, textPart])).min(1),
    fields: {},
  }),
  // https://api-docs.deepseek.com/api/create-chat-completion
  deepseek: chatRequest({
    id: z.string().min(1),
    own: { reasoning_content: z.string().optional() },
    content: z.never(),
    fields: includeUsage,
  }).superRefine(({ messages }, context) => {
    for (const message of messages) {
      if ('tool_calls' in message && message.tool_calls && !('reasoning_content' in message)) {
        context.addIssue({ code: 'custom', message: 'reasoning_content must be passed back with tool calls' })
      }
    }
  }),
  // https://console.groq.com/docs/api-reference#chat-create
  groq: chatRequest({ id: z.string().min(1), own: {}, content: z.never(), fields: includeUsage }),
}
