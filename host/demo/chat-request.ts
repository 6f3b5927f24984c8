import * as z from 'zod'
import type { DemoMessage, DemoRequest } from './answer.ts'

// Open on the client's side: a client may send fields that the demo has no use for.
const content = z.union([z.string(), z.null(), z.array(z.looseObject({ type: z.string() }))]).optional()
const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content })).min(1),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
        }),
      }),
    )
    .nullish(),
  tool_choice: z.unknown().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
})

export interface ChatRequest extends DemoRequest {
  model: string
  stream: boolean
  includeUsage: boolean
  maxTokens?: number
}

/** Reads a chat-completions body. @throws {Error} with a sentence for the client. */
export function readChatRequest(body: string): ChatRequest {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch (cause) {
    throw new Error('The body is not JSON.', { cause })
  }
  const parsed = chatRequest.safeParse(json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`${issue?.path.join('.') || 'The body'}: ${issue?.message}`)
  }
  const wire = parsed.data
  const maxTokens = wire.max_completion_tokens ?? wire.max_tokens
  return {
    model: wire.model,
    messages: wire.messages.map(
      (message): DemoMessage => ({ role: message.role, text: readContent(message.content) }),
    ),
    tools: (wire.tools ?? []).map(({ function: { name, description = '', parameters = {} } }) => ({
      name,
      description,
      parameters,
    })),
    mayCallTools: wire.tool_choice !== 'none',
    stream: wire.stream === true,
    includeUsage: wire.stream_options?.include_usage === true,
    ...(maxTokens == null ? {} : { maxTokens }),
  }
}

function readContent(value: z.infer<typeof content>): string {
  if (typeof value === 'string') return value
  return (value ?? [])
    .map(part => (part.type === 'text' && typeof part.text === 'string' ? part.text : `(${part.type})`))
    .join(' ')
}
