import * as z from 'zod'

/** What stands in a request to one service that speaks the chat-completions dialect, by its own API reference. */
export interface ChatSchemaRules {
  /** Fields of the request besides those that all services take. */
  fields: Record<string, z.ZodType>
  /** Fields of a message of the model's own besides content and calls. */
  assistant?: Record<string, z.ZodType>
  /** Default: 1 to 64 characters. */
  callId?: RegExp
  /** Default: `function`, `auto`, `none` and `required`. */
  anyTool?: string
  /** Parts of a user's message besides text. Default: images and files. */
  parts?: readonly z.ZodType[]
  /** Marks for a cache may stand on text. Default: false. */
  cacheControl?: boolean
  /** Default: it may. */
  userAfterTool?: boolean
}

const dataUri = z.string().regex(/^(https?:\/\/|data:[a-z]+\/[\w.+-]+;base64,[A-Za-z0-9+/=]*$)/)
export const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: dataUri }),
})
export const filePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({ filename: z.string().min(1), file_data: dataUri }),
})
export const documentPart = z.strictObject({
  type: z.literal('document_url'),
  document_url: dataUri,
  document_name: z.string().optional(),
})
export const thinkingPart = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1),
})

/** https://platform.openai.com/docs/api-reference/chat/create, as far as all services follow it. */
export const COMMON_FIELDS = {
  max_tokens: z.int().positive().optional(),
  parallel_tool_calls: z.boolean().optional(),
  seed: z.int().optional(),
  stop: z.array(z.string()).min(1).max(4).optional(),
  stream_options: z.strictObject({ include_usage: z.literal(true) }).optional(),
}

export const jsonSchemaFormat = z.strictObject({
  type: z.literal('json_schema'),
  json_schema: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().optional(),
  }),
})
export const jsonObjectFormat = z.strictObject({ type: z.literal('json_object') })

export function chatRequest({
  fields,
  assistant = {},
  callId = /^.{1,64}$/,
  anyTool = 'required',
  parts = [imagePart, filePart],
  cacheControl = false,
  userAfterTool = true,
}: ChatSchemaRules): z.ZodType {
  const text = z.strictObject({
    type: z.literal('text'),
    text: z.string(),
    ...(cacheControl && { cache_control: z.strictObject({ type: z.literal('ephemeral') }).optional() }),
  })
  const id = z.string().regex(callId)
  const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
  const call = z.strictObject({
    id,
    type: z.literal('function'),
    function: z.strictObject({ name, arguments: z.string().refine(isObjectText, 'must be a JSON object') }),
  })
  const words = z.union([z.string(), z.array(text).min(1)])
  const message = z.discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), content: words }),
    z.strictObject({
      role: z.literal('user'),
      content: z.union([z.string(), z.array(z.union([text, ...parts])).min(1)]),
    }),
    z.strictObject({
      role: z.literal('assistant'),
      content: z.union([z.string(), z.null(), z.array(z.union([text, thinkingPart])).min(1)]),
      tool_calls: z.array(call).min(1).optional(),
      ...assistant,
    }),
    z.strictObject({ role: z.literal('tool'), tool_call_id: id, content: words }),
  ])
  return z
    .strictObject({
      model: z.string().min(1),
      messages: z.array(message).min(1),
      stream: z.literal(true),
      temperature: z.number().min(0).max(2).optional(),
      top_p: z.number().min(0).max(1).optional(),
      tools: z
        .array(
          z.strictObject({
            type: z.literal('function'),
            function: z.strictObject({
              name,
              description: z.string().optional(),
              parameters: z.record(z.string(), z.unknown()),
            }),
          }),
        )
        .min(1)
        .optional(),
      tool_choice: z
        .union([
          z.enum(['auto', 'none', anyTool]),
          z.strictObject({ type: z.literal('function'), function: z.strictObject({ name }) }),
        ])
        .optional(),
      response_format: jsonSchemaFormat.optional(),
      ...fields,
    })
    .superRefine(({ messages }, context) => {
      for (const problem of pairing(messages as z.output<typeof message>[], userAfterTool))
        context.addIssue({ code: 'custom', message: problem })
    })
}

interface Turn {
  role: string
  content?: unknown
  tool_calls?: { id: string }[] | undefined
  tool_call_id?: string
}

/** Results stand right behind the turn that called, each call has one, and no other is there. */
function pairing(messages: readonly Turn[], userAfterTool: boolean): string[] {
  const problems: string[] = []
  let open: string[] = []
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      const place = open.indexOf(String(message.tool_call_id))
      if (place === -1) problems.push(`no call asks for the result of ${message.tool_call_id}`)
      else open.splice(place, 1)
      return
    }
    if (open.length > 0) problems.push(`no result for ${open.join()}`)
    open = (message.tool_calls ?? []).map(call => call.id)
    if (new Set(open).size < open.length) problems.push('two calls have one id')
    const isBare = message.role === 'assistant' && !message.tool_calls && message.content === null
    if (isBare) problems.push('content may be null beside calls only')
    if (!userAfterTool && message.role === 'user' && messages[at - 1]?.role === 'tool')
      problems.push("unexpected role 'user' after role 'tool'")
  })
  return open.length > 0 ? [...problems, `no result for ${open.join()}`] : problems
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
